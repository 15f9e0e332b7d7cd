"""Clients: their capabilities, and the features that a server may then use."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Iterator

HERE = Path(__file__).resolve().parent

YES = True
DYNAMIC = {"dynamicRegistration": True}
LINKS = {"linkSupport": True}
MARKDOWN = ["markdown", "plaintext"]
# The values of the first protocol version, for clients that do not list any.
OLD_SYMBOLS = set(range(1, 19))
OLD_ITEMS = set(range(1, 19))

# All capabilities of the protocol.
EVERYTHING = {
    "workspace": {
        "applyEdit": YES,
        "workspaceEdit": {
            "documentChanges": YES,
            "resourceOperations": ["create", "rename", "delete"],
            "failureHandling": "textOnlyTransactional",
            "normalizesLineEndings": YES,
            "changeAnnotationSupport": {"groupsOnLabel": YES},
        },
        "didChangeConfiguration": DYNAMIC,
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": True},
        "symbol": {
            "symbolKind": {"valueSet": list(range(1, 27))},
            "tagSupport": {"valueSet": [1]},
            "resolveSupport": {"properties": ["location.range"]},
        },
        "executeCommand": DYNAMIC,
        "workspaceFolders": YES,
        "configuration": YES,
        "semanticTokens": {"refreshSupport": YES},
        "codeLens": {"refreshSupport": YES},
        "inlayHint": {"refreshSupport": YES},
        "inlineValue": {"refreshSupport": YES},
        "diagnostics": {"refreshSupport": YES},
        "foldingRange": {"refreshSupport": YES},
        "fileOperations": {
            "dynamicRegistration": True,
            "didCreate": YES,
            "willCreate": YES,
            "didRename": YES,
            "willRename": YES,
            "didDelete": YES,
            "willDelete": YES,
        },
    },
    "textDocument": {
        "synchronization": {"dynamicRegistration": True, "willSave": YES, "willSaveWaitUntil": YES, "didSave": YES},
        "publishDiagnostics": {
            "relatedInformation": YES,
            "tagSupport": {"valueSet": [1, 2]},
            "versionSupport": YES,
            "codeDescriptionSupport": YES,
            "dataSupport": YES,
        },
        "completion": {
            "dynamicRegistration": True,
            "completionItem": {
                "snippetSupport": YES,
                "commitCharactersSupport": YES,
                "documentationFormat": MARKDOWN,
                "deprecatedSupport": YES,
                "preselectSupport": YES,
                "tagSupport": {"valueSet": [1]},
                "insertReplaceSupport": YES,
                "resolveSupport": {"properties": ["documentation", "detail", "additionalTextEdits"]},
                "insertTextModeSupport": {"valueSet": [1, 2]},
                "labelDetailsSupport": YES,
            },
            "completionItemKind": {"valueSet": list(range(1, 26))},
            "insertTextMode": 2,
            "contextSupport": YES,
            "completionList": {"itemDefaults": ["commitCharacters", "editRange", "insertTextFormat", "data"]},
        },
        "hover": {"dynamicRegistration": True, "contentFormat": MARKDOWN},
        "signatureHelp": {
            "dynamicRegistration": True,
            "signatureInformation": {
                "documentationFormat": MARKDOWN,
                "parameterInformation": {"labelOffsetSupport": YES},
                "activeParameterSupport": YES,
                "noActiveParameterSupport": YES,
            },
            "contextSupport": YES,
        },
        "declaration": DYNAMIC | LINKS,
        "definition": DYNAMIC | LINKS,
        "typeDefinition": DYNAMIC | LINKS,
        "implementation": DYNAMIC | LINKS,
        "references": DYNAMIC,
        "documentHighlight": DYNAMIC,
        "documentSymbol": {
            "dynamicRegistration": True,
            "symbolKind": {"valueSet": list(range(1, 27))},
            "hierarchicalDocumentSymbolSupport": YES,
            "tagSupport": {"valueSet": [1]},
            "labelSupport": YES,
        },
        "codeAction": {
            "dynamicRegistration": True,
            "codeActionLiteralSupport": {
                "codeActionKind": {"valueSet": ["", "quickfix", "refactor", "refactor.rewrite", "source", "source.fixAll"]}
            },
            "isPreferredSupport": YES,
            "disabledSupport": YES,
            "dataSupport": YES,
            "resolveSupport": {"properties": ["edit"]},
            "honorsChangeAnnotations": YES,
        },
        "codeLens": {"dynamicRegistration": True},
        "documentLink": {"dynamicRegistration": True, "tooltipSupport": YES},
        "formatting": DYNAMIC,
        "rangeFormatting": {"dynamicRegistration": True, "rangesSupport": YES},
        "onTypeFormatting": DYNAMIC,
        "rename": {
            "dynamicRegistration": True,
            "prepareSupport": YES,
            "prepareSupportDefaultBehavior": 1,
            "honorsChangeAnnotations": YES,
        },
        "foldingRange": {
            "dynamicRegistration": True,
            "rangeLimit": 5000,
            "lineFoldingOnly": False,
            "foldingRangeKind": {"valueSet": ["comment", "imports", "region"]},
            "foldingRange": {"collapsedText": YES},
        },
        "selectionRange": DYNAMIC,
        "linkedEditingRange": DYNAMIC,
        "callHierarchy": DYNAMIC,
        "typeHierarchy": DYNAMIC,
        "semanticTokens": {
            "dynamicRegistration": True,
            "requests": {"range": True, "full": {"delta": True}},
            "tokenTypes": ["keyword", "function", "variable"],
            "tokenModifiers": ["declaration"],
            "formats": ["relative"],
            "overlappingTokenSupport": False,
            "multilineTokenSupport": False,
            "serverCancelSupport": YES,
            "augmentsSyntaxTokens": YES,
        },
        "inlayHint": {"dynamicRegistration": True, "resolveSupport": {"properties": ["tooltip", "label.tooltip"]}},
        "inlineValue": DYNAMIC,
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": True},
    },
    "window": {
        "workDoneProgress": YES,
        "showMessage": {"messageActionItem": {"additionalPropertiesSupport": YES}},
        "showDocument": {"support": YES},
    },
    "general": {
        "staleRequestSupport": {"cancel": YES, "retryOnContentModified": []},
        "regularExpressions": {"engine": "ECMAScript", "version": "ES2020"},
        "markdown": {"parser": "marked", "version": "1.1.0"},
        "positionEncodings": ["utf-8", "utf-16", "utf-32"],
    },
}


def encoded(capabilities: dict, encoding: str) -> dict:
    """Returns the same client with one position encoding."""
    return {**capabilities, "general": {**capabilities.get("general", {}), "positionEncodings": [encoding]}}


def recorded(name: str) -> dict:
    """Returns the name and the capabilities that a real editor sends."""
    return json.loads((HERE / "clients" / f"{name}.json").read_text())


def meant(capabilities: dict) -> dict:
    """Corrects capabilities to match the protocol: Helix misspells one of them."""
    workspace = dict(capabilities.get("workspace", {}))
    if "diagnostic" in workspace:
        workspace["diagnostics"] = workspace.pop("diagnostic")
    return capabilities | ({"workspace": workspace} if workspace else {})


def clients() -> dict[str, dict]:
    """Returns all kinds of clients: `capabilities`, and `clientInfo` for real editors."""
    out = {
        "everything": {"capabilities": EVERYTHING},
        "everything in utf-16": {"capabilities": encoded(EVERYTHING, "utf-16")},
        "everything in utf-32": {"capabilities": encoded(EVERYTHING, "utf-32")},
        "nothing": {"capabilities": {}},
    }
    return out | {p.stem: recorded(p.stem) for p in sorted((HERE / "clients").glob("*.json"))}


def get(value: Any, path: str) -> Any:
    for key in path.split("."):
        value = value.get(key) if isinstance(value, dict) else None
    return value


def nodes(value: Any) -> Iterator[dict]:
    """Yields all objects in an answer."""
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from nodes(inner)


def too_much(offered: dict, method: str, result: Any) -> list[str]:
    """Returns the features in an answer that the client does not support."""
    out = []

    def unless(path: str, found: bool, what: str) -> None:
        if found and not get(offered, path):
            out.append(f"{method}: {what}, but not {path}")

    text = "textDocument"
    items = list(nodes(result))
    if method in ("textDocument/definition", "textDocument/declaration", "textDocument/typeDefinition",
                  "textDocument/implementation"):  # fmt: skip
        unless(f"{text}.{method.split('/')[1]}.linkSupport", any("targetUri" in n for n in items), "links")
    unless("workspace.workspaceEdit.documentChanges", any("documentChanges" in n for n in items), "documentChanges")
    if method in ("textDocument/publishDiagnostics", "textDocument/diagnostic", "workspace/diagnostic"):
        pushed = "publishDiagnostics" if method == "textDocument/publishDiagnostics" else "diagnostic"
        for flag, key in (("relatedInformation", "relatedInformation"), ("tagSupport", "tags")):
            path = f"{text}.{pushed}.{flag}"
            # Older versions of the protocol had this capability in only one place.
            if not get(offered, f"{text}.publishDiagnostics.{flag}"):
                unless(path, any(key in n for n in items), key)
    if method.startswith("textDocument/codeAction") or method == "codeAction/resolve":
        unless(f"{text}.codeAction.codeActionLiteralSupport", any("kind" in n for n in items), "code actions")
        unless(f"{text}.codeAction.disabledSupport", any("disabled" in n for n in items), "disabled")
        unless(f"{text}.codeAction.isPreferredSupport", any("isPreferred" in n for n in items), "isPreferred")
        late = any("edit" not in n and "command" not in n and "disabled" not in n for n in items if "title" in n)
        if method == "textDocument/codeAction":
            unless(f"{text}.codeAction.resolveSupport", late, "edits that come later")
    if method in ("textDocument/completion", "completionItem/resolve"):
        item = f"{text}.completion.completionItem"
        unless(f"{item}.snippetSupport", any(n.get("insertTextFormat") == 2 for n in items), "snippets")
        unless(f"{item}.insertReplaceSupport", any("replace" in n and "insert" in n and "newText" in n for n in items),
               "insert and replace")  # fmt: skip
        unless(f"{item}.labelDetailsSupport", any("labelDetails" in n for n in items), "label details")
        unless(f"{item}.tagSupport", any("tags" in n for n in items), "tags")
        unless(f"{text}.completion.completionList.itemDefaults", any("itemDefaults" in n for n in items), "defaults")
        if isinstance(result, dict):
            kinds = set(get(offered, f"{text}.completion.completionItemKind.valueSet") or OLD_ITEMS)
            wrong = {n["kind"] for n in result.get("items", []) if "kind" in n} - kinds
            out += [f"{method}: kinds {wrong}"] * bool(wrong)
    if method in ("textDocument/documentSymbol", "workspace/symbol"):
        place = f"{text}.documentSymbol" if method == "textDocument/documentSymbol" else "workspace.symbol"
        unless(f"{text}.documentSymbol.hierarchicalDocumentSymbolSupport", any("selectionRange" in n for n in items),
               "a tree")  # fmt: skip
        kinds = set(get(offered, f"{place}.symbolKind.valueSet") or OLD_SYMBOLS)
        wrong = {n["kind"] for n in items if "name" in n} - kinds
        out += [f"{method}: kinds {wrong}"] * bool(wrong)
    if method == "textDocument/foldingRange" and get(offered, f"{text}.foldingRange.lineFoldingOnly"):
        out += [f"{method}: columns"] * any("startCharacter" in n or "endCharacter" in n for n in items)
    if method == "textDocument/inlayHint":
        tooltip = not get(offered, f"{text}.inlayHint.resolveSupport")
        out += [f"{method}: tooltips that come later"] * (tooltip and any("data" in n for n in items))
    if method == "textDocument/signatureHelp":
        unless(f"{text}.signatureHelp.signatureInformation.parameterInformation.labelOffsetSupport",
               any(isinstance(n.get("label"), list) for n in items), "labels by offsets")  # fmt: skip
    if method == "textDocument/documentLink":
        unless(f"{text}.documentLink.tooltipSupport", any("tooltip" in n for n in items), "tooltips")
    formats = {
        "textDocument/hover": f"{text}.hover.contentFormat",
        "textDocument/completion": f"{text}.completion.completionItem.documentationFormat",
        "completionItem/resolve": f"{text}.completion.completionItem.documentationFormat",
        "textDocument/signatureHelp": f"{text}.signatureHelp.signatureInformation.documentationFormat",
    }
    if method in formats:
        marked = any(n.get("kind") == "markdown" and "value" in n for n in items)
        # Helix shows it everywhere, but does not announce it for completion.
        if marked and not any("markdown" in (get(offered, path) or []) for path in formats.values()):
            out.append(f"{method}: Markdown, but not {formats[method]}")
    return out


def uninvited(offered: dict, message: dict, tokens: set) -> list[str]:
    """Returns the notifications and requests that the server should not have sent."""
    method = message["method"]
    needs = {
        "workspace/configuration": "workspace.configuration",
        "window/workDoneProgress/create": "window.workDoneProgress",
        "workspace/diagnostic/refresh": "workspace.diagnostics.refreshSupport",
        "workspace/semanticTokens/refresh": "workspace.semanticTokens.refreshSupport",
        "workspace/inlayHint/refresh": "workspace.inlayHint.refreshSupport",
        "workspace/codeLens/refresh": "workspace.codeLens.refreshSupport",
        "workspace/foldingRange/refresh": "workspace.foldingRange.refreshSupport",
        "workspace/applyEdit": "workspace.applyEdit",
        "window/showDocument": "window.showDocument.support",
    }
    if (path := needs.get(method)) and not get(offered, path):
        return [f"{method}, but not {path}"]
    if method == "$/progress" and message["params"]["token"] not in tokens:
        return [f"progress under a token that nobody made: {message['params']['token']!r}"]
    if method == "client/registerCapability":
        places = {
            "workspace/didChangeConfiguration": "workspace.didChangeConfiguration",
            "workspace/didChangeWatchedFiles": "workspace.didChangeWatchedFiles",
        }
        names = [r["method"] for r in message["params"]["registrations"]]
        return [
            f"registers {name}, which the client cannot"
            for name in names
            if not get(offered, f"{places.get(name, 'unknown')}.dynamicRegistration")
        ]
    if method == "textDocument/publishDiagnostics":
        # For files that are not open, diagnostics have no version.
        pulled = get(offered, "textDocument.diagnostic") is not None and "version" in message["params"]
        return ["diagnostics are pushed to a client that pulls them"] * pulled
    return []
