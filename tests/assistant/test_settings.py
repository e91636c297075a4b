from __future__ import annotations

import re
from pathlib import Path

import platformdirs
import pytest

from assistant import Assistant, ErrsageError, ModelUnavailable, SettingRefused
from assistant.settings import read_settings
from index.encoder import HashingEncoder, SentenceTransformerEncoder

NAMES = ("HOME", "MODEL", "HOST", "PORT")


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(f"ERRSAGE_{name}", raising=False)


def test_defaults() -> None:
    settings = read_settings()
    assert settings.home == Path(platformdirs.user_data_dir("errsage"))
    assert (settings.model, settings.host, settings.port) == ("all-MiniLM-L6-v2", "127.0.0.1", 7860)


def test_environment_sets_every_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in zip(NAMES, (str(tmp_path), "hashing", "0.0.0.0", "0"), strict=True):
        monkeypatch.setenv(f"ERRSAGE_{name}", value)
    settings = read_settings()
    assert (settings.home, settings.model) == (tmp_path, "hashing")
    assert (settings.host, settings.port) == ("0.0.0.0", 0)
    with Assistant.open() as assistant:
        assert assistant.folder == tmp_path
        assert assistant.status().folder == str(tmp_path)


def test_values_given_in_code_win(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRSAGE_HOME", str(tmp_path / "other"))
    monkeypatch.setenv("ERRSAGE_PORT", "99")
    settings = read_settings(home=tmp_path, port=7, model=None)
    assert (settings.home, settings.port) == (tmp_path, 7)
    assert Assistant.open(tmp_path).folder == tmp_path


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    unset = read_settings()
    for name in NAMES:
        monkeypatch.setenv(f"ERRSAGE_{name}", "")
    assert read_settings() == unset


def test_an_empty_model_in_code_is_refused() -> None:
    reason = "string should have at least 1 character"
    with pytest.raises(SettingRefused, match=rf"^ERRSAGE_MODEL: {reason} \(found ''\)$"):
        Assistant.open(model="")


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        read_settings().port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value", "reason"),
    [
        ("PORT", "many", "input should be a valid integer"),
        ("PORT", "-1", "input should be greater than or equal to 0"),
        ("PORT", "65536", "input should be less than or equal to 65535"),
    ],
)
def test_bad_value_is_refused_by_name(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str, reason: str
) -> None:
    monkeypatch.setenv(f"ERRSAGE_{name}", value)
    pattern = rf"^ERRSAGE_{name}: {reason}.*\(found {re.escape(repr(value))}\)$"
    with pytest.raises(SettingRefused, match=pattern) as refused:
        Assistant.open()
    assert isinstance(refused.value, ErrsageError)


def test_home_that_is_a_file_is_refused(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.write_text("x", encoding="utf-8")
    monkeypatch.setenv("ERRSAGE_HOME", str(file))
    with pytest.raises(SettingRefused, match="cannot be the data folder: it is not a folder"):
        Assistant.open()


def test_tilde_is_the_home_of_the_user(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    assert Assistant.open("~/errors").folder == tmp_path / "errors"
    monkeypatch.setenv("ERRSAGE_HOME", "~/errors")
    assert Assistant.open().folder == tmp_path / "errors"


def test_home_of_an_unknown_user_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRSAGE_HOME", "~no-such-user-here/errors")
    with pytest.raises(SettingRefused, match=r"^ERRSAGE_HOME: value error, could not determine"):
        Assistant.open()


def test_model_setting_names_the_encoder(tmp_path: Path) -> None:
    hashing = Assistant.open(tmp_path, model="hashing")
    assert isinstance(hashing._encoder, HashingEncoder)
    named = Assistant.open(tmp_path, model="acme/other-model")
    assert isinstance(named._encoder, SentenceTransformerEncoder)
    assert (named._encoder.id, named._encoder.ready) == ("acme/other-model", False)


@pytest.mark.model
def test_a_device_that_is_not_there_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    try:
        SentenceTransformerEncoder().load()
    except ModelUnavailable as error:
        pytest.skip(str(error))
    for device in ("foo", "cuda:99"):
        monkeypatch.setenv("ERRSAGE_DEVICE", device)
        told = rf"^ERRSAGE_DEVICE is '{device}', which torch cannot use here \(.+\); set it to a"
        with pytest.raises(ModelUnavailable, match=told) as refused:
            SentenceTransformerEncoder().load()
        assert "ERRSAGE_MODEL" not in str(refused.value)
        assert "\n" not in str(refused.value)
    monkeypatch.setenv("ERRSAGE_DEVICE", "")
    SentenceTransformerEncoder().load()
