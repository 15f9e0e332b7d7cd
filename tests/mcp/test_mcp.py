"""`ptx-analyzer mcp`, driven by the official client library, and by hostile clients over the pipes."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import anyio
import jsonschema
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters
from mcp.shared.exceptions import MCPError
from wire import LEGACY, PATIENCE, PROGRAM, ROOT, Wire, arguments, text

KERNELS = ROOT / "tests/kernels"
HEADER = ".version 8.5\n.target sm_90\n.address_size 64\n"
BROKEN = HEADER + ".visible .entry k()\n{\n    .reg .f32 %f<3>;\n    mul.f32.rnd %f1, %f2, %f2;\n    ret;\n}\n"
# Seconds pass before the limit of steps ends a run of this.
ENDLESS = HEADER + """.visible .entry k()
{
    .reg .f32 %f<3>;
    mov.b32 %f1, 0f3F800000;
L:  fma.rn.f32 %f1, %f1, %f1, %f1;
    sin.approx.f32 %f2, %f1;
    mul.f32 %f1, %f2, %f1;
    bra L;
}
"""
TOOLS = ["check", "explain", "complete", "registers", "evaluate", "search"]

# An input of each tool that it answers, with words of the answer; and one that it refuses, with words of the reason.
GOOD = {
    "check": ({"text": BROKEN}, 'fix: replace 7:12-16 by ".rn"'),
    "explain": ({"query": "fma.rn.f32"}, "single rounding"),
    "complete": ({"text": BROKEN, "line": 7, "column": 13}, ".rn"),
    "registers": ({"path": "wgmma_tile.ptx"}, "wgmma_tile (line 27)"),
    "evaluate": ({"path": "saxpy.ptx", "line": 37, "lanes": [0]}, "8 of 8 expectations hold"),
    "search": ({"query": "bank conflict"}, "topic Bank conflict"),
}
BAD = {
    "check": ({"text": BROKEN, "target": "gfx90a"}, "such as sm_90a"),
    "explain": ({"query": "fmaa"}, "did you mean `fma`"),
    "complete": ({"text": "", "line": 9, "column": 1}, "there is no line 9"),
    "registers": ({}, "as `text`, or in a file as `path`"),
    "evaluate": ({"path": "saxpy.ptx", "launch": "gird=1"}, "did you mean `grid`"),
    "search": ({"query": "qwertzuiop"}, "use other words"),
}

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def server(*roots: str | Path) -> StdioServerParameters:
    return StdioServerParameters(command=PROGRAM, args=arguments(*roots))


async def said(client: Client, name: str, error: bool = False, **arguments: object) -> str:
    result = await client.call_tool(name, arguments)
    assert result.is_error == error, result
    [content] = result.content
    return content.text


# The handshake that clients have used until 2026, and the one without a session.
@pytest.mark.parametrize(("mode", "version"), [("legacy", LEGACY), ("auto", "2026-07-28")])
async def test_every_tool(mode: str, version: str) -> None:
    async with Client(server(KERNELS), mode=mode) as client:
        assert client.session.protocol_version == version
        tools = (await client.list_tools()).tools
        assert [tool.name for tool in tools] == TOOLS
        for tool in tools:
            jsonschema.Draft202012Validator.check_schema(tool.input_schema)
            assert tool.annotations.read_only_hint and not tool.annotations.open_world_hint
            for example, is_error in ((GOOD[tool.name], False), (BAD[tool.name], True)):
                given, words = example
                if not is_error:
                    jsonschema.validate(given, tool.input_schema)
                assert words in await said(client, tool.name, error=is_error, **given)


async def test_structured_answers() -> None:
    async with Client(server(KERNELS)) as client:
        found = await client.call_tool("check", {"text": BROKEN, "json": True})
        assert found.structured_content["diagnostics"][0]["code"] == "unknown-modifier"
        run = await client.call_tool("evaluate", {"path": "saxpy.ptx", "json": True})
        assert run.structured_content["status"] == "finished"
        plain = await client.call_tool("check", {"text": BROKEN})
        assert plain.structured_content is None


async def test_mistakes_of_clients() -> None:
    async with Client(server()) as client:
        with pytest.raises(MCPError, match="there is no tool `nonsense`; the tools are check"):
            await client.call_tool("nonsense", {})
        for given, words in [
            ({"text": 5}, "must be a string"),
            ({"text": ["a"]}, "must be a string"),
            ({"text": "", "max": "many"}, "whole number"),
            ({"text": "", "colour": 1}, "has no argument `colour`"),
            ({"path": 5}, "must be a string"),
            ({"path": "saxpy.ptx"}, "--root"),
        ]:
            assert words in await said(client, "check", error=True, **given)
        assert "nothing found" in await said(client, "check", text=HEADER)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with links that lead out of it, beside a secret."""
    (tmp_path / "secret.ptx").write_text(BROKEN)
    inside = tmp_path / "in"
    (inside / "deep").mkdir(parents=True)
    (inside / "deep/k.ptx").write_text(HEADER)
    (inside / "link.ptx").symlink_to("deep/k.ptx")
    (inside / "out.ptx").symlink_to(tmp_path / "secret.ptx")
    (inside / "up").symlink_to("..")
    (inside / "zero.ptx").symlink_to("/dev/zero")
    os.mkfifo(inside / "pipe.ptx")
    with open(inside / "huge.ptx", "wb") as huge:
        huge.truncate(40_000_000)
    return inside


@pytest.mark.parametrize("mode", ["legacy", "auto"])
@pytest.mark.parametrize("named_by", ["user", "client"])
async def test_files_only_in_the_folders(folder: Path, named_by: str, mode: str) -> None:
    asked = 0

    async def roots(_: object) -> types.ListRootsResult:
        nonlocal asked
        asked += 1
        return types.ListRootsResult(roots=[types.Root(uri=folder.as_uri()), types.Root(uri="file://host/share")])

    client = Client(server(folder), mode=mode) if named_by == "user" else Client(server(), mode=mode, list_roots_callback=roots)
    async with client:
        for path in ["deep/k.ptx", "link.ptx", "./deep/k.ptx", str(folder / "deep/k.ptx")]:
            assert "nothing found" in await said(client, "check", path=path)
        for path, words in [
            ("../secret.ptx", "without `..`"),
            ("deep/../../secret.ptx", "without `..`"),
            ("up/secret.ptx", "outside"),
            ("up/none.ptx", "outside"),
            ("out.ptx", "outside"),
            ("zero.ptx", "outside"),
            (str(folder.parent / "secret.ptx"), "in none of the folders"),
            ("/etc/passwd", "in none of the folders"),
            ("//host/share/k.ptx", "is not read"),
            ("\\\\host\\share\\k.ptx", "is not read"),
            ("", "is not read"),
            ("k\0.ptx", "is not read"),
            ("pipe.ptx", "it is not a regular file"),
            ("deep", "it is not a regular file"),
            ("huge.ptx", "the maximum is 32000000"),
            ("none.ptx", "No such file"),
        ]:
            answer = await said(client, "check", error=True, path=path)
            assert words in answer and "unknown-modifier" not in answer, (path, answer)
    assert (asked > 0) == (named_by == "client")
    if (named_by, mode) == ("client", "legacy"):
        assert asked == 1


async def test_folders_that_change(tmp_path: Path) -> None:
    (tmp_path / "k.ptx").write_text(HEADER)
    with Wire() as wire:
        wire.begin({"roots": {"listChanged": True}})
        for number, roots in enumerate([[], [{"uri": tmp_path.as_uri()}]]):
            wire.call(number, "check", {"path": "k.ptx"})
            question = wire.next()
            assert question["method"] == "roots/list"
            wire.send({"id": question["id"], "result": {"roots": roots}})
            answer = text(wire.answer(number), error=not roots)
            assert ("nothing found" if roots else "--root") in answer
            wire.send({"method": "notifications/roots/list_changed"})
        # A client that answers with an error has no folders.
        wire.call("error", "check", {"path": "k.ptx"})
        wire.send({"id": wire.next()["id"], "error": {"code": -32603, "message": "no"}})
        assert "--root" in text(wire.answer("error"), error=True)


async def test_odd_texts() -> None:
    with Wire() as wire:
        wire.begin()
        wire.call("nul", "check", {"text": HEADER + "\0\0\x1b[31m"})
        assert "error" in text(wire.answer("nul"))
        wire.call("large", "check", {"text": " " * 35_000_000})
        assert "35000000 bytes" in text(wire.answer("large"), error=True)
        wire.call("deep", "check", {"text": HEADER + "{" * 100_000})
        assert "error" in text(wire.answer("deep"))
        wire.call("empty", "check", {"text": ""})
        assert "error[module-header]" in text(wire.answer("empty"))
        for name, given in [("registers", {}), ("evaluate", {}), ("complete", {"line": 1, "column": 1})]:
            wire.call(name, name, {"text": "\0", **given})
            assert wire.answer(name)["result"]["content"]
        wire.call("long", "explain", {"query": "qwertz " * 100_000})
        assert len(text(wire.answer("long"), error=True)) < 2000
        assert wire.end() == 0


async def test_lines_that_are_no_messages() -> None:
    with Wire() as wire:
        wire.begin()
        # Unparsable lines are answered: with the id, if it can be read, else without one.
        for line in [b'{"jsonrpc":"2.0","id":1,"meth\n', b"\xff\xfe\n", b"\n", b"\0\n", b"[" * 100_000 + b"\n", b"nonsense\n"]:
            wire.raw(line)
        wire.asked[1] = "nonsense"
        errors = [wire.next() for _ in range(5)]
        assert [(e.get("id"), e["error"]["code"]) for e in errors] == [(1, -32700), *[(None, -32700)] * 4]
        # Halves of a message, with time between them.
        whole = b'{"jsonrpc":"2.0","id":"halves","method":"tools/call","params":{"name":"search","arguments":{"query":"warp"}}}\n'
        wire.asked["halves"] = "tools/call"
        wire.raw(whole[:50])
        time.sleep(0.1)
        wire.raw(whole[50:])
        assert "topic Warp" in text(wire.answer("halves"))
        # JSON that is not a message, messages without a method that the server knows.
        wire.raw(b'{"a":1}\n')
        assert wire.next()["error"]["code"] == -32600
        wire.ask("unknown", "nonsense/method")
        assert wire.answer("unknown")["error"]["code"] == -32601
        wire.ask("resources", "resources/read", {"uri": "file:///etc/passwd"})
        assert wire.answer("resources")["error"]["code"] == -32601
        wire.ask("shape", "tools/call", {"name": 5})
        assert wire.answer("shape")["error"]["code"] == -32602
        # Half of a surrogate pair, as JavaScript writes it.
        wire.asked["half"] = "tools/call"
        wire.raw(b'{"jsonrpc":"2.0","id":"half","method":"tools/call","params":{"name":"search","arguments":{"query":"warp \\ud83d"}}}\n')
        assert wire.answer("half")["result"]["content"]
        wire.ask("alive", "tools/list")
        assert len(wire.answer("alive")["result"]["tools"]) == len(TOOLS)
        assert wire.end() == 0


async def test_a_session_says_what_it_is() -> None:
    with Wire() as wire:
        result = wire.begin()
        assert result["protocolVersion"] == LEGACY
        assert result["serverInfo"]["name"] == "ptx-analyzer"
        assert "check" in result["instructions"] and len(result["instructions"]) < 1200
        assert list(result["capabilities"]) == ["tools"]
        wire.ask("ping", "ping")
        assert wire.answer("ping")["result"] == {}
        assert wire.end() == 0 and wire.log == []


async def test_a_thousand_requests_at_once() -> None:
    with Wire(KERNELS) as wire:
        wire.begin()
        for number in range(1000):
            name = TOOLS[number % len(TOOLS)]
            wire.call(number, name, GOOD[name][0])
        found = {}
        while len(found) < 1000:
            message = wire.next()
            assert message["id"] not in found
            found[message["id"]] = message
        for number, message in found.items():
            name = TOOLS[number % len(TOOLS)]
            assert GOOD[name][1] in text(message)


async def test_requests_run_side_by_side_and_can_be_cancelled() -> None:
    with Wire() as wire:
        wire.begin()
        # More runs without end than there are threads for them; a check answers at once.
        for number in range(4):
            wire.call(number, "evaluate", {"text": ENDLESS, "launch": "grid=64 block=1024"})
        wire.call("short", "check", {"text": HEADER})
        assert "nothing found" in text(wire.answer("short"))
        for number in range(4):
            wire.send({"method": "notifications/cancelled", "params": {"requestId": number}})
        # A cancelled request has no answer, and its thread is free again.
        start = time.monotonic()
        wire.call("next", "evaluate", {"text": BROKEN.replace(".rnd", ".rn")})
        assert "finished" in text(wire.answer("next"))
        assert time.monotonic() - start < 10
        wire.send({"method": "notifications/cancelled", "params": {"requestId": "nonsense"}})
        assert wire.end() == 0


async def test_cancelling_with_the_library() -> None:
    async with Client(server()) as client:
        with anyio.move_on_after(0.5) as scope:
            await client.call_tool("evaluate", {"text": ENDLESS, "launch": "grid=64 block=1024"})
        assert scope.cancelled_caught
        assert "nothing found" in await said(client, "check", text=HEADER)


async def test_clients_that_go_away() -> None:
    # In the middle of a run.
    with Wire() as wire:
        wire.begin()
        wire.call("run", "evaluate", {"text": ENDLESS, "launch": "grid=64 block=1024"})
        time.sleep(0.2)
        start = time.monotonic()
        assert wire.end() == 0
        assert time.monotonic() - start < 5
    # Without reading an answer.
    with Wire() as wire:
        wire.begin()
        for number in range(50):
            wire.call(number, "explain", {"query": "mma", "all": True})
        wire.process.stdout.close()
        assert wire.end() == 0
    # Before the session, and in the middle of a line.
    for line in [b"", b'{"jsonrpc":"2.0",']:
        done = subprocess.run([PROGRAM, "mcp"], input=line, capture_output=True, timeout=PATIENCE)
        assert (done.returncode, done.stdout) == (0, b"")


async def test_answers_to_a_script() -> None:
    """All at once on standard input, as from a file."""
    lines = [
        '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"0"}}}',
        '{"jsonrpc":"2.0","method":"notifications/initialized"}',
        '{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"query":"warp"}}}',
    ]
    done = subprocess.run([PROGRAM, "mcp"], input="\n".join(lines) + "\n", capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0 and len(done.stdout.splitlines()) == 2 and "topic Warp" in done.stdout


async def test_folders_that_do_not_exist() -> None:
    for root, words in [("nonsense", "No such file"), (PROGRAM, "not a folder")]:
        done = subprocess.run([PROGRAM, *arguments(root)], input=b"", capture_output=True, timeout=PATIENCE)
        assert done.returncode == 2 and words in done.stderr.decode()
