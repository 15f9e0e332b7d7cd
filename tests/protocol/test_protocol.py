"""Whole sessions with every kind of client; all messages in both directions are validated against the protocol's types.

A test fails if an announced capability is not exercised here, or if all of its answers are empty.
"""

from __future__ import annotations

import json
import os
import re
import time
from pathlib import Path

import exercises
import offers
import pytest
from client import ROOT, Client
from offers import clients, get, too_much, uninvited

# A small module with all features: functions that call each other, branches, registers of many kinds, a diagnostic with a fix,
# one with a second position, a deprecated form, a source file, a URL, other line breaks and alphabets.
RICH = """\
// A module with a little of everything 😀 é: https://docs.nvidia.com/cuda/parallel-thread-execution/
.version 8.5\r
.target sm_90
.address_size 64
.file 1 "rich.cu"
.extern .shared .align 16 .b8 dynamic[];
.const .align 4 .f32 table[4] = { 0f3F800000, 0f40000000, 3.0, 4.0 };
.global .u32 counter;
.func (.param .b32 out) square(.param .b32 x)
{
    .reg .b32 %r<4>;
    ld.param.u32 %r1, [x]; /* ü 😀 */ mul.lo.u32 %r2, %r1, %r1;
    st.param.b32 [out], %r2;
    ret;
}
//#region kernels
.visible .entry rich(.param .u64 p, .param .u32 n)
{
    .reg .pred %p<3>; .reg .b32 %r<12>; .reg .f32 %f<8>; .reg .b64 %rd<4>; .reg .b16 %h<3>;
    .loc 1 7 3
    ld.param.u64 %rd1, [p];
    ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x;
    setp.ge.u32 %p1, %r2, %r1;
    @%p1 bra $L_end;
    mul.wide.u32 %rd2, %r2, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.f32 %f1, [%rd3+12];
    fma.rn.f32 %f2, %f1, 0f3F800000, %f1;
    lop3.b32 %r3, %r1, %r2, %r1, 0xE8;
    mov.b32 %r9, -0x80000000;
    add.f32 %f3, %f2, 1.5;
    {
        .param .b32 a; .param .b32 b;
        st.param.b32 [a], %r3;
        call (b), square, (a);
        ld.param.b32 %r4, [b];
    }
    shfl.sync.down.b32 %r5|%p2, %r4, 1, 31, -1;
    atom.global.add.u32 %r6, [counter], %r5;
    st.global.v2.f32 [%rd3], {%f2, %f3};
$L_end:
    ret;
}
//#endregion
"""

# An unfinished text with errors.
BROKEN = """\
.version 8.0
.target sm_70
.entry broken(.param .u64 p)
{
    .reg .b32 %r<3>;
    .reg .f32 %f1;
    ad.u32 %r1, %r2, 1;
    add.u32 %r1, %f1, %undeclared;
    ld.global.
    add.rn.f32 %f1, %f1,
    bra $nowhere;
    redux.sync.add.s32 %r1, %r2, 0xffffffff;
    vote.all.pred %p1, %p2;
    @%p
"""

TEXTS = {"rich.ptx": RICH, "broken.ptx": BROKEN, "empty.ptx": "", "book.ptx": "<?xml version='1.0'?>\n<pretext/>\n"}

# Requests that may return nothing for these texts; the Rust tests check their results.
MAY_BE_SILENT = {"textDocument/semanticTokens/full/delta"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).write_text(text, newline="")
    (tmp_path / "rich.cu").write_text("__global__ void rich() {}\n")
    (tmp_path / "unopened.ptx").write_text(BROKEN.replace("broken", "unopened"))
    for kernel in sorted((ROOT / "tests/kernels").glob("*.ptx"))[:4]:
        (tmp_path / kernel.name).write_text(kernel.read_text())
    return tmp_path


@pytest.fixture
def client():
    client = Client()
    yield client
    client.kill()


# A script that poses as NVIDIA's assembler.
PTXAS = """\
#!/bin/sh
if [ "$*" = --version ]; then
  echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'
  echo 'Cuda compilation tools, release 13.5, V13.5.37'
else
  echo "ptxas info    : Compiling entry function 'rich' for 'sm_90'"
  echo 'ptxas info    : Used 12 registers, used 0 barriers, 380 bytes cmem[0]'
  echo object >module.o
fi
"""

NVDISASM = """\
#!/bin/sh
if [ "$*" = --version ]; then
  echo 'nvdisasm: NVIDIA (R) CUDA disassembler'
  echo 'Cuda compilation tools, release 13.5, V13.5.37'
else
  echo ' .section .text.rich,"ax",@progbits'
  echo '        //## File ".nv_debug_ptx_txt", line 24'
  echo '        /*0000*/                   EXIT ;            // |   1   |'
fi
"""


def assembler(folder: Path) -> dict:
    """Returns options with NVIDIA's programs outside the project folder: the server executes no program of a project."""
    tools = folder.with_name(folder.name + "-tools")
    tools.mkdir(exist_ok=True)
    settings = {}
    for name, script in (("ptxas", PTXAS), ("nvdisasm", NVDISASM)):
        (tools / name).write_text(script)
        (tools / name).chmod(0o755)
        settings[name] = {"path": str(tools / name)}
    return {"workspaceTrusted": True, "ptx-analyzer": settings}


def begin(client: Client, kind: dict, folder: Path) -> None:
    info = {"clientInfo": kind["clientInfo"]} if "clientInfo" in kind else {}
    client.begin(kind["capabilities"], folder, initializationOptions=assembler(folder), **info)


def held(client: Client) -> list[str]:
    """Returns the messages and features of the server that this client does not support."""
    out = []
    for method, _, message in client.log:
        out += too_much(client.offered, method, message.get("result"))
    tokens = set(client.parts) | {"work"}
    for message in client.heard:
        if message["method"] == "window/workDoneProgress/create":
            tokens.add(message["params"]["token"])
        out += uninvited(client.offered, message, tokens)
        if message["method"] == "textDocument/publishDiagnostics":
            out += too_much(client.offered, message["method"], message["params"])
    return sorted(set(out))


@pytest.mark.parametrize("name", clients())
def test_everything_that_is_announced(name: str, client: Client, folder: Path) -> None:
    begin(client, clients()[name], folder)
    methods = exercises.announced(client.capabilities)
    said: dict[str, int] = {}
    pulls = get(client.offered, "textDocument.diagnostic") is not None
    for file, text in TEXTS.items():
        uri = (folder / file).as_uri()
        client.open(uri, text)
        for method, count in exercises.ask(client, methods, uri, text).items():
            said[method] = said.get(method, 0) + count
        if not pulls:
            pushed = "textDocument/publishDiagnostics"
            assert client.pump(lambda: any(m["params"]["uri"] == uri for m in client.of(pushed))), uri
    everything_else(client, methods, folder, said)
    for file in TEXTS:
        client.close((folder / file).as_uri())
    silent = methods - set(said) - MAY_BE_SILENT
    assert not silent, f"nothing was ever said by {silent}"
    client.end()
    assert held(client) == []


def everything_else(client: Client, methods: set[str], folder: Path, said: dict[str, int]) -> None:
    """Exercises the requests that do not concern a single document."""
    rich = (folder / "rich.ptx").as_uri()
    new, other = (folder / "new.ptx").as_uri(), (folder / "other.ptx").as_uri()
    for method in sorted(methods):
        count = 0
        if method == "workspace/executeCommand":
            for command in client.capabilities["executeCommandProvider"]["commands"]:
                assert command in exercises.COMMANDS, f"no test of the command {command}"
                params = {"command": command, "arguments": exercises.COMMANDS[command](rich), "workDoneToken": "work"}
                found = client.call(method, params)
                # These texts have no matrix instructions.
                assert found is not None or command == "ptx-analyzer.fragments", command
                count += found is not None
        elif method == "workspace/diagnostic":
            items = client.call(method, {"previousResultIds": [], "workDoneToken": "work"})["items"]
            count = sum(i["kind"] == "full" and bool(i["items"]) for i in items)
            again = [{"uri": i["uri"], "value": i["resultId"]} for i in items]
            assert {i["kind"] for i in client.call(method, {"previousResultIds": again})["items"]} == {"unchanged"}
            client.call(method, {"previousResultIds": [], "partialResultToken": "parts"})
            assert client.of("$/progress")[-1]["params"]["token"] == "parts"
        elif method in ("workspace/symbol",):
            for query in ("", "rich", "unopened", "no such thing at all"):
                result = client.call(method, {"query": query})
                count += bool(result)
                exercises.follow_up(client, methods, method, result, said)
        elif method == "workspace/didChangeWorkspaceFolders":
            added = [{"uri": (folder / "sub").as_uri(), "name": "sub"}]
            client.notify(method, {"event": {"added": added, "removed": []}})
            client.notify(method, {"event": {"added": [], "removed": added}})
            count = 1
        elif method in ("workspace/didCreateFiles", "workspace/didDeleteFiles"):
            client.notify(method, {"files": [{"uri": new}]})
            count = 1
        elif method == "workspace/didRenameFiles":
            client.notify(method, {"files": [{"oldUri": new, "newUri": other}]})
            count = 1
        if count:
            said[method] = said.get(method, 0) + count
    for params in ({"settings": {"ptx-analyzer": {"target": "sm_80"}}}, {"settings": None}):
        client.notify("workspace/didChangeConfiguration", params)
    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": new, "type": 1}]})
    for value in ("verbose", "messages", "off"):
        client.notify("$/setTrace", {"value": value})
        client.call("workspace/executeCommand", {"command": "ptx-analyzer.serverStatus"})
    client.notify("textDocument/didSave", {"textDocument": {"uri": rich}})
    client.notify("window/workDoneProgress/cancel", {"token": "no such work"})
    client.notify("$/cancelRequest", {"id": 1})


def test_every_handler_is_announced(client: Client, folder: Path) -> None:
    """Every request that the backend handles must be announced: clients cannot use it otherwise."""
    begin(client, clients()["everything"], folder)
    methods = exercises.announced(client.capabilities)
    source = (ROOT / "server/lsp/src/backend.rs").read_text()
    served = set(re.findall(r"^    async fn (\w+)\(", source, re.MULTILINE))
    named = {
        "initialize", "initialized", "shutdown", "did_open", "did_change", "did_close", "did_save",
        "did_change_configuration", "did_change_watched_files", "did_change_workspace_folders",
    }  # fmt: skip
    special = {
        "completion_resolve": "completionItem/resolve",
        "goto_declaration": "textDocument/declaration",
        "goto_definition": "textDocument/definition",
        "goto_type_definition": "textDocument/typeDefinition",
        "goto_implementation": "textDocument/implementation",
        "semantic_tokens_full_delta": "textDocument/semanticTokens/full/delta",
        "semantic_tokens_full": "textDocument/semanticTokens/full",
        "semantic_tokens_range": "textDocument/semanticTokens/range",
        "symbol": "workspace/symbol",
        "symbol_resolve": "workspaceSymbol/resolve",
        "workspace_diagnostic": "workspace/diagnostic",
        "execute_command": "workspace/executeCommand",
        "incoming_calls": "callHierarchy/incomingCalls",
        "outgoing_calls": "callHierarchy/outgoingCalls",
    }

    def message(handler: str) -> set[str]:
        if handler in special:
            return {special[handler]}
        camel = re.sub(r"_(\w)", lambda m: m[1].upper(), handler)
        resolve = camel.removesuffix("Resolve")
        return {f"textDocument/{camel}", f"workspace/{camel}", f"{resolve}/resolve"}

    unannounced = {h for h in served - named if not message(h) & methods}
    assert not unannounced, unannounced


def test_the_documents(client: Client, folder: Path) -> None:
    """Every message and command is in docs/dev/protocol.md, and the table there says of this server what it announces."""
    begin(client, clients()["everything"], folder)
    announced = exercises.announced(client.capabilities)
    path = ROOT / "docs/dev/protocol.md"
    page = path.read_text()
    missing = {m for m in announced if f"`{m}`" not in page}
    missing |= {c for c in client.capabilities["executeCommandProvider"]["commands"] if f"`{c}`" not in page}
    assert not missing
    table, rest = page.split("\n## From the client\n")
    lines = table.split("\n")
    for i, line in enumerate(lines):
        cells = line.split(" | ")
        if len(cells) == 8 and (messages := set(re.findall(r"`([^`]+)`", cells[1]))):
            cells[2] = "yes" if messages <= announced else "–"
            lines[i] = " | ".join(cells)
    made = "\n".join(lines) + "\n## From the client\n" + rest
    if os.environ.get("UPDATE"):
        path.write_text(made)
    assert path.read_text() == made, "docs/dev/protocol.md is not up to date: UPDATE=1 (see tests/protocol/README.md)"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16", "utf-32"])
def test_positions(encoding: str, client: Client, folder: Path) -> None:
    """Edits by position in each encoding give the intended text, with surrogates, all line breaks and positions beyond every end."""
    client.begin(offers.encoded(offers.EVERYTHING, encoding), folder)
    assert client.capabilities["positionEncoding"] == encoding
    uri = (folder / "p.ptx").as_uri()
    # A lone carriage return ends the line, but not the comment.
    text = "// 😀a\r\n/* é */\r// \u2028x\n.version 8.0\r\n\r\n// 𝕏"
    client.open(uri, text)
    far = 2**31 - 1

    def at(line: int, prefix: str) -> dict:
        return {"line": line, "character": exercises.width(prefix, encoding)}

    def edit(start: dict, end: dict, new: str) -> None:
        client.change(uri, [{"range": {"start": start, "end": end}, "text": new}])

    edit(at(0, "// 😀"), at(0, "// 😀a"), "b")
    edit(at(1, "/* "), at(1, "/* é"), "ü")
    edit(at(2, "// \u2028"), at(2, "// \u2028x"), "y")
    # A position beyond the end of a line means the one before its line break, of any kind.
    edit({"line": 0, "character": far}, {"line": 0, "character": far}, "<0")
    edit({"line": 1, "character": far}, {"line": 1, "character": far}, "/*1*/")
    edit({"line": 2, "character": far}, {"line": 2, "character": far}, "<2")
    edit({"line": far, "character": 7}, {"line": far, "character": far}, "<end")
    if encoding != "utf-32":
        # A position inside a character means its beginning.
        middle = at(0, "// ") | {"character": 4}
        edit(middle, middle, "|")
    tree = client.call("workspace/executeCommand", {"command": "ptx-analyzer.showSyntaxTree", "arguments": [{"uri": uri}]})
    bar = "" if encoding == "utf-32" else "|"
    expected = [f"// {bar}😀b<0", "/* ü */", "/*1*/", "// \u2028y<2", "// 𝕏<end"]
    found = [json.loads(m.replace("\\u{2028}", "\\u2028")) for m in re.findall(r'comment \[[^]]*\] (".*")\)', tree)]
    assert found == expected
    client.end()


def test_four_hundred_requests_with_edits_between(client: Client, folder: Path) -> None:
    begin(client, clients()["everything"], folder)
    uri = (folder / "rich.ptx").as_uri()
    client.open(uri, RICH)
    asked = []
    lines = exercises.lines(RICH)
    line = next(i for i, l in enumerate(lines) if "setp.ge" in l)
    for i in range(100):
        start = {"line": line, "character": 4}
        client.change(uri, [{"range": {"start": start, "end": start}, "text": f"mov.u32 %r7, {i}; "}])
        document = {"textDocument": {"uri": uri}}
        asked += [
            (client.request("textDocument/hover", document | {"position": {"line": line, "character": 5}}), "mov"),
            (client.request("textDocument/documentSymbol", document), "rich"),
            (client.request("textDocument/diagnostic", document), '"items"'),
        ]
        tree = {"command": "ptx-analyzer.showSyntaxTree", "arguments": [{"uri": uri}]}
        asked.append((client.request("workspace/executeCommand", tree), f'"{i}"'))
    for number, expected in asked:
        assert expected in json.dumps(client.answer(number)["result"]).replace('\\"', '"'), expected
    assert not client.questions
    client.end()


def test_nothing_keeps_the_process_alive(client: Client, folder: Path) -> None:
    """`exit` ends the server even if the pipe is open and work is in progress."""
    begin(client, clients()["everything"], folder)
    big = RICH + "\n".join(f".func f{i}() {{ ret; }}" for i in range(20_000))
    for i in range(40):
        (folder / f"big{i}.ptx").write_text(big)
    client.open((folder / "big.ptx").as_uri(), big)
    client.request("workspace/diagnostic", {"previousResultIds": []})
    client.request("textDocument/formatting" if "documentFormattingProvider" in client.capabilities else "textDocument/documentSymbol",
                   {"textDocument": {"uri": (folder / "big.ptx").as_uri()}}
                   | ({"options": exercises.OPTIONS} if "documentFormattingProvider" in client.capabilities else {}))  # fmt: skip
    begin_end = time.monotonic()
    client.request("shutdown")
    client.notify("exit")
    assert client.process.wait(10) == 0
    assert time.monotonic() - begin_end < 5


def test_cancelled_work_really_ends(client: Client, folder: Path) -> None:
    """Cancelling a long workspace check takes effect immediately, and everything else continues."""
    big = RICH.replace("ret;", "add.s64 %rd3, %rd1, %rd2; " * 50 + "ret;")
    for i in range(300):
        (folder / f"big{i}.ptx").write_text(big.replace("rich", f"rich{i}"))
    begin(client, clients()["everything"], folder)
    number = client.request("workspace/diagnostic", {"previousResultIds": []})
    client.notify("$/cancelRequest", {"id": number})
    assert client.answer(number)["error"]["code"] == -32800
    # The next check starts after the cancelled one has ended.
    number = client.request("workspace/executeCommand", {"command": "ptx-analyzer.checkWorkspace", "workDoneToken": "work"})
    client.pump(lambda: any(m["params"]["value"].get("kind") == "begin" for m in client.of("$/progress")))
    client.notify("window/workDoneProgress/cancel", {"token": "work"})
    assert client.answer(number)["error"]["code"] == -32800
    uri = (folder / "rich.ptx").as_uri()
    client.open(uri, BROKEN)
    assert client.call("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
    client.end()


def test_the_validation_itself() -> None:
    """The validation detects messages that do not match the protocol."""
    import validation

    good = {"jsonrpc": "2.0", "id": 1, "result": {"contents": {"kind": "markdown", "value": "x"}}}
    validation.response("textDocument/hover", good)
    for bad in (
        {"contents": {"kind": "markdown", "value": "x"}, "colour": 1},
        {"contents": {"kind": "markdown", "value": "x", "colour": 1}},
        {"contents": {"kind": "markdown", "value": 1}},
        {"content": {"kind": "markdown", "value": "x"}},
        {"contents": "x", "range": {"start": {"line": 0, "character": -1}, "end": {"line": 0, "character": 1}}},
    ):
        with pytest.raises(validation.Invalid):
            validation.response("textDocument/hover", good | {"result": bad})
    with pytest.raises(validation.Invalid):
        validation.response("textDocument/hover", {"jsonrpc": "2.0", "id": 1, "error": {"code": 5, "message": "x"}})
    with pytest.raises(validation.Invalid):
        validation.from_server({"jsonrpc": "2.0", "method": "window/shout", "params": {}}, {})
    with pytest.raises(AssertionError, match="no test"):
        exercises.announced({"telepathyProvider": True})
    assert too_much({}, "textDocument/definition", [{"targetUri": "file:///a"}])
