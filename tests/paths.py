"""Folders that tests read: the repository, its examples, the records and golden files of the tests, shared material."""

from pathlib import Path

TESTS = Path(__file__).resolve().parent
ROOT = TESTS.parent
EXAMPLES = ROOT / "examples"
RECORDS = TESTS / "records"
GOLDEN = TESTS / "golden"
SHARED = ROOT.parent / "shared"
