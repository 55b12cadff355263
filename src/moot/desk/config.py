"""Settings of the owner. This file owns where they come from: environment, moot.toml here, moot.toml of the user.

Keys of providers are no settings: they stay in the environment and never reach a file of ours or a record.
"""

import os
import tomllib
from dataclasses import dataclass
from pathlib import Path

from moot.core.errors import BriefError

NAMES = ("model", "store")


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What the owner has set.

    Attributes:
        model: the default model; "" where none is set.
        store: the record's file; None for the user's data directory.
        origin: where each setting came from.
    """

    model: str = ""
    store: Path | None = None
    origin: tuple[tuple[str, str], ...] = ()


def load_config(folder: Path | None = None) -> Config:
    """The settings: environment before ``moot.toml`` in the folder before the user's own ``moot.toml``.

    Raises:
        BriefError: a file that is no TOML, or holds an unknown name or a value that is no text.
    """
    import platformdirs  # here for start-up time: only commands that touch settings need it

    found: dict[str, tuple[str, str]] = {}
    places = (Path(platformdirs.user_config_dir("moot")) / "moot.toml", (folder or Path()) / "moot.toml")
    for path in places:
        found.update({name: (value, str(path)) for name, value in _read(path).items()})
    for name in NAMES:
        if value := os.environ.get(f"MOOT_{name.upper()}"):
            found[name] = (value, f"MOOT_{name.upper()}")
    store = found.get("store", ("", ""))[0]
    return Config(
        model=found.get("model", ("", ""))[0],
        store=Path(store).expanduser() if store else None,
        origin=tuple((name, place) for name, (_, place) in found.items()),
    )


def default_store() -> Path:
    """The file of the record where none is set: ``moot.sqlite`` in the user's data directory."""
    import platformdirs

    return Path(platformdirs.user_data_dir("moot")) / "moot.sqlite"


def _read(path: Path) -> dict[str, str]:
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise BriefError(f"cannot be read: {error}", where=str(path)) from error
    values: dict[str, str] = {}
    for name, value in data.items():
        if name not in NAMES:
            raise BriefError(f"there is no setting {name!r}; there are {', '.join(NAMES)}", where=str(path))
        if not isinstance(value, str):
            raise BriefError(f"{name} must be a text in quotes", where=str(path))
        values[name] = value
    return values
