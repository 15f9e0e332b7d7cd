"""How to exercise every request that a server can offer: the request of each capability, and its parameters."""

from __future__ import annotations

import re
from typing import Any, Callable, Iterator

from client import Client

TEXT = "textDocument"
WORD = re.compile(r"[%$_A-Za-z0-9]+|[.,;:{}\[\]()<>=+@!-]")

# Capabilities with their requests.
SIMPLE = {
    "hoverProvider": "textDocument/hover",
    "signatureHelpProvider": "textDocument/signatureHelp",
    "declarationProvider": "textDocument/declaration",
    "definitionProvider": "textDocument/definition",
    "typeDefinitionProvider": "textDocument/typeDefinition",
    "implementationProvider": "textDocument/implementation",
    "referencesProvider": "textDocument/references",
    "documentHighlightProvider": "textDocument/documentHighlight",
    "documentSymbolProvider": "textDocument/documentSymbol",
    "documentFormattingProvider": "textDocument/formatting",
    "documentOnTypeFormattingProvider": "textDocument/onTypeFormatting",
    "foldingRangeProvider": "textDocument/foldingRange",
    "selectionRangeProvider": "textDocument/selectionRange",
    "linkedEditingRangeProvider": "textDocument/linkedEditingRange",
    "executeCommandProvider": "workspace/executeCommand",
}
# Capabilities with their requests, and with the requests that resolve the items of an answer.
RESOLVED = {
    "completionProvider": ("textDocument/completion", "completionItem/resolve"),
    "codeActionProvider": ("textDocument/codeAction", "codeAction/resolve"),
    "codeLensProvider": ("textDocument/codeLens", "codeLens/resolve"),
    "documentLinkProvider": ("textDocument/documentLink", "documentLink/resolve"),
    "inlayHintProvider": ("textDocument/inlayHint", "inlayHint/resolve"),
    "workspaceSymbolProvider": ("workspace/symbol", "workspaceSymbol/resolve"),
}
NOTIFICATIONS = {
    "didCreate": "workspace/didCreateFiles",
    "didRename": "workspace/didRenameFiles",
    "didDelete": "workspace/didDeleteFiles",
}


def announced(capabilities: dict) -> set[str]:
    """Returns the messages that a server accepts. An unknown capability fails: it needs a test."""
    out = set()
    for name, value in capabilities.items():
        if value is False:
            continue
        options = value if isinstance(value, dict) else {}
        if name in SIMPLE:
            out.add(SIMPLE[name])
        elif name in RESOLVED:
            first, second = RESOLVED[name]
            out |= {first, second} if options.get("resolveProvider") else {first}
        elif name == "documentRangeFormattingProvider":
            out.add("textDocument/rangeFormatting")
            out |= {"textDocument/rangesFormatting"} if options.get("rangesSupport") else set()
        elif name == "renameProvider":
            out |= {"textDocument/rename"} | ({"textDocument/prepareRename"} if options.get("prepareProvider") else set())
        elif name == "callHierarchyProvider":
            out |= {"textDocument/prepareCallHierarchy", "callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"}
        elif name == "diagnosticProvider":
            out.add("textDocument/diagnostic")
            out |= {"workspace/diagnostic"} if options["workspaceDiagnostics"] else set()
        elif name == "semanticTokensProvider":
            full = options.get("full")
            out |= {"textDocument/semanticTokens/full"} if full else set()
            out |= {"textDocument/semanticTokens/range"} if options.get("range") else set()
            if isinstance(full, dict) and full.get("delta"):
                out.add("textDocument/semanticTokens/full/delta")
        elif name == "textDocumentSync":
            known = {"openClose", "change", "save"}
            assert set(value) <= known, f"no test of textDocumentSync.{set(value) - known}"
        elif name == "workspace":
            for part, inner in value.items():
                if part == "workspaceFolders":
                    out.add("workspace/didChangeWorkspaceFolders")
                elif part == "fileOperations":
                    out |= {NOTIFICATIONS[operation] for operation in inner}
                else:
                    raise AssertionError(f"no test of workspace.{part}")
        else:
            assert name in ("positionEncoding", "experimental"), f"no test of the capability {name}"
    return out


# The arguments of each command.
COMMANDS: dict[str, Callable[[str], list]] = {
    "ptx-analyzer.checkWorkspace": lambda _: [],
    "ptx-analyzer.compareRegisters": lambda uri: [{"uri": uri, "show": True}],
    "ptx-analyzer.clearEvaluation": lambda uri: [{"uri": uri}],
    "ptx-analyzer.evaluateWarp": lambda uri: [
        {"uri": uri, "focus": {"lane": 1}, "state": True, "accesses": True, "timeline": True, "show": True, "memory": [{"space": "shared", "length": 64}]}
    ],
    "ptx-analyzer.explain": lambda _: [{"query": "fma.rn.f32"}],
    "ptx-analyzer.fragments": lambda uri: [{"uri": uri, "line": 24}],
    "ptx-analyzer.launches": lambda uri: [{"uri": uri}],
    "ptx-analyzer.registerPressure": lambda uri: [{"uri": uri, "line": 24, "wait": True}],
    "ptx-analyzer.sass": lambda uri: [{"uri": uri, "show": True}],
    "ptx-analyzer.serverStatus": lambda _: [],
    "ptx-analyzer.showSyntaxTree": lambda uri: [{"uri": uri}],
    "ptx-analyzer.sourceOf": lambda uri: [{"uri": uri, "line": 24}],
    "ptx-analyzer.writeLaunch": lambda uri: [{"uri": uri}],
}

OPTIONS = {"tabSize": 4, "insertSpaces": True, "trimTrailingWhitespace": True}


def width(text: str, encoding: str) -> int:
    return len(text.encode("utf-16-le")) // 2 if encoding == "utf-16" else len(text.encode()) if encoding == "utf-8" else len(text)


def lines(text: str) -> list[str]:
    return re.split(r"\r\n|\n|\r", text)


def places(text: str, encoding: str) -> Iterator[dict]:
    """Yields the positions of every word and of the end of every line."""
    for number, line in enumerate(lines(text)):
        starts = [m.start() for m in WORD.finditer(line)] + [len(line)]
        yield from ({"line": number, "character": width(line[:at], encoding)} for at in starts)


def ranges(text: str, encoding: str) -> Iterator[dict]:
    """Yields the ranges of the whole text, of each line, and an empty one."""
    all_lines = lines(text)
    end = {"line": len(all_lines) - 1, "character": width(all_lines[-1], encoding)}
    yield {"start": {"line": 0, "character": 0}, "end": end}
    yield {"start": end, "end": end}
    for number, line in enumerate(all_lines):
        start = {"line": number, "character": 0}
        yield {"start": start, "end": {"line": number, "character": width(line, encoding)}}


def questions(method: str, uri: str, text: str, encoding: str) -> Iterator[dict]:
    """Returns the parameters of all requests about a document."""
    document = {"textDocument": {"uri": uri}}
    at_places = {
        "textDocument/hover",
        "textDocument/completion",
        "textDocument/signatureHelp",
        "textDocument/declaration",
        "textDocument/definition",
        "textDocument/typeDefinition",
        "textDocument/implementation",
        "textDocument/documentHighlight",
        "textDocument/linkedEditingRange",
        "textDocument/prepareRename",
        "textDocument/prepareCallHierarchy",
    }
    if method in at_places:
        yield from (document | {"position": place} for place in places(text, encoding))
    elif method == "textDocument/references":
        for i, place in enumerate(places(text, encoding)):
            yield document | {"position": place, "context": {"includeDeclaration": i % 2 == 0}}
    elif method == "textDocument/rename":
        for i, place in enumerate(places(text, encoding)):
            names = ["%renamed", "renamed", "$L_renamed", "no name"]
            yield document | {"position": place, "newName": names[i % len(names)]}
    elif method == "textDocument/onTypeFormatting":
        for i, place in enumerate(places(text, encoding)):
            yield document | {"position": place, "ch": ";\n}"[i % 3], "options": OPTIONS}
    elif method in ("textDocument/inlayHint", "textDocument/semanticTokens/range"):
        yield from (document | {"range": r} for r in ranges(text, encoding))
    elif method == "textDocument/rangeFormatting":
        yield from (document | {"range": r, "options": OPTIONS} for r in ranges(text, encoding))
    elif method == "textDocument/rangesFormatting":
        yield document | {"ranges": list(ranges(text, encoding))[2:], "options": OPTIONS}
    elif method == "textDocument/codeAction":
        for r in ranges(text, encoding):
            yield document | {"range": r, "context": {"diagnostics": [], "triggerKind": 2}}
        for kind in ("quickfix", "refactor", "source", "source.fixAll", "source.fixAll.ptx-analyzer"):
            whole = next(ranges(text, encoding))
            yield document | {"range": whole, "context": {"diagnostics": [], "only": [kind], "triggerKind": 1}}
    elif method == "textDocument/formatting":
        yield document | {"options": OPTIONS}
        yield document | {"options": {"tabSize": 8, "insertSpaces": False}}
    elif method == "textDocument/selectionRange":
        yield document | {"positions": list(places(text, encoding))}
    elif method in ("textDocument/documentSymbol", "textDocument/codeLens", "textDocument/documentLink",
                    "textDocument/foldingRange", "textDocument/semanticTokens/full", "textDocument/diagnostic"):  # fmt: skip
        yield document
    elif method == "textDocument/semanticTokens/full/delta":
        yield document | {"previousResultId": "of some other time"}
    else:
        raise AssertionError(f"no test asks {method}")


def parts(method: str, result: Any) -> list:
    """Returns the items of a list in an answer."""
    items = result.get("items", []) if isinstance(result, dict) else result or []
    return [i for i in items if isinstance(i, dict)]


FOLLOW = {first: second for first, second in RESOLVED.values()}


def ask(client: Client, methods: set[str], uri: str, text: str) -> dict[str, int]:
    """Sends all requests about a document; returns the number of non-empty answers by method."""
    encoding = client.capabilities["positionEncoding"]
    follow = set(FOLLOW.values()) | {"callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"}
    elsewhere = {m for m in methods if m.startswith("workspace/")} | follow
    said: dict[str, int] = {}
    for method in sorted(methods - elsewhere):
        # Send all at once: the server may answer in any order.
        asked = [client.request(method, params) for params in questions(method, uri, text, encoding)]
        for number in asked:
            message = client.answer(number)
            result = message.get("result")
            if result:
                said[method] = said.get(method, 0) + 1
            follow_up(client, methods, method, result, said)
    return said


def follow_up(client: Client, methods: set[str], method: str, result: Any, said: dict[str, int]) -> None:
    """Sends the follow-up requests for a few items of an answer."""
    second = FOLLOW.get(method)
    if second in methods:
        for item in parts(method, result)[:3]:
            said[second] = said.get(second, 0) + bool(client.call(second, item))
    if method == "textDocument/prepareCallHierarchy":
        for item in (result or [])[:1]:
            for calls in ("callHierarchy/incomingCalls", "callHierarchy/outgoingCalls"):
                said[calls] = said.get(calls, 0) + bool(client.call(calls, {"item": item}))
    delta = "textDocument/semanticTokens/full/delta"
    if method == "textDocument/semanticTokens/full" and delta in methods and result:
        _, params, _ = next(entry for entry in reversed(client.log) if entry[0] == method)
        said[delta] = said.get(delta, 0) + 1
        client.call(delta, params | {"previousResultId": result["resultId"]})
