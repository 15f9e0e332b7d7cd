// Colours of PTX: by the shape of words at once, and by the server's semantic tokens when they come. Both use the classes
// `ptx-…` of code.css, named after the token kinds in docs/semantic-tokens.md.
// @ts-check
import { StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { Prec, RangeSetBuilder } from "@codemirror/state";
import { Decoration } from "@codemirror/view";
import { tagHighlighter, tags } from "@lezer/highlight";
import { visibleLines } from "./visible.js";

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

/** @type {Map<string, Decoration>} */
const marks = new Map();

/** @param {string} type */
function mark(type) {
  let known = marks.get(type);
  if (known === undefined) marks.set(type, (known = Decoration.mark({ class: `ptx-${type}` })));
  return known;
}

/**
 * @param {import("@codemirror/lsp-client").LSPPlugin} plugin
 * @param {{ data: number[] } | null} answer
 */
function decorate({ client, view }, answer) {
  const { doc } = view.state;
  const types = client.serverCapabilities?.semanticTokensProvider?.legend.tokenTypes ?? [];
  const data = answer?.data ?? [];
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
    if (start < end) builder.add(start, end, mark(types[data[at + 3]]));
  }
  return builder.finish();
}

const tokens = visibleLines("textDocument/semanticTokens/range", DELAY, decorate);

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
