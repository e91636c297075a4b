"""The chat page.

Importing this package switches off what Gradio would send out; it must come before Gradio.
"""

import os

os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
os.environ.setdefault("HF_HUB_OFFLINE", "1")
os.environ.setdefault("HF_HUB_DISABLE_TELEMETRY", "1")
