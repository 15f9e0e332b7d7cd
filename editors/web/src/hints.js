// Inlay hints: what a line means and does not spell out, such as the value of a floating-point number that is written as bits.
// @ts-check
import { Decoration, WidgetType } from "@codemirror/view";
import { visibleLines } from "./visible.js";

/** Milliseconds between a change and the request: hints should not jump while the user types. */
const DELAY = 400;

class Hint extends WidgetType {
  /** @param {string} text @param {boolean} left @param {boolean} right whether there is space on that side */
  constructor(text, left, right) {
    super();
    this.text = text;
    this.left = left;
    this.right = right;
  }

  /** @param {Hint} other */
  eq(other) {
    return other.text === this.text && other.left === this.left && other.right === this.right;
  }

  toDOM() {
    const element = document.createElement("span");
    element.className = `hint${this.left ? " left" : ""}${this.right ? " right" : ""}`;
    element.textContent = this.text;
    return element;
  }

  ignoreEvent() {
    return false;
  }
}

/** @param {import("@codemirror/lsp-client").LSPPlugin} plugin @param {any[] | null} answer */
function decorate({ view }, answer) {
  const { doc } = view.state;
  const widgets = (answer ?? []).flatMap(({ position, label, paddingLeft, paddingRight }) => {
    if (position.line >= doc.lines) return [];
    const line = doc.line(position.line + 1);
    const text = typeof label === "string" ? label : label.map((/** @type {{ value: string }} */ part) => part.value).join("");
    const widget = new Hint(text, paddingLeft === true, paddingRight === true);
    return Decoration.widget({ widget, side: 1 }).range(Math.min(line.from + position.character, line.to));
  });
  return Decoration.set(widgets, true);
}

/** @type {import("@codemirror/lsp-client").LSPClientExtension} */
export const inlayHints = {
  clientCapabilities: { textDocument: { inlayHint: {} } },
  editorExtension: visibleLines("textDocument/inlayHint", DELAY, decorate),
};
