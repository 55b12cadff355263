"""What the tests of the command line share: a place of one's own, a runner, a server that plays a script."""

import re
import tempfile
from collections.abc import Generator, Mapping
from contextlib import chdir, contextmanager
from pathlib import Path

from click.testing import CliRunner, Result

from folkmoot.cli.main import main
from folkmoot.testing.wire_formats import Plan
from folkmoot.testing.wires import Call, Script, Wires
from tests.kits.in_thread import in_thread
from tests.kits.processes import with_imports
from tests.paths import EXAMPLES

BRIEF = EXAMPLES / "build-or-buy.md"
QUOTES = ("-m", "builtin:quotes")
DEAD = "http://127.0.0.1:9"
NO_SERVERS: Mapping[str, str] = dict.fromkeys(
    ("OLLAMA_HOST", "LMSTUDIO_BASE_URL", "LLAMACPP_BASE_URL", "VLLM_BASE_URL"), DEAD
)
"""What keeps a command from the servers of models that may run where the tests run."""


def settle(folder: Path) -> dict[str, str]:
    """An environment in which nothing of the machine's owner is used and no server is found; processes run this checkout."""
    return with_imports(
        {
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_DATA_HOME": str(folder / "data"),
            "FOLKMOOT_STORE": str(folder / "folkmoot.sqlite"),
            "FOLKMOOT_MODEL": "",
            **NO_SERVERS,
            "OPENAI_API_KEY": "",
            "FOLKMOOT_BASE_URL": "",
            "COLUMNS": "100",
            "NO_COLOR": "",
            "PATH": "/usr/bin:/bin",
            "TMPDIR": tempfile.gettempdir(),  # where the locks are, of commands in this process and in others
        }
    )


def folkmoot(folder: Path, *words: str, stdin: str = "", **env: str) -> Result:
    """Run one command in this process, in a folder of its own."""
    runner = CliRunner(env={**settle(folder), **env})
    with chdir(folder):
        return runner.invoke(main, list(words), input=stdin, prog_name="folkmoot")


def only_id(result: Result) -> str:
    """The id of the debate that an output names."""
    matches = re.findall(r"\b[a-z0-9-]+-[0-9a-f]{6}\b", result.output)
    return matches[0]


def speak(call: Call) -> Plan:
    """A willing model: it fills in whatever form it is given."""
    text = "**Rent**, because `mail` is a service.\n\n- cheap\n- *simple*"
    if "I vote for" in call.prompt:
        text = "It names figures.\n\nI vote for: Proposal A"
    elif "ANSWER:" in call.prompt:
        rent = "Skeptic" not in call.prompt.split("You are ")[-1][:10]
        text = f"ANSWER: {'Rent' if rent else 'Own'}\nCONFIDENCE: 0.7\nARGUMENT: It is [bold]cheap[/bold]."
    return Plan(text=text, usage=(100, 20, 0))


@contextmanager
def served(script: Script = speak, *, models: tuple[str, ...] = ("tiny:latest",)) -> Generator[Wires]:
    """A server in a thread of its own, for commands that hold the event loop of this one."""
    wires = Wires(script=script, models=models)
    with in_thread(wires.serve):
        yield wires
