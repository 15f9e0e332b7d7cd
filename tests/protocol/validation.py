"""Validates messages with lsprotocol, whose types are generated from the protocol's own machine-readable model.

lsprotocol ignores unknown parts. So each message is parsed and serialised again: a part that is lost or changed is not in
the protocol.
"""

from __future__ import annotations

from enum import Enum
from typing import Any, Sequence, Union

from lsprotocol import types as T
from lsprotocol.converters import get_converter

CONVERTER = get_converter()
# A type that lsprotocol's converter does not support.
CONVERTER.register_structure_hook(Union[str, Sequence[str], None], lambda value, _: value)
# A union for which the converter takes every action with a command for a plain command.
CONVERTER.register_structure_hook(
    Union[T.Command, T.CodeAction],
    lambda value, _: CONVERTER.structure(value, T.Command if isinstance(value.get("command"), str) else T.CodeAction),
)

# The types of partial results and of work progress: `$/progress` itself accepts anything.
PROGRESS = {"begin": T.WorkDoneProgressBegin, "report": T.WorkDoneProgressReport, "end": T.WorkDoneProgressEnd}
PARTS = {
    "workspace/diagnostic": T.WorkspaceDiagnosticReport,
    "textDocument/diagnostic": T.DocumentDiagnosticReportPartialResult,
}

ERRORS = {code.value for code in T.ErrorCodes} | {code.value for code in T.LSPErrorCodes}


class Invalid(AssertionError):
    """A message that does not match the protocol."""


def plain(value: Any) -> Any:
    """Converts the output of lsprotocol to plain JSON, without enumerations and tuples."""
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {plain(k): plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value


def lost(sent: Any, known: Any, path: str = "") -> list[str]:
    """Returns the parts of a message that the types do not contain."""
    if isinstance(sent, dict) and isinstance(known, dict):
        out = []
        for key, value in sent.items():
            here = f"{path}.{key}"
            if key in known:
                out += lost(value, known[key], here)
            else:
                out.append(f"{here} = {value!r}")
        return out
    if isinstance(sent, list) and isinstance(known, list) and len(sent) == len(known):
        return [found for i, (a, b) in enumerate(zip(sent, known)) for found in lost(a, b, f"{path}[{i}]")]
    return [] if sent == known and type(sent) is type(known) else [f"{path}: {sent!r} is not {known!r}"]


def check(value: Any, kind: Any, what: str) -> Any:
    """Returns the value as a typed object."""
    try:
        typed = CONVERTER.structure(value, kind)
    except Exception as error:  # noqa: BLE001 # cattrs has many kinds of errors
        raise Invalid(f"{what} is no {kind}: {error!r}\n{value!r}") from error
    unknown = lost(value, plain(CONVERTER.unstructure(typed, unstructure_as=kind)))
    if unknown:
        raise Invalid(f"{what} has what the protocol has not: {'; '.join(unknown[:5])}")
    return typed


def response(method: str, message: dict) -> None:
    """Validates an answer of the server."""
    if set(message) - {"jsonrpc", "id", "result", "error"} or ("result" in message) == ("error" in message):
        raise Invalid(f"the answer to {method} is none: {message!r}")
    if "error" in message:
        check(message["error"], T.ResponseError, f"the error of {method}")
        if message["error"]["code"] not in ERRORS:
            raise Invalid(f"{method}: an error that the protocol has not: {message!r}")
        return
    check(message, T.METHOD_TO_TYPES[method][1], f"the answer to {method}")


def from_server(message: dict, parts: dict[Any, str]) -> None:
    """Validates a request or a notification of the server. `parts` maps tokens to the requests whose answers they
    deliver."""
    method = message["method"]
    if method not in T.METHOD_TO_TYPES:
        raise Invalid(f"the protocol has no {method}")
    if T.message_direction(method) == "clientToServer":
        raise Invalid(f"{method} is not for servers to send")
    check(message, T.METHOD_TO_TYPES[method][0], method)
    if method == "$/progress":
        token, value = message["params"]["token"], message["params"]["value"]
        if token in parts:
            check(value, PARTS[parts[token]], f"a part of the answer to {parts[token]}")
        else:
            check(value, PROGRESS[value["kind"]], "progress")
    if method == "client/registerCapability":
        for registration in message["params"]["registrations"]:
            options = T.METHOD_TO_TYPES[registration["method"]][3]
            if options is not None and "registerOptions" in registration:
                check(registration["registerOptions"], options, f"the options of {registration['method']}")


def to_server(message: dict) -> None:
    """Validates a message of these tests: a test with a wrong request proves nothing."""
    if "method" in message:
        check(message, T.METHOD_TO_TYPES[message["method"]][0], message["method"])
