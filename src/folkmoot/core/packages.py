"""Which libraries an extra of Folkmoot needs, by the metadata of the installed distribution, and how to install them.

The command names the libraries, never ``folkmoot[pdf]``: an index may have another package of that name.
"""

import re
from collections.abc import Iterable, Iterator, Mapping


def missing_library(what: str, extra: str, *others: str) -> str:
    """The sentence that says what needs a library, and the command that installs it.

    Args:
        what: what needs it, as the subject of the sentence.
        extra: the extra of this distribution that brings the library.
        others: requirements beside those of the extra.
    """
    from importlib.metadata import PackageNotFoundError, requires  # here for start-up time

    try:
        lines = requires("folkmoot") or []
    except PackageNotFoundError:  # it runs from a source tree, which pip can install by its path
        lines = []
    wanted = [*required(lines, extra)] or [f"/path/to/folkmoot[{extra}]"]
    # Double quotes, because the command prompt of Windows knows no others.
    command = " ".join(f'"{requirement}"' for requirement in dict.fromkeys([*wanted, *others]))
    return f"{what} needs a library that isn't installed: pip install {command}"


_OTHER_NAMES: Mapping[str, str] = {"bs4": "beautifulsoup4", "docx": "python-docx", "z3": "z3-solver"}
"""Libraries that are imported by another name than that by which they're installed."""


def missing_module(error: ModuleNotFoundError) -> str | None:
    """The sentence that says how to install a library of an extra that an import didn't find; None for any other.

    Of several extras that have it, the smallest is asked for.
    """
    from importlib.metadata import PackageNotFoundError, metadata, requires  # here for start-up time

    module = (error.name or "").partition(".")[0]
    name = _normal(_OTHER_NAMES.get(module, module))
    try:
        lines, extras = requires("folkmoot") or [], metadata("folkmoot").get_all("Provides-Extra") or []
    except PackageNotFoundError:
        return None
    brought = {extra: [*required(lines, extra)] for extra in extras}
    having = [
        extra
        for extra, libraries in brought.items()
        if any(_normal(re.split(r"[^\w.-]", library, maxsplit=1)[0]) == name for library in libraries)
    ]
    if not having:
        return None
    return missing_library(f"What you asked for ({module})", min(having, key=lambda extra: len(brought[extra])))


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).casefold()


def required(lines: Iterable[str], extra: str) -> Iterator[str]:
    """What an extra requires by the lines ``Requires-Dist`` of a distribution; an extra in an extra is followed."""
    lines = tuple(lines)
    for line in lines:
        requirement, _, marker = line.partition(";")
        if re.search(rf"\bextra\s*==\s*['\"]{re.escape(extra)}['\"]", marker):
            own = re.match(r"folkmoot\s*\[([^]]+)\]", requirement)
            if own:
                for inner in own[1].split(","):
                    yield from required(lines, inner.strip())
            else:
                yield requirement.strip()
