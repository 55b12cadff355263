"""The installed command: Ctrl-C while it loads ends it without a traceback."""

import signal

import pytest

from moot.__main__ import start


@pytest.mark.parametrize("usual", [signal.default_int_handler, signal.SIG_IGN])
def test_ctrl_c_ends_with_its_code(usual: signal.Handlers, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("moot.cli.main.main", interrupted)
    before = signal.signal(signal.SIGINT, usual)
    try:
        with pytest.raises(SystemExit) as ended:
            start()
    finally:
        signal.signal(signal.SIGINT, before)
    assert ended.value.code == 130
