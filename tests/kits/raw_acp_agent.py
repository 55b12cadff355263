"""An agent of the Agent Client Protocol by hand, without a library, that misbehaves as its first argument says."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from typing import Any

WORDS = "ANSWER: build"


def send(**fields: Any) -> None:
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **fields}) + "\n")
    sys.stdout.flush()


def chunk(content: object, kind: str = "agent_message_chunk") -> None:
    send(method="session/update", params={"sessionId": "s", "update": {"sessionUpdate": kind, "content": content}})


def say(words: str) -> None:
    chunk({"type": "text", "text": words})


def ask(number: object, method: str, params: object) -> Any:
    """Send a request, and return the answer."""
    send(id=number, method=method, params=params)
    return json.loads(sys.stdin.readline())


def send_media(_: str) -> None:
    chunk({"type": "image", "data": "aGk=", "mimeType": "image/png"})
    chunk({"type": "resource_link", "uri": "file:///etc/passwd", "name": "passwd"})
    chunk(None)


def ask_for_files(_: str) -> None:
    requests = {
        "fs/read_text_file": {"path": "/etc/passwd"},
        "terminal/create": {"command": "touch"},
        "session/request_permission": ["no object"],
    }
    for number, (method, params) in enumerate(requests.items()):
        say(str(ask(f"a{number}", method, params).get("error", {}).get("message", "cancelled")) + "\n")


def ask_for_ever(_: str) -> None:
    options = [{"optionId": "a", "name": "Yes", "kind": "allow_always"}]
    for number in range(10_000):
        ask(number, "session/request_permission", {"toolCall": {"title": f"rm {number}"}, "options": options})


def ask_often(_: str) -> None:
    for number in range(30):
        ask(number, "session/request_permission", {"toolCall": {"title": f"rm {number}"}, "options": []})


def leave_a_child(log: str) -> None:
    """Start a program that ignores its end and holds the output open."""
    ignore = "import os, signal, sys, time; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    write = f"print(os.getpid(), file=open({log!r}, 'w'), flush=True); print(flush=True); time.sleep(600)"
    child = subprocess.Popen([sys.executable, "-I", "-S", "-c", f"{ignore}; {write}"])
    while not (os.path.exists(log) and os.path.getsize(log)):
        assert child.poll() is None
        time.sleep(0.01)


def leave_a_child_and_die(log: str) -> None:
    leave_a_child(log)
    os._exit(1)


def write_for_ever(piece: str) -> None:
    while True:
        sys.stdout.write(piece)


def talk_for_ever(_: str) -> None:
    while True:
        say("words " * 1000)


def think_for_ever(_: str) -> None:
    while True:
        chunk({"type": "text", "text": "hm"}, "agent_thought_chunk")


def die(_: str) -> None:
    say("half an")
    os._exit(1)


def stay(_: str) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)


MANNERS: Mapping[str, Callable[[str], None]] = {
    "media": send_media,
    "files": ask_for_files,
    "asks": ask_for_ever,
    "asks-often": ask_often,
    "child": leave_a_child,
    "child-and-dies": leave_a_child_and_die,
    "line": lambda _: write_for_ever("z" * 65536),
    "words": talk_for_ever,
    "thoughts": think_for_ever,
    "dies": die,
    "stays": stay,
}
"""What it does before it answers."""

RESULTS: Mapping[str, Mapping[str, Any]] = {
    "old": {"initialize": {"result": {"protocolVersion": 99}}},
    "empty": {"initialize": {"result": None}},
    "no-session": {"session/new": {"result": {"sessionId": 5}}},
    "odd-error": {"session/prompt": {"error": "boom"}},
    "odd-usage": {
        "session/prompt": {
            "result": {"stopReason": "new", "usage": {"inputTokens": -5, "outputTokens": True, "cachedReadTokens": "x"}}
        }
    },
}
"""What it answers in place of what is right."""

USUAL: Mapping[str, Any] = {
    "initialize": {"result": {"protocolVersion": 1}},
    "session/new": {"result": {"sessionId": "s", "modes": [], "configOptions": {}}},
    "session/prompt": {"result": {"stopReason": "end_turn"}},
}

GARBAGE = b'Hello\n[1, 2]\n{bad\n\xff\xfe\n"text"\nnull\n\n%s\n{"id": [1], "result": {}}\n{"id": 77}\n' % (
    b"[" * 100_000
)


def main(manner: str, log: str) -> None:
    """Answer until the input ends."""
    if manner == "garbage":
        sys.stdout.buffer.write(GARBAGE)
        sys.stdout.flush()
    for line in sys.stdin:
        message = json.loads(line)
        answer = RESULTS.get(manner, {}).get(message["method"]) or USUAL[message["method"]]
        if message["method"] == "session/prompt":
            MANNERS.get(manner, lambda _: None)(log)
            say(WORDS)
            if manner == "unended":
                sys.stdout.write(json.dumps({"id": message["id"], **answer}))
                break
        send(id=message["id"], **answer)
    while manner == "stays":
        time.sleep(60)


if __name__ == "__main__":
    main(*sys.argv[1:])
