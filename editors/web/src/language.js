// Colours of PTX: by the shape of words at once, and by the server's semantic tokens when they come. Both use the classes
// `ptx-…` of code.css, named after the token kinds in docs/semantic-tokens.md.
// @ts-check
import { StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { LSPPlugin } from "@codemirror/lsp-client";
import { Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration, ViewPlugin } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";

/** @type {{ type: string, stateSpace: string, specialRegister: string, number: string }} */
// @ts-ignore: build.mjs takes the patterns from the TextMate grammar.
const patterns = PATTERNS;
const anchored = (/** @type {string} */ pattern) => new RegExp(`^(?:${pattern})`);
const TYPE = anchored(patterns.type);
const STATE_SPACE = anchored(patterns.stateSpace);
const SPECIAL_REGISTER = anchored(patterns.specialRegister);
const NUMBER = anchored(patterns.number);

/** @typedef {{ comment: boolean, start: boolean, opcode: boolean }} State */

/** @param {import("@codemirror/language").StringStream} stream @param {State} state */
function token(stream, state) {
  if (state.comment) {
    if (stream.skipTo("*/")) {
      stream.match("*/");
      state.comment = false;
    } else stream.skipToEnd();
    return "comment";
  }
  if (stream.sol()) {
    state.start = true;
    state.opcode = false;
  }
  if (stream.eatSpace()) return null;
  if (stream.match("//")) {
    stream.skipToEnd();
    return "comment";
  }
  if (stream.match("/*")) {
    state.comment = true;
    return "comment";
  }
  if (stream.match(/^"(?:\\.|[^"\\])*"?/)) return "string";
  if (stream.peek() === ".") state.start = false;
  if (stream.match(TYPE)) return "typeName";
  if (stream.match(STATE_SPACE)) return "modifier";
  if (stream.match(/^\.[A-Za-z_][\w:]*/)) return state.opcode ? "attributeName" : "keyword";
  if (stream.match(NUMBER)) return "number";
  if (stream.match(SPECIAL_REGISTER)) return "variableName.special";
  if (stream.match(/^@!?/)) return "operator";
  const { start } = state;
  if (stream.match(/^[A-Za-z_$%][\w$]*/)) {
    const word = stream.current();
    if (start && stream.match(/^\s*:(?!:)/, false)) return "labelName";
    // The predicate of a guard stands before the opcode.
    if (stream.string[stream.start - 1]?.match(/[@!]/)) return "variableName";
    state.start = false;
    if (start && /^[a-z]/.test(word)) {
      state.opcode = true;
      return "variableName.function";
    }
    return word.startsWith("%") ? "variableName" : "name";
  }
  if (/[;{}:]/.test(stream.next() ?? "")) {
    state.start = true;
    state.opcode = false;
  } else if (stream.current() === ",") state.opcode = false;
  return null;
}

export const ptx = StreamLanguage.define({
  name: "ptx",
  startState: () => ({ comment: false, start: true, opcode: false }),
  copyState: (state) => ({ ...state }),
  token,
  languageData: { commentTokens: { line: "//", block: { open: "/*", close: "*/" } } },
});

export const colors = syntaxHighlighting(
  tagHighlighter([
    { tag: tags.comment, class: "ptx-comment" },
    { tag: tags.string, class: "ptx-string" },
    { tag: tags.number, class: "ptx-number" },
    { tag: tags.typeName, class: "ptx-type" },
    { tag: tags.modifier, class: "ptx-stateSpace" },
    { tag: tags.attributeName, class: "ptx-modifier" },
    { tag: tags.keyword, class: "ptx-keyword" },
    { tag: tags.labelName, class: "ptx-label" },
    { tag: tags.special(tags.variableName), class: "ptx-specialRegister" },
    { tag: tags.function(tags.variableName), class: "ptx-opcode" },
    { tag: tags.variableName, class: "ptx-register" },
    { tag: tags.operator, class: "ptx-operator" },
  ]),
);

/** Kinds that the page has colours for; the server replaces others by standard kinds. */
const KINDS =
  "namespace type enumMember parameter variable property function macro keyword modifier comment string number operator decorator label opcode register predicate specialRegister stateSpace";

/** Milliseconds between a change and the request. */
const DELAY = 60;

/** Asks for the tokens of the visible lines after each change. */
const tokens = ViewPlugin.fromClass(
  class {
    decorations = Decoration.none;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    timer;
    /** @type {Map<string, Decoration>} */
    marks = new Map();

    /** @param {import("@codemirror/view").EditorView} view */
    constructor(view) {
      this.view = view;
      this.schedule();
    }

    /** @param {import("@codemirror/view").ViewUpdate} update */
    update(update) {
      if (update.docChanged) this.decorations = this.decorations.map(update.changes);
      if (update.docChanged || update.viewportChanged) this.schedule();
    }

    destroy() {
      clearTimeout(this.timer);
    }

    schedule() {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.ask().catch(() => {}), DELAY);
    }

    async ask() {
      const plugin = LSPPlugin.get(this.view);
      if (plugin === null) return;
      await plugin.client.initializing;
      const legend = plugin.client.serverCapabilities?.semanticTokensProvider?.legend;
      if (legend === undefined) return;
      plugin.client.sync();
      const { doc } = this.view.state;
      const { from, to } = this.view.viewport;
      const range = { start: plugin.toPosition(from), end: plugin.toPosition(to) };
      /** @type {{ data: number[] } | null} */
      const answer = await plugin.client.request("textDocument/semanticTokens/range", { textDocument: { uri: plugin.uri }, range });
      // After a change, the next answer has the places of the new text.
      if (answer === null || this.view.state.doc !== doc) return;
      this.decorations = this.decorate(doc, legend.tokenTypes, answer.data);
      this.view.dispatch({});
    }

    /** @param {import("@codemirror/state").Text} doc @param {string[]} types @param {number[]} data */
    decorate(doc, types, data) {
      /** @type {RangeSetBuilder<Decoration>} */
      const builder = new RangeSetBuilder();
      let line = 0;
      let character = 0;
      for (let at = 0; at + 4 < data.length; at += 5) {
        character = data[at] === 0 ? character + data[at + 1] : data[at + 1];
        line += data[at];
        if (line >= doc.lines) break;
        const start = doc.line(line + 1).from + character;
        const end = Math.min(start + data[at + 2], doc.length);
        if (start < end) builder.add(start, end, this.mark(types[data[at + 3]]));
      }
      return builder.finish();
    }

    /** @param {string} type */
    mark(type) {
      let mark = this.marks.get(type);
      if (mark === undefined) this.marks.set(type, (mark = Decoration.mark({ class: `ptx-${type}` })));
      return mark;
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

/** @type {import("@codemirror/lsp-client").LSPClientExtension} */
export const semanticTokens = {
  clientCapabilities: {
    textDocument: {
      semanticTokens: { requests: { range: true }, tokenTypes: KINDS.split(" "), tokenModifiers: [], formats: ["relative"], multilineTokenSupport: false },
    },
  },
  // Decorations of a higher precedence are the inner elements, whose colours win.
  editorExtension: Prec.highest(tokens),
};
