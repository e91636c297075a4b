from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError
from record_samples import record, sample

import records
from records import read
from records.errors import RecordRefused
from records.model.record import looks_like_record


def test_public_surface_is_flat() -> None:
    assert records.__all__ == ["ErrorRecord", "read", "template"]
    assert all(hasattr(records, name) for name in records.__all__)


def test_a_bare_record_is_read() -> None:
    made = read(sample())
    assert made.error_message == "missing cache on {block}"
    assert made.line_number == 11
    assert made.solutions == ("Enable capture before the forward pass.",)
    assert made.http_status is None


def test_the_envelope_is_read_like_its_record() -> None:
    assert read({"record": sample(), "datasetVersion": "2026"}) == read(sample())


@pytest.mark.parametrize(
    ("version", "shown"), [(3, "3"), ("2", '"2"'), (None, "null"), (1, "1"), ([2], r"\[2\]")]
)
def test_another_schema_version_is_refused(version: object, shown: str) -> None:
    told = rf"^schemaVersion is {shown}; this errsage reads version 2$"
    with pytest.raises(RecordRefused, match=told):
        read(sample(schemaVersion=version))


def test_a_missing_schema_version_is_refused() -> None:
    body = sample()
    del body["schemaVersion"]
    with pytest.raises(
        RecordRefused, match=r"^schemaVersion is null; this errsage reads version 2$"
    ):
        read(body)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("id", "12AB34cd56ef7890"),
        ("id", "8a702f012ebc64e"),
        ("id", "8a702f012ebc64e4\n"),
        ("id", 7),
        ("repo", "rocket"),
        ("repo", "acme/rocket/x"),
        ("repo", "acme/ro cket"),
        ("errorMessage", ""),
        ("errorMessage", None),
        ("errorType", "warning"),
        ("httpStatus", 99),
        ("httpStatus", 600),
        ("severity", "fatal"),
        ("lineNumber", 0),
        ("lineNumber", 1.5),
        ("sourceCodeStart", 0),
        ("githubUrl", None),
        ("solutions", "restart"),
        ("solutions", [1]),
        ("handlingStrategy", "ignore"),
        ("tags", None),
        ("tags", [None]),
    ],
)
def test_a_refusal_names_the_field(field: str, value: object) -> None:
    with pytest.raises(RecordRefused, match=rf"^{field}(\.0)?: "):
        read(sample() | {field: value})


@pytest.mark.parametrize("field", sorted(set(sample()) - {"schemaVersion"}))
def test_a_missing_field_is_named(field: str) -> None:
    body = sample()
    del body[field]
    with pytest.raises(RecordRefused, match=f"^{field}: field required$"):
        read(body)


def test_a_name_in_snake_case_is_not_the_field() -> None:
    body = sample()
    body["error_message"] = body.pop("errorMessage")
    with pytest.raises(RecordRefused, match=r"^errorMessage: field required$"):
        read(body)


def test_many_faults_are_counted_after_four() -> None:
    with pytest.raises(
        RecordRefused, match=r"^id: .*; repo: .*; slug: .*; errorCode: .*; and 26 more$"
    ):
        read({"schemaVersion": 2})


@pytest.mark.parametrize(
    ("value", "kind"),
    [([], "a list"), ("x", "a string"), (1, "a number"), (None, "null"), (True, "true or false")],
)
def test_what_is_no_object_is_refused(value: object, kind: str) -> None:
    with pytest.raises(RecordRefused, match=f"^expected a JSON object, found {kind}$"):
        read(value)


def test_unknown_fields_are_kept_and_frozen() -> None:
    made = read(sample(laterField={"a": [1]}))
    assert made.model_extra == {"laterField": {"a": [1]}}
    assert made.model_dump(by_alias=True)["laterField"] == {"a": [1]}
    with pytest.raises(ValidationError, match="frozen"):
        made.laterField = 1


def test_known_fields_are_frozen() -> None:
    made = record()
    with pytest.raises(ValidationError, match="frozen"):
        made.slug = "other"


@pytest.mark.parametrize(
    ("changes", "link"),
    [
        ({"githubUrl": "https://github.com/a/b#L1"}, "https://github.com/a/b#L1"),
        ({"githubUrl": ""}, None),
        ({"githubUrl": "http://github.com/a/b"}, None),
        ({"githubUrl": "javascript:alert(1)"}, None),
        ({"githubUrl": " https://github.com/a/b"}, None),
        ({"repo": "pypi/rocket", "githubUrl": "https://github.com/a/b"}, None),
    ],
)
def test_permalinks_are_true_ones(changes: dict[str, Any], link: str | None) -> None:
    assert record(**changes).permalink == link


@pytest.mark.parametrize(
    ("value", "meant"),
    [
        ({"errorMessage": 1}, True),
        ({"record": {"errorMessage": "x"}}, True),
        ({"record": "x", "errorMessage": "x"}, True),
        ({"record": {}}, False),
        ({"errors": []}, False),
        (["errorMessage"], False),
        (None, False),
    ],
)
def test_a_value_is_meant_as_a_record_by_its_message(value: object, meant: bool) -> None:
    assert looks_like_record(value) is meant
