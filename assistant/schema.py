"""The JSON Schema of a result: `python -m assistant.schema > docs/result.schema.json`."""

from __future__ import annotations

import json
import sys

from assistant.result import Result


def schema_text() -> str:
    """The schema of what a search answers in JSON, indented by two, with a final line break."""
    schema = Result.model_json_schema(by_alias=True, mode="serialization")
    schema["$schema"] = "https://json-schema.org/draft/2020-12/schema"
    return json.dumps(schema, indent=2, ensure_ascii=False, sort_keys=True) + "\n"


if __name__ == "__main__":
    sys.stdout.write(schema_text())
