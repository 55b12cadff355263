"""Routes that read: reports, argument maps, analyses, recounts, comparisons, models, protocols."""

import asyncio
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from importlib import metadata
from typing import Annotated, Literal

from fastapi import Path, Query, Response
from starlette.requests import Request

from folkmoot.analysis.analysis import analyse
from folkmoot.app.brief.types import names, protocol_summaries, strategies
from folkmoot.app.export.analyses import write_data
from folkmoot.app.export.paper import replay
from folkmoot.app.export.plugins import find_plugins
from folkmoot.app.export.recount import Recount, recount_entries, write_recount
from folkmoot.app.export.report_formats import FORMATS, JSON, SERVED, read_report_options, report_format
from folkmoot.app.export.reports import (
    compare,
    make_report,
    map_at,
    parent,
    with_notes,
    write_comparison,
)
from folkmoot.app.export.signed_receipts import make_receipt, write_receipt
from folkmoot.app.plan.assignment import find_models
from folkmoot.app.plan.starter_presets import model_offers
from folkmoot.app.run.outcome import opening
from folkmoot.app.serve.answer_types import Plugins
from folkmoot.app.serve.prompt_view import PromptView, prompt_view
from folkmoot.core.ask import Value
from folkmoot.core.errors import BriefError
from folkmoot.core.event import Entry
from folkmoot.core.extensions import NO_OPTIONS
from folkmoot.report.compare import Comparison
from folkmoot.report.report import Report
from folkmoot.web.cache import Busy
from folkmoot.web.pages import build_of
from folkmoot.web.problems import Problem
from folkmoot.web.read_schemas import (
    Analyses,
    AvailableModels,
    Bounds,
    CheckedModel,
    CheckModel,
    Info,
    ListedPreset,
    Map,
    MissingSettings,
    ModelServer,
    OfferedModel,
    Offers,
    ReceiptBody,
    gives,
)
from folkmoot.web.site import DebateAccess, Owner, Owning, SiteOf, Viewing, api_router, visit_named

library_router = api_router("library")


@library_router.get("/models")
async def get_models(site: SiteOf, holder: Owner) -> AvailableModels:
    """Return the usable models: local servers, providers with an API key (never its value), the built-in demo."""
    reach = await find_models()
    return AvailableModels(
        servers=[
            ModelServer(provider=server.provider, up=server.up, models=list(server.models)) for server in reach.servers
        ],
        keys=[provider for provider, _ in reach.keys],
        missing=[MissingSettings(provider=provider, set=variables) for provider, variables in reach.missing],
        models=list(reach.models),
        offers=[OfferedModel.model_validate(asdict(offer)) for offer in await asyncio.to_thread(model_offers, reach)],
        advice=list(reach.advice),
        presets=[
            ListedPreset(name=preset.name, models=list(preset.models))
            for preset in site.runner.config.presets.values()
            if holder.machine
        ],
    )


@library_router.post("/models/check")
async def check_model(site: SiteOf, holder: Owner, body: CheckModel) -> CheckedModel:
    """Ask a model one short question, and say whether it answers now. The outcome is kept for a minute."""
    if not holder.machine:
        raise Problem(403, "only the person at the machine can test models, because a test costs tokens")
    return CheckedModel.model_validate(asdict(await site.checks.check(site.workspace.pool, body.model)))


@library_router.get("/protocols")
async def get_protocols(holder: Owner) -> Offers:
    """List the protocols that a brief can use, and the ways to decide."""
    offered_names, ways = await asyncio.to_thread(names), await asyncio.to_thread(strategies)
    return Offers(protocols=list(offered_names), strategies=list(ways), about=dict(protocol_summaries()))


@library_router.get("/plugins")
async def get_plugins(holder: Owner) -> Plugins:
    """List what other packages add, with the options that each takes. All of it is imported."""
    found_plugins = [asdict(plugin) for plugin in await asyncio.to_thread(find_plugins)]
    return Plugins.model_validate({"plugins": found_plugins})


@library_router.get("/info")
async def get_info(site: SiteOf, holder: Owner) -> Info:
    """Return the version, the build of the web app, the owner's limits, and the usage of today."""
    serving = site.serving
    return Info(
        version=metadata.version("folkmoot"),
        build=build_of(),
        name=holder.owner,
        machine=holder.machine,
        model=site.runner.config.model,
        held=len(await site.runner.where_debates_run()),
        most=site.runner.room,
        learn=site.runner.config.learn,
        limits=Bounds(cost=serving.cost, tokens=serving.tokens_per_debate, asks=serving.max_questions),
        daily=None if holder.machine else serving.daily,
        used_today=None if holder.machine else await site.spending.used(holder.owner),
    )


router = api_router("reports")


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadableRecord:
    """A record that the client may read completely, in its current state."""

    visit: DebateAccess
    entries: tuple[Entry, ...]

    async def made(self, kind: str, make: Callable[[], str | bytes]) -> bytes:
        """Make something of the record once, and reuse it until the record grows."""
        cache, debate = self.visit.site.kept, self.visit.debate

        def encoded() -> bytes:
            content = make()
            return content.encode("utf-8", "replace") if isinstance(content, str) else content

        return await cache.made(debate, kind, len(self.entries), encoded)


async def _look(visit: DebateAccess, at: int | None = None) -> ReadableRecord:
    """The record of a debate, for a report.

    Args:
        visit: the request's access to the debate.
        at: the last entry to use; None for all.

    Raises:
        BriefError: there is no such entry.
        Problem: it has private parts that the client may not read, or it is not on record yet.
    """
    site = visit.site
    if not await site.workspace.store.read(visit.debate, limit=1):
        raise Problem(409, f"{visit.debate} is not on record yet: its participants are not generated")
    entries = await site.kept.entries(site.workspace, visit.debate)
    if at is not None and at > len(entries):
        raise BriefError(
            f"{visit.debate} has the entries 1 to {len(entries)}; there is no entry {at}", code="out_of_range"
        )
    if not await site.kept.may_read_all(visit.debate, entries[:at], visit.reader):
        raise Problem(403, "this debate has private parts; only its owner can read reports of it")
    return ReadableRecord(visit=visit, entries=entries)


@router.get("/debates/{debate}/map", responses=gives(Map))
async def get_map(
    visit: Viewing,
    at: Annotated[int | None, Query(ge=1, le=10**9, description="The last entry to use. Default: all.")] = None,
) -> Response:
    """Return the argument map: claims, their relations, acceptance and strength."""
    looked = await _look(visit, at)
    content = await looked.made(
        f"map {at or ''}",
        lambda: json.dumps(map_at(looked.entries, visit.debate, at), ensure_ascii=False, separators=(",", ":")),
    )
    return Response(content, media_type=JSON)


@router.get("/debates/{debate}/analysis", responses=gives(Analyses))
async def get_analysis(visit: Viewing) -> Response:
    """Return how positions changed, what changed them, and the grounds of the decision."""
    looked = await _look(visit)
    content = await looked.made("analysis", lambda: write_data((analyse(looked.entries, debate=visit.debate),)))
    return Response(content, media_type=JSON)


@router.get("/debates/{debate}/recount", responses=gives(Recount))
async def get_recount(visit: Viewing) -> Response:
    """Count the ballots under every rule."""
    looked = await _look(visit)
    content = await looked.made("recount", lambda: write_recount(recount_entries(looked.entries, visit.debate)))
    return Response(content, media_type=JSON)


@router.get("/debates/{debate}/prompt")
async def get_prompt(
    visit: Owning, key: Annotated[str, Query(max_length=1000, description="The key of the question.")]
) -> PromptView:
    """Return what a participant was sent for a question, composed again from the record, and the raw answers."""
    looked = await _look(visit)
    view = await asyncio.to_thread(prompt_view, looked.entries, key)
    if view is None:
        raise Problem(404, f"there is no question {key[:80]}")
    return view


def _forms() -> dict[int | str, dict[str, object]]:
    others: dict[str, object] = {form.media: {} for form in SERVED.values() if form.media != JSON}
    others |= {
        form.media: {"schema": {"type": "string", "format": "binary"}} for form in SERVED.values() if form.binary
    }
    return {200: {"description": "The report.", "model": Report, "content": others}}


ReportOptions = Annotated[
    list[str],
    Query(
        alias="option",
        max_length=20,
        description="An option of a format of another package: NAME=VALUE. Default: report_options of the brief.",
    ),
]


@router.get("/debates/{debate}/report.{form}", responses=_forms())
async def get_report(
    visit: Viewing,
    form: Annotated[
        str,
        Path(
            pattern="^[a-zA-Z0-9_-]{1,40}$",
            description=f"One of {', '.join(SERVED)}, or a format of another package.",
            examples=["md"],
        ),
    ],
    alive: Annotated[
        bool, Query(alias="replay", description="With html: a page that replays the whole debate.")
    ] = False,
    options: ReportOptions = [],  # noqa: B006 - as FastAPI documents it; nothing changes it
) -> Response:
    """Return the report as Markdown, JSON, HTML or PDF, or the argument map as SVG or Mermaid text."""
    values = await asyncio.to_thread(read_report_options, form, options)
    chosen = await asyncio.to_thread(report_format, form, values)
    if chosen.files:
        raise Problem(422, f"{form} is a log, which only the command writes", "bad_enum")
    media = chosen.media
    looked = await _look(visit)
    if alive and form == "html":
        content = await looked.made("replay", lambda: replay(visit.debate, looked.entries))
    elif chosen.page:
        content = await _pdf(looked, form, chosen.page)
    else:
        content = await _report(looked, form, values)
    disposition = "attachment" if alive else "inline"
    name = {"Content-Disposition": f'{disposition}; filename="{visit.debate}.{chosen.ending or form}"'}
    if media.startswith(
        "text/html"
    ):  # a sandboxed page: scripts of the app cannot reach it, and it cannot reach the app
        name["Content-Security-Policy"] = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
    return Response(content, media_type=media, headers=name)


async def _report(looked: ReadableRecord, form: str, options: Mapping[str, Value] = NO_OPTIONS) -> bytes:
    workspace, debate, entries = looked.visit.site.workspace, looked.visit.debate, looked.entries
    last = (await workspace.lines(debate))[len(entries) - 1]
    opened, site = opening(debate, entries), looked.visit.site
    stale = await site.runner.stale_warnings(debate, opened.brief, opened.place, looked.visit.claim)

    def written() -> str | bytes:  # html is the page to print, and a PDF is made of it elsewhere
        read_record = with_notes(make_report(entries, debate=debate, where=workspace.place, last=last), stale)
        return report_format("print" if form == "html" else form, options).make(read_record)

    return await looked.made(f"report {form} {sorted(options.items())} {stale}", written)


async def _pdf(looked: ReadableRecord, form: str, page_form: str) -> bytes:
    page, cache = await _report(looked, page_form), looked.visit.site.kept
    try:
        kind = f"{form} {hashlib.sha256(page).hexdigest()}"  # the same record may be stale or not
        return await cache.pdf(looked.visit.debate, len(looked.entries), page, kind)
    except Busy:
        problem = "several PDFs are being made; try again later, or print the HTML report from a browser"
        raise Problem(429, problem, "full", {"Retry-After": "30"}) from None


@router.get(
    "/debates/{debate}/receipt",
    responses={200: {"description": "The receipt.", "model": ReceiptBody, "content": {"text/markdown": {}}}},
)
async def get_receipt(visit: Owning, form: Literal["json", "md"] = "json") -> Response:
    """Return the receipt of the decision, unsigned: signing keys are never used over the network."""
    await _look(visit)
    text = write_receipt(await make_receipt(visit.site.workspace, visit.debate), None, form)
    return Response(text, media_type=FORMATS[form].media)


@router.get("/compare", responses=gives(Comparison))
async def compare_debates(
    request: Request,
    a: Annotated[str, Query(max_length=200, description="A debate.")],
    b: Annotated[
        str, Query(max_length=200, description="Another debate. Default: the one that `a` was forked from.")
    ] = "",
) -> Response:
    """Compare two debates: where they diverge, and how their outcomes differ."""
    debate_a = await visit_named(request, a)
    await _look(debate_a)
    first, second = (a, b) if b else (await parent(debate_a.site.workspace, a), a)
    other = await visit_named(request, b or first)
    await _look(other)
    text = write_comparison(await compare(debate_a.site.workspace, first, second))
    for visit in (debate_a, other):  # they may have grown since: they may have private parts now
        await _look(visit)
    return Response(text, media_type=JSON)
