"""What holds for all tests: chance is the same in every run, and peers are asked only when they are wanted."""

import os

import pytest
from hypothesis import settings

settings.register_profile("moot", derandomize=True, deadline=None)
settings.load_profile("moot")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the tests marked ``peers`` unless MOOT_PEERS is set, as `make test-peers` does."""
    if os.environ.get("MOOT_PEERS"):
        return
    for item in items:
        if item.get_closest_marker("peers"):
            item.add_marker(pytest.mark.skip(reason="needs servers that nobody here wrote: make test-peers"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how much of the recorded texts of real models was read, wherever the tests ran."""
    reports = [*terminalreporter.getreports("passed"), *terminalreporter.getreports("failed")]
    for name, value in dict.fromkeys(pair for each in reports for pair in each.user_properties):
        terminalreporter.write_line(f"{name}: {value}")
