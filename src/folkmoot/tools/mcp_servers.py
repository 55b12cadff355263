"""MCP servers as data: the settings of a server; ``tools.mcp_client`` connects to it."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """An MCP server, as its owner has set it.

    Attributes:
        name: what briefs call it: ``mcp:files``.
        command: the program and its arguments; empty where there is an address.
        url: the address of a server over HTTP; "" where there is a command.
        pin: the hash of the tools that the owner has looked at; "" where none is set.
        env: names of the variables of the environment that it is given beside a few harmless ones.
    """

    name: str
    command: tuple[str, ...] = ()
    url: str = ""
    pin: str = ""
    env: tuple[str, ...] = ()
