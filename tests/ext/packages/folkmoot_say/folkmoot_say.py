"""The provider ``say``: a server that takes ``{"text": …}`` at /say and answers ``{"said": …}``."""

from dataclasses import dataclass

from folkmoot.ext import (
    AnswerStream,
    End,
    ModelName,
    Provider,
    ProviderConnection,
    ProviderModel,
    Request,
    Usage,
    Wire,
    answer_cap,
    as_text,
    option,
    takes_options,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What a brief can set under ``provider_options``."""

    voice: str = option("plain", "How it speaks.", choices=("plain", "low"))


@takes_options(Options)
class Say(ProviderModel):
    """One model of such a server."""

    def __init__(self, name: ModelName, link: ProviderConnection, options: Options) -> None:
        super().__init__(name, link)
        self.options = options

    async def answer(self, request: Request, speech: AnswerStream) -> End:
        """Answer one request."""
        body = {"model": self.model.model, "text": as_text(request.messages), "most": answer_cap(request.settings)}
        body["voice"] = self.options.voice
        values = await self.post("/say", body)
        speech.hear(str(values["said"]))
        usage = Usage(input_tokens=int(str(values.get("read", 0))), output_tokens=int(str(values.get("wrote", 0))))
        return End(usage=usage, finish="stop")


say = Provider(
    name="say",
    wire=Wire(name="say", adapter=Say),
    url="http://127.0.0.1:9090",
    url_env="SAY_BASE_URL",
    keys=("SAY_KEY",),
    needs_key=False,
    local=True,
)
