"""What ``folkmoot models`` finds of servers of one's own, by asking each once."""

import pytest

from folkmoot.app.plan.server_check import ServerCheck, check_servers
from folkmoot.models.discover import find_models
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Wires
from tests.cli.commands import NO_SERVERS


@pytest.mark.parametrize(
    ("plan", "schema", "fault"),
    [
        (Plan(text='{"word": "zebra"}'), True, ""),
        (Plan(text='{"word": "hello"}'), False, ""),
        (Plan(text="Hello!"), False, ""),
        (Plan(status=403, error="no such thing"), None, "refused"),
    ],
)
async def test_each_server_is_asked_one_question(plan: Plan, schema: bool | None, fault: str) -> None:
    async with Wires(script=lambda call: plan).serve() as wires:
        env = {**NO_SERVERS, "OLLAMA_HOST": wires.url}
        checks = await check_servers(await find_models(env, seconds=120), env)
        assert len(wires.calls) == 1
    assert [(check.provider, check.model, check.slots, check.schema) for check in checks] == [
        ("ollama", "ollama:tiny:latest", 1, schema)
    ]
    assert checks[0].context > 0
    assert fault in checks[0].fault
    assert bool(checks[0].fault) == bool(fault)


async def test_where_nothing_runs_nothing_is_asked() -> None:
    checks: tuple[ServerCheck, ...] = await check_servers(await find_models(NO_SERVERS), NO_SERVERS)
    assert checks == ()
