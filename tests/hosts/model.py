"""A scripted model: one loopback server that speaks the Anthropic Messages API and OpenAI chat completions.

The client is real, the model is a list of replies. What a test asserts is what reached the model, so every
request is kept as a `Request`. Requests without tools (titles, summaries) are answered beside the script.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar

JSON = dict[str, Any]

PATIENCE = 30.0  # seconds a test waits for a request before it fails


@dataclass(frozen=True)
class Call:
    """A tool call that the model makes; *input* as the client's tool expects it."""

    name: str
    input: JSON


@dataclass(frozen=True)
class Reply:
    """What the model answers: text, tool calls, or both."""

    text: str = ""
    calls: tuple[Call, ...] = ()


def call(name: str, /, **arguments: Any) -> Reply:
    """A reply that is one tool call."""
    return Reply(calls=(Call(name, arguments),))


@dataclass(frozen=True)
class Request:
    """One request that reached the model, in either wire form."""

    body: JSON

    @property
    def main(self) -> bool:
        """A turn of the conversation, not a title or a summary."""
        return bool(self.body.get("tools"))

    @property
    def messages(self) -> list[JSON]:
        return list(self.body.get("messages", []))

    @property
    def said(self) -> str:
        """Everything the model can read: system prompt, every message, the tools' results."""
        return flatten([self.body.get("system"), self.messages])

    @property
    def fresh(self) -> str:
        """What is new since the model's last answer: the prompt and all that hooks and the client add to it.

        The system prompt, which Kimi Code sends as the first message, is no part of it.
        """
        messages = self.messages[1:] if self.messages[0]["role"] == "system" else self.messages
        answers = [i for i, message in enumerate(messages) if message["role"] == "assistant"]
        return flatten(messages[answers[-1] + 1 :] if answers else messages)


Line = Reply | str | Callable[[Request], "Reply | str"]
"""One line of a script: a reply, its text, or a function of the request for what only the client tells."""


def flatten(node: object) -> str:
    """All text of a message tree, in order, one piece a line."""
    if isinstance(node, str):
        return node
    if isinstance(node, list):
        return "\n".join(filter(None, map(flatten, node)))
    if isinstance(node, dict):
        return flatten([node[key] for key in ("text", "content", "input") if key in node])
    return "" if node is None else str(node)


class Model:
    """The server and its script. Use it as a context manager; the port is the kernel's choice."""

    def __init__(self) -> None:
        self._turn = threading.Condition()
        self._script: list[Line] = []
        self.requests: list[Request] = []
        self.asides: list[Request] = []
        self._server = _Server(("127.0.0.1", 0), type("Handler", (_Handler,), {"model": self}))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Model:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *lines: Line) -> None:
        """Replace what is left of the script. After its end the model says `done`."""
        with self._turn:
            self._script = list(lines)

    def answer(self, body: JSON) -> Reply:
        """Keep the request and take the next reply."""
        request = Request(body)
        with self._turn:
            if not request.main:
                self.asides.append(request)
                return Reply("An aside.")
            self.requests.append(request)
            self._turn.notify_all()
            line = self._script.pop(0) if self._script else "done"
        reply = line(request) if callable(line) else line
        return Reply(reply) if isinstance(reply, str) else reply

    def wait(self, count: int) -> Request:
        """Block until *count* requests have arrived in all; return the last of them."""
        with self._turn:
            if not self._turn.wait_for(lambda: len(self.requests) >= count, PATIENCE):
                raise AssertionError(f"{len(self.requests)} of {count} requests after {PATIENCE:.0f} s")
            return self.requests[count - 1]

    @property
    def last(self) -> Request:
        return self.requests[-1]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no news."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    model: ClassVar[Model]

    def log_message(self, *_: object) -> None:
        """stderr belongs to pytest."""

    def do_HEAD(self) -> None:
        self._answer({})

    def do_GET(self) -> None:
        self._answer({"object": "list", "data": [], "has_more": False})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers.get("content-length") or 0)) or b"{}")
        path = self.path.split("?")[0]
        wire = next((wire for ending, wire in WIRES.items() if path.endswith(ending)), None)
        if path.endswith("/count_tokens"):
            self._answer({"input_tokens": len(json.dumps(body)) // 4})
        elif wire is None:
            self._answer({"error": {"type": "not_found_error", "message": path}}, 404)
        else:
            self._stream(wire(self.model.answer(body), body))

    def _answer(self, body: JSON, status: int = 200) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def _stream(self, events: Iterator[tuple[str, JSON | str]]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in events:
            event = f"event: {name}\n" if name else ""
            self.wfile.write(
                f"{event}data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
            )
        self.close_connection = True


@dataclass
class _Ids:
    """Ids of messages and tool calls, distinct over the life of the process."""

    count: int = 0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def next(self, prefix: str) -> str:
        with self.lock:
            self.count += 1
            return f"{prefix}_{self.count:06d}"


_ids = _Ids()


def _anthropic(reply: Reply, body: JSON) -> Iterator[tuple[str, JSON | str]]:
    usage = {"input_tokens": len(json.dumps(body)) // 4, "output_tokens": 10}
    message = {"id": _ids.next("msg"), "type": "message", "role": "assistant", "model": body.get("model")}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    yield _event("message_start", message=message)
    for index, (opening, delta) in enumerate(_blocks(reply)):
        yield _event("content_block_start", index=index, content_block=opening)
        yield _event("content_block_delta", index=index, delta=delta)
        yield _event("content_block_stop", index=index)
    stop = {"stop_reason": "tool_use" if reply.calls else "end_turn", "stop_sequence": None}
    yield _event("message_delta", delta=stop, usage=usage)
    yield _event("message_stop")


def _event(kind: str, **fields: object) -> tuple[str, JSON]:
    return kind, {"type": kind, **fields}


def _blocks(reply: Reply) -> Iterator[tuple[JSON, JSON]]:
    if reply.text:
        yield {"type": "text", "text": ""}, {"type": "text_delta", "text": reply.text}
    for made in reply.calls:
        opening = {"type": "tool_use", "id": _ids.next("toolu"), "name": made.name, "input": {}}
        yield opening, {"type": "input_json_delta", "partial_json": json.dumps(made.input)}


def _openai(reply: Reply, body: JSON) -> Iterator[tuple[str, JSON | str]]:
    head = {"id": _ids.next("chatcmpl"), "object": "chat.completion.chunk", "created": 1}
    head["model"] = body.get("model")

    def chunk(delta: JSON, finish: str | None = None) -> tuple[str, JSON]:
        return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}

    yield chunk({"role": "assistant", "content": reply.text})
    for index, made in enumerate(reply.calls):
        function = {"name": made.name, "arguments": json.dumps(made.input)}
        one = {"index": index, "id": _ids.next("call"), "type": "function", "function": function}
        yield chunk({"tool_calls": [one]})
    yield chunk({}, "tool_calls" if reply.calls else "stop")
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    yield "", {**head, "choices": [], "usage": usage}
    yield "", "[DONE]"


WIRES: dict[str, Callable[[Reply, JSON], Iterator[tuple[str, JSON | str]]]] = {
    "/v1/messages": _anthropic,
    "/chat/completions": _openai,
}
