"""A session over the pipes of the server, message by message. Each message from the server is validated with the types of the protocol."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from mcp_types import methods
from pydantic import TypeAdapter

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("PTX_ANALYZER", str(ROOT / "target/release/ptx-analyzer"))
LEGACY = "2025-11-25"
# Seconds for one answer; the machine may be busy.
PATIENCE = 60


def arguments(*roots: str | Path) -> list[str]:
    return ["mcp", *(word for root in roots for word in ("--root", str(root)))]


def unknown_keys(sent: Any, parsed: Any, place: str = "") -> list[str]:
    """The keys of a message that its type does not have."""
    out = []
    if isinstance(sent, dict) and isinstance(parsed, dict):
        for key, value in sent.items():
            out += unknown_keys(value, parsed[key], f"{place}.{key}") if key in parsed else [f"{place}.{key}"]
    elif isinstance(sent, list) and isinstance(parsed, list):
        for index, (one, other) in enumerate(zip(sent, parsed)):
            out += unknown_keys(one, other, f"{place}[{index}]")
    return out


class Wire:
    """A server, spoken to in lines."""

    def __init__(self, *roots: str | Path, version: str = LEGACY) -> None:
        self.process = subprocess.Popen(
            [PROGRAM, *arguments(*roots)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        self.version = version
        self.asked: dict[Any, str] = {}
        self.messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
        self.log: list[bytes] = []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=lambda: self.log.extend(self.process.stderr), daemon=True).start()

    def __enter__(self) -> Wire:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    def _read(self) -> None:
        # A test may close this pipe.
        with suppress(ValueError):
            for line in self.process.stdout:
                self.messages.put(json.loads(line))
        self.messages.put(None)

    def raw(self, data: bytes) -> None:
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: dict[str, Any]) -> None:
        self.raw(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")

    def ask(self, number: Any, method: str, params: dict[str, Any] | None = None) -> None:
        self.asked[number] = method
        self.send({"id": number, "method": method, "params": params or {}})

    def call(self, number: Any, name: str, arguments: dict[str, Any], **more: Any) -> None:
        self.ask(number, "tools/call", {"name": name, "arguments": arguments, **more})

    def next(self, patience: float = PATIENCE) -> dict[str, Any] | None:
        """The next message, valid; `None` at the end."""
        message = self.messages.get(timeout=patience)
        if message is not None:
            self.validate(message)
        return message

    def answer(self, number: Any) -> dict[str, Any]:
        """The answer to a request; no other message may come before it."""
        message = self.next()
        assert message is not None and message.get("id") == number, message
        return message

    def validate(self, message: dict[str, Any]) -> None:
        assert message["jsonrpc"] == "2.0"
        if "method" in message:
            method, params = message["method"], message.get("params")
            body = {"jsonrpc": "2.0", "method": method, **({"params": params} if params is not None else {})}
            table = methods.SERVER_REQUESTS if "id" in message else methods.SERVER_NOTIFICATIONS
            body |= {"id": message["id"]} if "id" in message else {}
            table[(method, self.version)].model_validate(body)
        elif "error" in message:
            assert set(message) <= {"jsonrpc", "id", "error"}, message
            assert set(message["error"]) <= {"code", "message", "data"} and isinstance(message["error"]["code"], int), message
            assert isinstance(message["error"]["message"], str), message
        else:
            assert set(message) == {"jsonrpc", "id", "result"}, message
            kind = TypeAdapter(methods.SERVER_RESULTS[(self.asked[message["id"]], self.version)])
            parsed = kind.validate_python(message["result"])
            dumped = kind.dump_python(parsed, by_alias=True, mode="json", exclude_none=True)
            assert unknown_keys(message["result"], dumped) == [], message

    def begin(self, capabilities: dict[str, Any] | None = None) -> dict[str, Any]:
        """Begins a session with a handshake."""
        client = {"name": "test", "version": "0"}
        self.ask("begin", "initialize", {"protocolVersion": self.version, "capabilities": capabilities or {}, "clientInfo": client})
        result = self.answer("begin")["result"]
        self.send({"method": "notifications/initialized"})
        return result

    def end(self) -> int:
        """Closes the input, and returns the exit status."""
        self.process.stdin.close()
        return self.process.wait(timeout=PATIENCE)


def text(message: dict[str, Any], error: bool = False) -> str:
    """The text of the answer to a call."""
    result = message["result"]
    assert result.get("isError", False) == error, result
    [content] = result["content"]
    return content["text"]
