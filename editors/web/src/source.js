// The text of the editor, for the views beside it: positions, commands of the server about it, and the mark of a step.
// @ts-check
import { LSPPlugin } from "@codemirror/lsp-client";
import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import { splitAtColumn } from "../../vscode/src/panel/host/bytes.ts";
import { URI } from "./server.js";
import { askAgain } from "./visible.js";

/** The event of changes that load another text. */
export const LOAD = "load";

/** @typedef {"edited" | "loaded" | "moved" | "evaluated" | "checked"} SourceEvent */

/** Sets the start of the marked line, or removes the mark. @type {import("@codemirror/state").StateEffectType<number | undefined>} */
const setMark = StateEffect.define();

const MARK = Decoration.line({ class: "step-line" });

const marked = StateField.define({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMark)) return effect.value === undefined ? Decoration.none : Decoration.set(MARK.range(effect.value));
    }
    return decorations.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

export class Source {
  /** @type {EditorView | undefined} */
  #view;
  /** @type {Map<SourceEvent, Set<(detail: any) => void>>} */
  #listeners = new Map();

  uri = URI;

  extension = [
    marked,
    EditorView.updateListener.of(({ docChanged, selectionSet, transactions }) => {
      if (docChanged) this.emit(transactions.some((one) => one.isUserEvent(LOAD)) ? "loaded" : "edited");
      if (selectionSet && !docChanged) this.emit("moved");
    }),
  ];

  /** @param {EditorView} view */
  attach(view) {
    this.#view = view;
  }

  get view() {
    if (this.#view === undefined) throw new Error("There is no editor yet.");
    return this.#view;
  }

  /** @param {SourceEvent} event @param {(detail: any) => void} listener */
  on(event, listener) {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
  }

  /** @param {SourceEvent} event @param {any} [detail] */
  emit(event, detail) {
    this.#listeners.get(event)?.forEach((listener) => listener(detail));
  }

  get lines() {
    return this.view.state.doc.toString().split("\n");
  }

  /** The line of the cursor, from 1. */
  get cursorLine() {
    const { doc, selection } = this.view.state;
    return doc.lineAt(selection.main.head).number;
  }

  /** Sends a request about the current text to the server. @param {string} method @param {any} params @returns {Promise<any>} */
  async request(method, params) {
    const plugin = LSPPlugin.get(this.view);
    if (plugin === null) throw new Error("The language server does not run.");
    await plugin.client.initializing;
    plugin.client.sync();
    return plugin.client.request(method, params);
  }

  /** @param {string} command the name without `ptx-analyzer.` @param {object} argument */
  command(command, argument) {
    return this.request("workspace/executeCommand", { command: `ptx-analyzer.${command}`, arguments: [argument] });
  }

  /** Returns sanitized HTML. @param {string} markdown */
  html(markdown) {
    return LSPPlugin.get(this.view)?.docToHTML(markdown, "markdown") ?? "";
  }

  /** @param {number} line from 1 */
  #line(line) {
    const { doc } = this.view.state;
    return doc.line(Math.max(1, Math.min(line, doc.lines)));
  }

  /** Moves the cursor to a place and shows it. @param {number} line from 1 @param {number} [column] from 1, in bytes */
  reveal(line, column = 1) {
    const { from, text } = this.#line(line);
    this.show(from + splitAtColumn(text, column)[0].length);
  }

  /** Moves the cursor to an offset and shows it. @param {number} offset */
  show(offset) {
    const anchor = Math.min(offset, this.view.state.doc.length);
    this.view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    this.view.focus();
  }

  /** Marks the line of a step. @param {number | undefined} line from 1 @param {boolean} [scroll] */
  mark(line, scroll = false) {
    /** @type {StateEffect<any>[]} */
    const effects = [setMark.of(line === undefined ? undefined : this.#line(line).from)];
    if (line !== undefined && scroll) effects.push(EditorView.scrollIntoView(this.#line(line).from, { y: "nearest", yMargin: 60 }));
    this.view.dispatch({ effects });
  }

  /** Asks the server again for hints, which can show the values of a step. */
  refresh() {
    this.view.dispatch({ effects: askAgain.of(undefined) });
  }

  /** Replaces whole lines. @param {{ from: number, to: number, lines: string[] }} edit from 0, the end exclusive */
  replaceLines({ from, to, lines }) {
    const { doc } = this.view.state;
    const start = (/** @type {number} */ line) => (line >= doc.lines ? doc.length : doc.line(line + 1).from);
    this.view.dispatch({ changes: { from: start(from), to: start(to), insert: lines.map((line) => `${line}\n`).join("") }, userEvent: "input.fix" });
  }

  /** @param {number} from @param {number} to @param {string} insert */
  replace(from, to, insert) {
    this.view.dispatch({ changes: { from, to, insert }, userEvent: "input.fix" });
  }
}
