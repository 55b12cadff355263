"""MCP tools and resources that read: debates, decisions, reports, protocols and models."""

import asyncio
import json
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Annotated

from pydantic import Field

from folkmoot.app.brief.types import DEFAULT, protocol_summaries, strategies
from folkmoot.app.export.plugins import find_plugins
from folkmoot.app.export.report_formats import read_report_options, report_format
from folkmoot.app.export.reports import ReadRecord, read_record, with_notes, write_report
from folkmoot.app.export.signed_receipts import make_receipt, write_receipt
from folkmoot.app.plan.assignment import find_models
from folkmoot.app.run.access import claimed
from folkmoot.app.run.outcome import Listed, list_one, opening
from folkmoot.app.run.record_reader import list_query
from folkmoot.app.serve.answer_types import Plugins
from folkmoot.core.errors import BriefError
from folkmoot.mcp.clients import Client
from folkmoot.mcp.debate_tools import Id
from folkmoot.mcp.summaries import memo_of, standing, state_of
from folkmoot.mcp.tool_results import (
    Memo,
    ModelsResult,
    Protocols,
    ProtocolSummary,
    ReceiptResult,
    ReportResult,
    RowResult,
    Rows,
    StateResult,
)
from folkmoot.mcp.tool_server import Here, Server

PAGE = 50
"""The maximum number of debates in one list."""


@dataclass(frozen=True, slots=True)
class ReadTools:
    """The tools and resources that read.

    Args:
        server: knows which client calls.
    """

    server: Server

    async def get_debate(
        self,
        id: Id,
        here: Here,
        after: Annotated[
            int,
            Field(
                ge=0, le=10**9, description="The value after of the last result, to get only what is new; 0 for all."
            ),
        ] = 0,
    ) -> StateResult:
        """Return the state of a debate: what was said, votes, and who has to answer. get_decision is shorter."""
        return await state_of(await self._reader_client(id, here), id, after)

    async def get_decision(self, id: Id, here: Here) -> Memo:
        """Return the decision of a debate with votes, dissent and minority answers, or its state until it ends."""
        return await memo_of(await self._reader_client(id, here), id)

    async def get_receipt(self, id: Id, here: Here) -> ReceiptResult:
        """Return the grounds of a decision: options, votes, evidence, accepted claims, and the hash of the record."""
        client = await self._reader_client(id, here)
        text = write_receipt(await make_receipt(client.workspace, id), None, "json")
        return ReceiptResult(id=id, receipt=json.loads(text))

    async def list_debates(
        self,
        here: Here,
        query: Annotated[
            str, Field(max_length=200, description="Words in the topic, the id or the protocol; empty for all.")
        ] = "",
    ) -> Rows:
        """List your debates, the newest first."""
        client = self.server.client(here)
        owner = None if client.reads_all else client.admission.owner
        page = await client.workspace.page(list_query(search=query, limit=PAGE, helpers=True, owner=owner))
        by = await client.runner.where_debates_run()
        stale = await client.runner.stale_debates(page.debates)
        rows = [
            await _row(client, list_one(summary), runs=summary.debate in by, stale=summary.debate in stale)
            for summary in page.debates
        ]
        return Rows(debates=rows, more=page.matching - len(rows))

    async def list_protocols(self) -> Protocols:
        """List the protocols and the ways to decide."""
        return Protocols(
            protocols=[ProtocolSummary(name=name, about=about) for name, about in protocol_summaries().items()],
            default=DEFAULT,
            strategies=list(strategies()),
        )

    async def list_models(self, here: Here) -> ModelsResult:
        """List the models that can be used: on servers of this machine, of providers with an API key, and built in."""
        client = self.server.client(here)
        reach = await find_models()
        return ModelsResult(
            models=list(reach.models),
            keys=[provider for provider, _ in reach.keys],
            default=client.runner.config.model,
            advice=list(reach.advice),
        )

    async def list_plugins(self) -> Plugins:
        """List what other packages add (protocols, rules, providers, tools, report formats) and their options."""
        return Plugins.model_validate({"plugins": [asdict(item) for item in await asyncio.to_thread(find_plugins)]})

    async def get_report(
        self,
        id: Id,
        here: Here,
        form: Annotated[str, Field(max_length=100, description="md, json, or a format of another package.")] = "md",
        options: Annotated[
            list[str], Field(max_length=20, description="Options of a format of another package: NAME=VALUE.")
        ] = [],  # noqa: B006 - as the SDK documents it; nothing changes it
    ) -> ReportResult:
        """Return the whole report of a debate in a format of text. It is long; get_decision is shorter."""
        client = await self._reader_client(id, here)
        values = await asyncio.to_thread(read_report_options, form, options)
        chosen = await asyncio.to_thread(report_format, form, values)
        if chosen.files or chosen.binary:
            raise BriefError(f"{form} is not for tools: folkmoot report {id} --format {form} -o FILE writes it")
        content = await asyncio.to_thread(chosen.make, await _record_of(client, id))
        return ReportResult(
            id=id, form=form, options=[f"{name}={value}" for name, value in values.items()], report=str(content)
        )

    # ---- resources ---------------------------------------------------------------------------------------------------

    async def report(self, id: str, here: Here) -> str:
        """The whole report: the decision, every vote, who said what, and problems. It quotes what was said."""
        client = await self._reader_client(id, here)
        record = await _record_of(client, id)
        return await asyncio.to_thread(write_report, record.report)

    async def record(self, id: str, here: Here) -> str:
        """The record as JSON lines, exactly as stored: one entry on each line, with a chain of hashes."""
        client = await self._reader_client(id, here)
        return "".join(f"{line}\n" for line in await client.workspace.lines(id))

    async def receipt(self, id: str, here: Here) -> str:
        """The receipt of the decision: its grounds as JSON, unsigned."""
        client = await self._reader_client(id, here)
        return write_receipt(await make_receipt(client.workspace, id), None, "json")

    async def _reader_client(self, debate: str, here: Here) -> Client:
        client = self.server.client(here)
        await client.check_seen(debate)
        return client


async def _record_of(client: Client, debate: str) -> ReadRecord:
    """The record of a debate, with a note on documents that have changed since."""
    record = await read_record(client.workspace, debate)
    opened, claim = opening(debate, record.entries), await claimed(client.workspace, debate)
    return with_notes(record, await client.runner.stale_warnings(debate, opened.brief, opened.place, claim))


async def _row(client: Client, listed: Listed, *, runs: bool, stale: bool) -> RowResult:
    status, reason = listed.status, listed.reason
    if status in ("open", "paused") or runs:  # as wait_for_debate and get_debate say it
        now = await standing(client, listed.debate)
        status, reason = now.status, now.reason
    return RowResult.model_validate(
        {
            "id": listed.debate,
            "topic": listed.topic,
            "protocol": listed.protocol,
            "status": status,
            "reason": reason,
            "begun": datetime.fromtimestamp(listed.at, UTC).isoformat(timespec="seconds"),
            "entries": listed.entries,
            "stale": stale,
        }
    )
