"""Which libraries an extra of Folkmoot needs, by the metadata of the installed distribution, and how to install them.

The command names the libraries, never ``folkmoot[pdf]``: an index may have another package of that name.
"""

import re
from collections.abc import Iterable, Iterator


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
