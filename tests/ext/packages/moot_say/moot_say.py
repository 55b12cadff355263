"""The provider ``say``: a server that takes ``{"text": …}`` at /say and answers ``{"said": …}``."""

from moot.ext import AnswerStream, End, Provider, ProviderModel, Request, Usage, Wire, answer_cap, as_text


class Say(ProviderModel):
    """One model of such a server."""

    async def answer(self, request: Request, speech: AnswerStream) -> End:
        """Answer one request."""
        body = {"model": self.model.model, "text": as_text(request.messages), "most": answer_cap(request.settings)}
        told = await self.post("/say", body)
        speech.hear(str(told["said"]))
        usage = Usage(input_tokens=int(str(told.get("read", 0))), output_tokens=int(str(told.get("wrote", 0))))
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
