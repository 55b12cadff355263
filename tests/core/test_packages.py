"""How to install what an extra needs: the libraries by name, as the metadata of the distribution has them."""

import importlib.metadata
import re

import pytest

from folkmoot.core.packages import missing_library, required

LINES = (
    "aiohttp<4,>=3.14",
    "weasyprint>=66; extra == 'pdf'",
    'asyncpg<1,>=0.31; python_version >= "3.11" and extra == "postgres"',
    "sqlalchemy[asyncio]>=2; extra == 'postgres'",
    "folkmoot[postgres,pdf] ; extra == 'workers'",
    "temporalio>=1.30 ; extra=='workers'",
)


@pytest.mark.parametrize(
    ("extra", "libraries"),
    [
        ("pdf", ["weasyprint>=66"]),
        ("postgres", ["asyncpg<1,>=0.31", "sqlalchemy[asyncio]>=2"]),
        ("workers", ["asyncpg<1,>=0.31", "sqlalchemy[asyncio]>=2", "weasyprint>=66", "temporalio>=1.30"]),
        ("pd", []),
        ("none", []),
    ],
)
def test_what_an_extra_requires(extra: str, libraries: list[str]) -> None:
    assert list(required(LINES, extra)) == libraries


@pytest.mark.parametrize("extra", importlib.metadata.metadata("folkmoot").get_all("Provides-Extra") or [])
def test_the_command_names_the_libraries_of_every_extra_and_never_this_package(extra: str) -> None:
    sentence = missing_library("A test", extra)
    assert re.fullmatch(r'A test needs .*: pip install( "[^"]+")+', sentence)
    assert "folkmoot" not in sentence


def test_an_extra_that_the_metadata_lacks_is_installed_from_a_path() -> None:
    assert missing_library("A test", "none").endswith('pip install "/path/to/folkmoot[none]"')


def test_more_may_be_required_and_nothing_stands_twice() -> None:
    sentence = missing_library("A test", "formal", "boto3", "boto3")
    assert re.search(r'pip install "z3-solver[^"]+" "boto3"$', sentence)
