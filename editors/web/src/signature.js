// Hides the signature when it is no longer wanted. CodeMirror's client has no way to close it: it shows the signature of each
// instruction that the cursor comes to.
// @ts-check
import { Prec } from "@codemirror/state";
import { EditorView, ViewPlugin, keymap } from "@codemirror/view";

const wanted = ViewPlugin.fromClass(
  class {
    hidden = false;

    /** @param {import("@codemirror/view").ViewUpdate} update */
    update({ transactions, selectionSet, docChanged, startState, state }) {
      if (transactions.some((one) => one.isUserEvent("input.type"))) this.hidden = false;
      else if (selectionSet && !docChanged) {
        const line = (/** @type {import("@codemirror/state").EditorState} */ one) => one.doc.lineAt(one.selection.main.head).number;
        if (line(startState) !== line(state)) this.hidden = true;
      }
    }
  },
);

/** Returns a command that hides or allows the signature and leaves the key to other commands. @param {boolean} hidden */
const set = (hidden) => (/** @type {EditorView} */ view) => {
  const plugin = view.plugin(wanted);
  if (plugin !== null) plugin.hidden = hidden;
  view.dispatch({});
  return false;
};

/** Escape and another line hide the signature; typing and its key show it again. */
export const signatureEnds = [
  wanted,
  EditorView.editorAttributes.of((view) => (view.plugin(wanted)?.hidden ? { class: "ptx-no-signature" } : null)),
  EditorView.theme({ "&.ptx-no-signature .cm-lsp-signature-tooltip": { display: "none" } }),
  Prec.highest(
    keymap.of([
      { key: "Escape", run: set(true) },
      { key: "Mod-Shift-Space", run: set(false) },
    ]),
  ),
];
