"""A client that validates every message in both directions."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
import time
from pathlib import Path
from typing import Any, Callable

import offers
import validation

ROOT = Path(__file__).resolve().parents[2]
SERVER = os.environ.get("PTX_ANALYZER", str(ROOT / "target/release/ptx-analyzer"))

# Upper limit for every wait in seconds, with a margin for a busy machine.
TIMEOUT = 60.0


class Client:
    """A server and the pipes to it. The client answers the server's requests immediately."""

    def __init__(self) -> None:
        self.process = subprocess.Popen([SERVER], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.incoming: queue.Queue[dict | None] = queue.Queue()
        self.questions: dict[int, str] = {}
        self.parts: dict[Any, str] = {}
        self.answers: dict[int, dict] = {}
        # Requests and notifications of the server, in the order of arrival.
        self.heard: list[dict] = []
        # Each answer with its method and parameters.
        self.log: list[tuple[str, dict, dict]] = []
        self.params: dict[int, dict] = {}
        self.settings: Any = {}
        self.capabilities: dict = {}
        self.offered: dict = {}
        self.versions: dict[str, int] = {}
        self.last = 0
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        out = self.process.stdout
        while True:
            length = 0
            while line := out.readline().strip():
                name, _, value = line.partition(b": ")
                if name.lower() == b"content-length":
                    length = int(value)
            body = out.read(length)
            # The stream has ended, possibly in the middle of a message.
            if not body or len(body) < length:
                return self.incoming.put(None)
            self.incoming.put(json.loads(body))

    def raw(self, message: dict) -> None:
        """Sends a message unchanged."""
        body = json.dumps(message, ensure_ascii=False).encode()
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self.process.stdin.flush()

    def notify(self, method: str, params: Any = None) -> None:
        message = {"jsonrpc": "2.0", "method": method}
        if params is not None:
            message["params"] = params
        validation.to_server(message)
        self.raw(message)

    def request(self, method: str, params: Any = None, checked: bool = True) -> int:
        """Sends a request without waiting for the answer."""
        self.last += 1
        message = {"jsonrpc": "2.0", "id": self.last, "method": method}
        if params is not None:
            message["params"] = params
        if checked:
            validation.to_server(message)
        self.questions[self.last] = method
        self.params[self.last] = params
        if params and "partialResultToken" in params:
            self.parts[params["partialResultToken"]] = method
        self.raw(message)
        return self.last

    def _handle(self, message: dict) -> None:
        if "method" in message:
            validation.from_server(message, self.parts)
            self.heard.append(message)
            if "id" in message:
                result = None
                if message["method"] == "workspace/configuration":
                    result = [self.settings for _ in message["params"]["items"]]
                elif message["method"] == "window/showDocument":
                    result = {"success": True}
                elif message["method"] == "workspace/applyEdit":
                    result = {"applied": True}
                self.raw({"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            method = self.questions.pop(message["id"])
            validation.response(method, message)
            self.answers[message["id"]] = message
            self.log.append((method, self.params.pop(message["id"]), message))

    def pump(self, until: Callable[[], bool], patience: float = TIMEOUT) -> bool:
        """Handles messages until a condition is true; returns whether it became true."""
        deadline = time.monotonic() + patience
        while not until():
            try:
                message = self.incoming.get(timeout=max(0.0, deadline - time.monotonic()))
            except queue.Empty:
                return False
            if message is None:
                return until()
            self._handle(message)
        return True

    def answer(self, number: int) -> dict:
        assert self.pump(lambda: number in self.answers), f"no answer to {self.questions.get(number)}"
        return self.answers.pop(number)

    def call(self, method: str, params: Any = None) -> Any:
        """Returns the result of a request; an error fails the test."""
        message = self.answer(self.request(method, params))
        assert "error" not in message, f"{method}: {message['error']}"
        return message["result"]

    def begin(self, capabilities: dict, *folders: Path, **more: Any) -> None:
        self.offered = offers.meant(capabilities)
        params = {"processId": os.getpid(), "rootUri": None, "capabilities": capabilities, **more}
        if folders:
            params["workspaceFolders"] = [{"uri": f.as_uri(), "name": f.name} for f in folders]
        # Real editors have capabilities beyond the protocol, so do not validate theirs.
        message = self.answer(self.request("initialize", params, checked="clientInfo" not in more))
        self.capabilities = message["result"]["capabilities"]
        self.notify("initialized", {})

    def open(self, uri: str, text: str) -> None:
        self.versions[uri] = 1
        document = {"uri": uri, "languageId": "ptx", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": document})

    def change(self, uri: str, changes: list) -> None:
        self.versions[uri] += 1
        document = {"uri": uri, "version": self.versions[uri]}
        self.notify("textDocument/didChange", {"textDocument": document, "contentChanges": changes})

    def close(self, uri: str) -> None:
        self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})

    def of(self, method: str) -> list[dict]:
        """Returns the server's messages with this method."""
        return [m for m in self.heard if m["method"] == method]

    def end(self) -> None:
        """Ends the session in an orderly way; the pipe stays open."""
        assert self.call("shutdown") is None
        self.notify("exit")
        assert self.process.wait(10) == 0

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        self.process.stdin.close()
