// The outline: declarations of the text as a tree.
// @ts-check
import { actionButton, element } from "./dom.js";
import { Questions } from "./questions.js";

/** Milliseconds after the last key before the outline is updated. */
const QUIET = 300;

/** The outline shows at most this many declarations. */
const MAX_SYMBOLS = 2_000;

/** @typedef {{ name: string, detail?: string, selectionRange: { start: { line: number, character: number } }, children?: DocumentSymbol[] }} DocumentSymbol */

export class OutlineView {
  #source;
  #parent;
  #questions;
  #left = 0;

  /** @param {HTMLElement} parent @param {import("./source.js").Source} source */
  constructor(parent, source) {
    this.#parent = parent;
    this.#source = source;
    this.#questions = new Questions(parent, source, ["edited", "loaded"], QUIET, (isLatest) => this.#ask(isLatest));
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    this.#questions.setVisible(visible);
  }

  /** @param {() => boolean} isLatest */
  async #ask(isLatest) {
    /** @type {DocumentSymbol[] | null} */
    const symbols = await this.#source.request("textDocument/documentSymbol", { textDocument: { uri: this.#source.uri } });
    if (!isLatest()) return;
    this.#left = MAX_SYMBOLS;
    const empty = element("p", "", "The text declares nothing.");
    this.#parent.replaceChildren(symbols === null || symbols.length === 0 ? empty : this.#list(symbols));
  }

  /** @param {DocumentSymbol[]} symbols @returns {HTMLElement} */
  #list(symbols) {
    const list = element("ul", "outline");
    for (const { name, detail, selectionRange, children = [] } of symbols) {
      if (this.#left-- <= 0) break;
      const { line, character } = selectionRange.start;
      const go = () => {
        const { doc } = this.#source.view.state;
        this.#source.show(doc.line(Math.min(line + 1, doc.lines)).from + character);
      };
      const item = element("li", "", actionButton(go, element("code", "", name), " ", element("span", "place", detail ?? "")));
      if (children.length > 0) item.append(this.#list(children));
      list.append(item);
    }
    return list;
  }
}
