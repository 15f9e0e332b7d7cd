#!/usr/bin/env python3
"""Makes seed corpora and dictionaries from the files of the repository: kernels, fixtures, the examples in the
documentation, the tables.

usage: seeds.py FOLDER      FOLDER/TARGET/… are the seeds of a target, FOLDER/TARGET.dict its dictionary"""

import hashlib
import json
import random
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MAX_LENGTH = 9000
SEPARATOR = b"\xff"


def fenced(language):
    """Yields the code blocks of the documentation in a language."""
    for page in sorted((ROOT / "docs").rglob("*.md")):
        for block in re.findall(rf"^```{language}\n(.*?)^```", page.read_text(), re.S | re.M):
            yield block.encode()


def modules():
    """Returns the PTX of the repository: whole files and examples."""
    files = [f for part in ("tests/kernels", "tests/fixtures", "tests/dap", "tests/editors") for f in sorted((ROOT / part).rglob("*.ptx"))]
    return [f.read_bytes() for f in files if "node_modules" not in f.parts] + list(fenced("ptx"))


def shapes():
    """Yields the sources in the tests of the grammar."""
    for file in sorted((ROOT / "tree-sitter-ptx/test/corpus").glob("*.txt")):
        for part in re.findall(r"^===+\n.*?\n===+\n(.*?)^---+$", file.read_text(), re.S | re.M):
            yield part.encode()


def notation():
    """Yields parts of the data files with a few entries each."""
    for file in sorted((ROOT / "server/isa/data").glob("*.isa")):
        piece = ""
        for entry in re.split(r"\n(?=\S)", file.read_text()):
            if len(piece) + len(entry) > 1500 and piece:
                yield piece.encode()
                piece = ""
            piece += entry + "\n"
        yield piece[:MAX_LENGTH].encode()


def launches():
    """Yields launches as lines, TOML and JSON; the byte after the text selects the format."""
    for text in modules():
        lines = [line.strip() for line in text.decode().splitlines() if line.strip().startswith("//!")]
        if lines:
            whole = "\n".join(lines).encode()
            yield whole + SEPARATOR + b"\x00"
            yield whole + SEPARATOR + b"\x01"
            bare = "\n".join(line.removeprefix("//!").strip() for line in lines).encode()
            yield bare + SEPARATOR + b"\x00"
            yield bare + SEPARATOR + b"\x04"
    for word in re.findall(r"`([^`\n]+=[^`\n]+)`", (ROOT / "docs/launches.md").read_text()):
        yield b"launch: grid=1 block=32 " + word.encode() + SEPARATOR + b"\x00"
        yield b"expect: " + word.encode() + SEPARATOR + b"\x00"
    for block in fenced("toml"):
        yield block + SEPARATOR + b"\x02"
    for block in fenced("json"):
        yield block + SEPARATOR + b"\x03"
        yield block + SEPARATOR + b"\x06"
    table = {
        "entry": "k", "grid": [2, 1, 1], "block": 64, "cluster": 1, "shared": 256,
        "params": {"n": 64, "a": 2.5, "out": {"type": "f32", "length": 64, "fill": "zero"}, "x": "f32[64]:iota", "y": "&x+16"},
        "globals": {"factor": 1.5}, "buffers": {"extra": "u8:hex(00ff)"}, "expect": ["out[3]=6.0", "status=finished"],
    }
    yield json.dumps(table).encode() + SEPARATOR + b"\x03"
    yield json.dumps([table, {"entry": "k"}]).encode() + SEPARATOR + b"\x03"
    yield json.dumps(table).encode() + SEPARATOR + b"\x06"


def message(**fields):
    body = json.dumps(fields).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def session(text):
    """Returns a complete session of the language server, as bytes on the wire."""
    uri = {"uri": "file:///a.ptx"}
    place = {"textDocument": uri, "position": {"line": 3, "character": 5}}
    whole = {"textDocument": uri, "range": {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}, "context": {"diagnostics": []}}
    out = message(jsonrpc="2.0", id=1, method="initialize", params={"processId": None, "rootUri": None, "capabilities": {}})
    out += message(jsonrpc="2.0", method="initialized", params={})
    item = dict(uri, languageId="ptx", version=1, text=text)
    out += message(jsonrpc="2.0", method="textDocument/didOpen", params={"textDocument": item})
    for number, (name, params) in enumerate([("hover", place), ("completion", place), ("codeAction", whole), ("inlayHint", whole)]):
        out += message(jsonrpc="2.0", id=2 + number, method="textDocument/" + name, params=params)
    change = {"range": {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 4}}, "text": "x"}
    out += message(jsonrpc="2.0", method="textDocument/didChange", params={"textDocument": dict(uri, version=2), "contentChanges": [change]})
    out += message(jsonrpc="2.0", method="$/cancelRequest", params={"id": 3})
    out += message(jsonrpc="2.0", id=9, method="shutdown")
    return out + message(jsonrpc="2.0", method="exit")


def debugging():
    """Returns a session of the debug adapter that launches nothing."""
    out = b""
    for number, command in enumerate(["initialize", "threads", "configurationDone", "evaluate", "disconnect"]):
        out += message(seq=number + 1, type="request", command=command, arguments={"expression": "%r1", "adapterID": "ptx"})
    return out


def seeds():
    """Yields pairs of target and seed."""
    chance = random.Random(1)
    some = lambda low, high: chance.randbytes(chance.randint(low, high))
    all_modules = [m for m in modules() if len(m) <= MAX_LENGTH]
    for text in [*modules(), *shapes()]:
        yield "grammar", text
    for text in all_modules:
        yield "check", text + SEPARATOR + some(20, 40)
        yield "format", text + SEPARATOR + some(20, 30)
        if len(text) < 3000:
            yield "chunks", text + SEPARATOR + some(2, 2)
            yield "chunks", text + SEPARATOR + some(6, 30)
        yield "edits", text + SEPARATOR + some(20, 90)
        if b".entry" in text:
            yield "interpreter", text + SEPARATOR + b"\x00"
            yield "interpreter", text + SEPARATOR + some(10, 30)
    for text in shapes():
        yield "check", text + SEPARATOR + some(20, 40)
        yield "edits", text + SEPARATOR + some(20, 90)
    for _ in range(80):
        yield "interpreter", SEPARATOR + some(60, 250)
    for text in notation():
        yield "isa", text + SEPARATOR + b"\x00"
    for text in launches():
        yield "launch", text
    small = sorted((m for m in all_modules if b".entry" in m), key=len)
    for text in chance.sample(small[: len(small) // 2], 40):
        yield "lsp", text + SEPARATOR + b"\x0c" + some(60, 200)
        yield "lsp", text + SEPARATOR + some(60, 200)
    for text in small[:3]:
        yield "lsp", SEPARATOR + b"\xfe" + session(text.decode())
    launched = [m for m in all_modules if b"//! launch" in m]
    for text in [b""] * 30 + launched:
        yield "dap", text + SEPARATOR + b"\x00" + some(60, 250)
        yield "dap", text + SEPARATOR + some(60, 250)
    yield "dap", SEPARATOR + b"\xfe" + debugging()


def words():
    """Yields pairs of target and dictionary word."""
    data = "".join(f.read_text() for f in sorted((ROOT / "server/isa/data").glob("*.isa")))
    named = lambda keyword: re.findall(rf"^{keyword} (\S+)", data, re.M)
    ptx = set(named("opcode")) | set(named("sreg")) | set(named("target"))
    for keyword in ("modifier", "type", "space", "directive"):
        ptx |= {word if word.startswith(".") else "." + word for word in named(keyword)}
    ptx |= {"%p1", "%r1", "%rd1", "%f1", "@!%p1 ", "//! launch: ", "//! expect: ", "0f3F800000", "::", "$L__BB0_1:", "/*", "*/", "//", "\r\n", "\r", "\\\n", "\f"}
    for target in ("grammar", "check", "edits", "format", "interpreter", "chunks"):
        yield from ((target, word) for word in ptx)
    for word in set(re.findall(r"^ *([a-z-]+)", data, re.M)) | set(re.findall(r"\b(?:read|write|imm|reg|vec|iff|when|in|not|and|or|exact|decodes)\b", data)):
        yield "isa", word
    pages = (ROOT / "docs/launches.md").read_text()
    for word in set(re.findall(r"[a-z0-9-]+[=:\[(]|[a-z]+[0-9]*|±|\.\.", pages)):
        yield "launch", word
    for source, target in (("lsp.rs", "lsp"), ("dap.rs", "dap")):
        for word in set(re.findall(r'"([^"\\\s]{2,40})"', (Path(__file__).parent / "src" / source).read_text())):
            yield target, word


def main():
    out = Path(sys.argv[1])
    for target, seed in seeds():
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        (folder / hashlib.sha1(seed).hexdigest()[:16]).write_bytes(seed)
    dictionaries = {}
    for target, word in words():
        escaped = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\x{b:02x}" for b in word.encode())
        dictionaries.setdefault(target, set()).add(f'"{escaped}"\n')
    for target, lines in dictionaries.items():
        (out / f"{target}.dict").write_text("".join(sorted(lines)))


main()
