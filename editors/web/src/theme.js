// The look of the editor, in the colours of colours.css.
// @ts-check
import { Compartment } from "@codemirror/state";
import { EditorView } from "@codemirror/view";

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--text)", backgroundColor: "var(--paper)", fontSize: "14px" },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--code)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--text)", paddingBottom: "40px" },
  ".cm-cursor": { borderLeftColor: "var(--text)", borderLeftWidth: "2px" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": { backgroundColor: "var(--selection)" },
  ".cm-gutters": { color: "var(--quiet)", backgroundColor: "var(--paper)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--active)" },
  ".cm-selectionMatch": { backgroundColor: "var(--selection)" },
  ".cm-tooltip": { maxWidth: "min(44em, 92vw)", color: "var(--text)", backgroundColor: "var(--panel)", border: "1px solid var(--line)", borderRadius: "5px" },
  ".cm-lsp-hover-tooltip": { maxHeight: "50vh", overflow: "auto" },
  ".cm-tooltip.cm-completionInfo": { maxWidth: "min(32em, 80vw)", maxHeight: "50vh", overflow: "auto" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected]": { color: "var(--text)", backgroundColor: "var(--selection)" },
  ".cm-tooltip-autocomplete > ul > li[aria-selected] .cm-completionDetail": { color: "var(--text)" },
  ".cm-searchMatch": { backgroundColor: "var(--selection)" },
  ".cm-searchMatch-selected": { outline: "1px solid var(--accent)" },
  ".cm-completionDetail": { color: "var(--quiet)", fontStyle: "normal" },
  ".cm-panels": { color: "var(--text)", backgroundColor: "var(--panel)" },
  ".cm-panels-top": { borderBottom: "1px solid var(--line)" },
  ".cm-panels-bottom": { borderTop: "1px solid var(--line)" },
  ".cm-textfield": { color: "var(--text)", backgroundColor: "var(--paper)", border: "1px solid var(--line)", fontSize: "inherit" },
  ".cm-button": { fontSize: "inherit", color: "var(--text)", backgroundColor: "var(--paper)", backgroundImage: "none", border: "1px solid var(--line)" },
  ".cm-diagnosticText": { whiteSpace: "pre-line" },
  ".cm-diagnosticText code": { fontFamily: "var(--code)" },
  ".cm-diagnosticSource": { opacity: "1", color: "var(--quiet)" },
});

/** Follows the colours that the system asks for. CodeMirror's own parts have two sets of colours. */
export function colorScheme() {
  const compartment = new Compartment();
  const query = matchMedia("(prefers-color-scheme: dark)");
  const extension = [theme, compartment.of(EditorView.darkTheme.of(query.matches))];
  /** @param {EditorView} view */
  const follow = (view) =>
    query.addEventListener("change", () => view.dispatch({ effects: compartment.reconfigure(EditorView.darkTheme.of(query.matches)) }));
  return { extension, follow };
}
