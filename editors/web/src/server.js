// The language server in its Web Worker, for CodeMirror's client.
// @ts-check
import { setDiagnostics } from "@codemirror/lint";
import { LSPClient, LSPPlugin, formatKeymap, findReferencesKeymap, hoverTooltips, jumpToDefinitionKeymap, renameKeymap, serverCompletion, signatureHelp } from "@codemirror/lsp-client";
import { EditorView, keymap } from "@codemirror/view";
import { inlayHints } from "./hints.js";
import { semanticTokens } from "./language.js";
import { sanitize } from "./sanitize.js";
import { signatureEnds } from "./signature.js";

/** The language server has only this document. */
export const URI = "file:///playground.ptx";

/** Milliseconds between a change and its message to the server. */
const SYNC_DELAY = 30;

/** Milliseconds after which a request fails. The first one waits for the module to load. */
const TIMEOUT = 120_000;

/** @typedef {import("@codemirror/lint").Diagnostic} Diagnostic */

/** Commands that the page has: links to chapters, and a view of warps. */
const COMMANDS = ["ptx-analyzer.explain", "ptx-analyzer.showWarp"];

/**
 * Returns the first message of the client with the commands of the page, and without the capability to ask for diagnostics.
 * CodeMirror announces it but never asks; the server would wait for that instead of publishing them.
 * @param {string} message
 */
function adapted(message) {
  const initialize = JSON.parse(message);
  delete initialize.params.capabilities.textDocument?.diagnostic;
  initialize.params.capabilities.experimental = { commands: { commands: COMMANDS } };
  return JSON.stringify(initialize);
}

/** Errors of requests that the server does not answer: the text has changed, or a part of the server did not load. */
const UNANSWERED = new Set([-32801, -32803]);

// CodeMirror's client handles no error of a request for signatures.
addEventListener("unhandledrejection", (event) => UNANSWERED.has(event.reason?.code) && event.preventDefault());

/** @param {Worker} worker @returns {import("@codemirror/lsp-client").Transport} */
function transport(worker) {
  /** @type {Set<(message: string) => void>} */
  const handlers = new Set();
  let first = true;
  worker.addEventListener("message", ({ data }) => handlers.forEach((handler) => handler(data)));
  return {
    send: (message) => {
      worker.postMessage(first ? adapted(message) : message);
      first = false;
    },
    subscribe: (handler) => void handlers.add(handler),
    unsubscribe: (handler) => void handlers.delete(handler),
  };
}

/** Sends changes to the server soon, so that it checks as the user types. */
function synchronization() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  return EditorView.updateListener.of(({ docChanged, view }) => {
    if (!docChanged) return;
    clearTimeout(timer);
    timer = setTimeout(() => LSPPlugin.get(view)?.client.sync(), SYNC_DELAY);
  });
}

/** @type {(Diagnostic["severity"])[]} */
const SEVERITIES = ["error", "error", "warning", "info", "hint"];

/**
 * A problem: CodeMirror's diagnostic, and the one of the server.
 * @typedef {Diagnostic & { raw: any }} Problem
 */

/**
 * A quick fix of a problem.
 * @typedef {{ title: string, apply: () => void }} Fix
 */

/** Returns nodes for a message, which marks code by backticks. @param {string} message */
export function messageNodes(message) {
  return message.split("`").map((part, index) => {
    if (index % 2 === 0) return document.createTextNode(part);
    const code = document.createElement("code");
    code.textContent = part;
    return code;
  });
}

/**
 * Shows diagnostics in the text and passes them on.
 * @param {(problems: Problem[]) => void} listener
 * @param {(evaluated: any) => void} evaluated hears of each evaluation after an edit
 */
function diagnostics(listener, evaluated) {
  /** @param {LSPClient} client @param {any} params */
  const publish = (client, params) => {
    const file = client.workspace.getFile(params.uri);
    const view = file?.getView();
    const plugin = view && LSPPlugin.get(view);
    if (!file || !view || !plugin || (params.version != null && params.version !== file.version)) return true;
    const place = (/** @type {any} */ position) => {
      const line = plugin.syncedDoc.line(Math.min(position.line + 1, plugin.syncedDoc.lines));
      return plugin.unsyncedChanges.mapPos(Math.min(line.from + position.character, line.to));
    };
    /** @type {Problem[]} */
    const found = params.diagnostics.map((/** @type {any} */ item) => ({
      from: place(item.range.start),
      to: place(item.range.end),
      severity: SEVERITIES[item.severity ?? 1],
      source: item.code === undefined ? undefined : String(item.code),
      message: item.message,
      renderMessage: () => {
        const element = document.createElement("span");
        element.append(...messageNodes(item.message));
        return element;
      },
      raw: item,
    }));
    view.dispatch(setDiagnostics(view.state, found));
    listener(found);
    return true;
  };
  return {
    clientCapabilities: {
      textDocument: {
        publishDiagnostics: { versionSupport: true },
        documentSymbol: { hierarchicalDocumentSymbolSupport: true },
        codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } },
      },
    },
    notificationHandlers: {
      "textDocument/publishDiagnostics": publish,
      "ptx-analyzer/evaluated": (/** @type {LSPClient} */ _, /** @type {any} */ params) => {
        evaluated(params);
        return true;
      },
    },
    editorExtension: synchronization(),
  };
}

/**
 * Connects to the server in a worker.
 * @param {Worker} worker
 * @param {(problems: Problem[]) => void} listener takes the problems of the text
 * @param {(evaluated: any) => void} evaluated hears of each evaluation after an edit
 */
export function connect(worker, listener, evaluated) {
  const client = new LSPClient({
    timeout: TIMEOUT,
    sanitizeHTML: sanitize,
    extensions: [
      serverCompletion(),
      hoverTooltips(),
      signatureHelp(),
      signatureEnds,
      keymap.of([...formatKeymap, ...renameKeymap, ...jumpToDefinitionKeymap, ...findReferencesKeymap]),
      diagnostics(listener, evaluated),
      semanticTokens,
      inlayHints,
    ],
  });
  client.connect(transport(worker));
  return client;
}

/**
 * Returns the quick fixes of problems, in the order of the problems.
 * @param {EditorView} view
 * @param {Problem[]} problems
 * @returns {Promise<Fix[][]>}
 */
export async function quickFixes(view, problems) {
  const plugin = LSPPlugin.get(view);
  if (plugin === null || problems.length === 0) return [];
  const { doc } = view.state;
  const range = { start: plugin.toPosition(0), end: plugin.toPosition(doc.length) };
  const context = { diagnostics: problems.map(({ raw }) => raw), only: ["quickfix"] };
  /** @type {any[] | null} */
  const actions = await plugin.client.request("textDocument/codeAction", { textDocument: { uri: URI }, range, context });
  const key = (/** @type {any} */ { range, code }) => JSON.stringify([range.start.line, range.start.character, range.end.line, range.end.character, code]);
  return problems.map(({ raw }) => {
    const own = (actions ?? []).filter(({ edit, diagnostics }) => edit?.changes?.[URI] && diagnostics?.some((/** @type {any} */ one) => key(one) === key(raw)));
    return own.map(({ title, edit }) => ({
      title,
      apply: () => {
        // The places are those of the text that the server checked.
        if (view.state.doc !== doc) return;
        const changes = edit.changes[URI].map((/** @type {any} */ change) => ({
          from: plugin.fromPosition(change.range.start, doc),
          to: plugin.fromPosition(change.range.end, doc),
          insert: change.newText,
        }));
        view.dispatch({ changes, userEvent: "input.fix" });
      },
    }));
  });
}

/** Returns HTML about the word at the cursor, or undefined. @param {EditorView} view */
export async function describe(view) {
  const plugin = LSPPlugin.get(view);
  if (plugin === null) return undefined;
  plugin.client.sync();
  const position = plugin.toPosition(view.state.selection.main.head);
  /** @type {{ contents: any } | null} */
  const answer = await plugin.client.request("textDocument/hover", { textDocument: { uri: URI }, position });
  return answer === null ? undefined : plugin.docToHTML(answer.contents, "markdown");
}
