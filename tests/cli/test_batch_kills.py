"""``folkmoot batch --batch`` killed thirty times at random requests: nothing is sent or paid twice, and all come out."""

import signal
from pathlib import Path
from random import Random

import pytest

from tests.cli.test_cli_half_price import MODELS, terminal
from tests.kits.batch_servers import BatchServers

KILLS = 30


@pytest.mark.system
async def test_killed_thirty_times_at_random_each_request_is_sent_once_and_all_come_out(tmp_path: Path) -> None:
    chance, kills = Random(18), 0
    async with terminal(BatchServers(), tmp_path) as there:
        command = ("batch", "brief.md", *MODELS, "--repeat", "10", "--name", "shop", "--batch")
        code, output = 0, ""
        while kills < KILLS:
            there.servers.auto = kills >= KILLS - 6  # until then they go on with waiting
            visits = iter([False] * chance.randrange(5))
            there.kill = lambda visit, visits=visits: next(visits, True)
            code, output = await there.run(*command)
            if code == 0:  # it was over before the last kills
                break
            assert code == -signal.SIGKILL, output
            kills += 1
        there.kill = lambda visit: False
        code, output = await there.run(*command)
        assert code == 0, output
        assert "build 10" in output
        assert kills >= KILLS - 6
        assert len(there.servers.items) == len(set(there.servers.items)) == 20
        assert len(there.servers.batches) == 2
        assert not there.servers.live
