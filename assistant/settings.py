"""Settings: from `ERRSAGE_*` in the environment, or given in code."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from index.weights import DEFAULT_MODEL
from records.errors import ErrsageError


class SettingRefused(ErrsageError):
    """A setting has a value that it cannot have."""


class Settings(BaseSettings):
    """All settings; each has the environment variable ERRSAGE_NAME, which may be empty.

    Attributes:
        home: the data folder.
        model: `all-MiniLM-L6-v2`, a sentence-transformers folder or hub name, or `hashing`.
        host: the address that the web chat listens on.
        port: its port; 0 takes a free one.
    """

    model_config = SettingsConfigDict(
        env_prefix="ERRSAGE_", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    home: Path = Field(default_factory=lambda: Path(platformdirs.user_data_dir("errsage")))
    model: str = Field(default=DEFAULT_MODEL, min_length=1)
    host: str = "127.0.0.1"
    port: int = Field(default=7860, ge=0, le=65_535)

    @field_validator("home")
    @classmethod
    def _expanded(cls, home: Path) -> Path:
        """A leading `~` reaches us where no shell has expanded it (a service, a container)."""
        try:
            return home.expanduser()
        except RuntimeError as error:  # no such user
            raise ValueError(str(error)) from None


def read_settings(**given: object) -> Settings:
    """Read the settings; values given in code win over the environment.

    Raises:
        SettingRefused: a value that it cannot have; names the variable.
    """
    present = {name: value for name, value in given.items() if value is not None}
    try:
        settings = Settings(**present)  # type: ignore[arg-type]
    except ValidationError as error:
        fault = error.errors(include_url=False)[0]
        name = f"ERRSAGE_{str(fault['loc'][0]).upper()}"
        raise SettingRefused(f"{name}: {fault['msg'].lower()} (found {fault['input']!r})") from None
    _check_home(settings.home)
    return settings


def _check_home(home: Path) -> None:
    if str(home).encode("utf-8", "replace").decode("utf-8") != str(home):
        reason = "its name is not UTF-8"
    elif os.path.exists(home) and not os.path.isdir(home):  # Path's own may raise
        reason = "it is not a folder"
    else:
        return
    raise SettingRefused(
        f"{str(home)!r} cannot be the data folder: {reason}; name another with --data-dir or "
        "ERRSAGE_HOME"
    )
