from __future__ import annotations

import json
import subprocess
import sys

from assistant_samples import ROOT

from assistant.result import Result
from assistant.schema import schema_text

COMMITTED = ROOT / "docs" / "result.schema.json"


def test_committed_schema_is_that_of_the_result() -> None:
    assert COMMITTED.read_text(encoding="utf-8") == schema_text(), (
        "run: python -m assistant.schema > docs/result.schema.json"
    )


def test_command_writes_the_schema() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "assistant.schema"], cwd=ROOT, capture_output=True, check=True
    )
    assert done.stdout.decode("utf-8") == schema_text()
    assert done.stderr == b""


def test_schema_speaks_camel_case_and_names_its_version() -> None:
    schema = json.loads(schema_text())
    assert list(schema["properties"]) == [
        "hits",
        "notes",
        "resultVersion",
        "tookMs",
        "understood",
        "verdict",
    ]
    assert schema["properties"]["resultVersion"]["const"] == 1
    assert schema["required"] == ["verdict", "hits", "understood", "tookMs"]
    assert set(schema["$defs"]["Variant"]["properties"]) == {
        "errorClass",
        "filePath",
        "id",
        "lineNumber",
        "repo",
        "share",
    }
    assert schema["$defs"]["Verdict"]["enum"] == ["exact", "likely", "related", "none"]
    assert Result.model_config["frozen"] is True
