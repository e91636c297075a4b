# Ran with Python 3.11.7, PyYAML 6.0.4.
import logging
import sys

import yaml

SETTINGS = """\
service:
  name: invoices
  schedule: every day: 02:30
  retries: 3
"""

logging.basicConfig(format="%(asctime)s %(levelname)-8s [%(name)s] %(message)s", level=logging.INFO)
log = logging.getLogger("invoices.settings")

log.info("reading settings")
try:
    yaml.safe_load(SETTINGS)
except yaml.YAMLError:
    log.exception("could not read the settings")
    sys.exit(1)
