"""The chat page.

Importing this package switches off what Gradio would send out, and statistics of its own that
nobody sees here (they would load pandas with the first answer). It must come before Gradio.
"""

import os

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ["GRADIO_ANALYTICS_CACHE_FREQUENCY"] = str(10**9)
os.environ["GRADIO_ANALYTICS_MAX_EVENTS"] = "100"
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
