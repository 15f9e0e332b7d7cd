// The pickers for `.version` and `.target`. Their values are those that the server offers in the text.
// @ts-check
import { byId } from "./dom.js";

const PICKERS = [
  { id: "version", line: /^([ \t]*\.version[ \t]+)([\w.]+)/m },
  { id: "target", line: /^([ \t]*\.target[ \t]+)(\w+)/m },
];

/** Milliseconds after the last key before the pickers are updated. */
const QUIET = 200;

/** Only this many characters at the start of a text are searched for the two lines. */
const MAX_HEADER = 100_000;

/** Returns the range and the text of a value. @param {import("./source.js").Source} source @param {RegExp} line */
function valueIn(source, line) {
  const found = line.exec(source.view.state.doc.sliceString(0, MAX_HEADER));
  if (found === null) return undefined;
  const from = found.index + found[1].length;
  return { from, to: from + found[2].length, value: found[2] };
}

/** Orders `sm_100a` behind `sm_90`, newest first. @param {string} a @param {string} b */
const newestFirst = (a, b) => b.localeCompare(a, "en", { numeric: true });

/** Starts the pickers. @param {import("./source.js").Source} source */
export function startPickers(source) {
  const pickers = PICKERS.map(({ id, line }) => ({ select: /** @type {HTMLSelectElement} */ (byId(id)), line }));
  const update = () => {
    for (const { select, line } of pickers) {
      const own = valueIn(source, line);
      select.disabled = own === undefined;
      if (own === undefined) continue;
      if (![...select.options].some(({ value }) => value === own.value)) select.append(new Option(own.value, own.value));
      select.value = own.value;
    }
  };
  /** @param {typeof pickers[number]} picker */
  const fill = async ({ select, line }) => {
    const own = valueIn(source, line);
    if (own === undefined) return;
    const place = source.view.state.doc.lineAt(own.from);
    const position = { line: place.number - 1, character: own.from - place.from };
    const answer = await source.request("textDocument/completion", { textDocument: { uri: source.uri }, position });
    /** @type {string[]} */
    const offered = (answer?.items ?? answer ?? []).map((/** @type {{ label: string }} */ item) => item.label).filter((/** @type {string} */ label) => /^(sm_\w+|\d+\.\d+)$/.test(label));
    const values = [...new Set([own.value, ...offered])].sort(newestFirst);
    select.replaceChildren(...values.map((value) => new Option(value, value)));
    update();
  };
  for (const picker of pickers) {
    picker.select.addEventListener("change", () => {
      const own = valueIn(source, picker.line);
      if (own !== undefined) source.replace(own.from, own.to, picker.select.value);
    });
  }
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let filled = false;
  const soon = () => {
    clearTimeout(timer);
    timer = setTimeout(update, QUIET);
  };
  source.on("edited", soon);
  source.on("loaded", soon);
  // After the first diagnostics, so that these do not wait.
  source.on("checked", () => {
    if (filled) return;
    filled = true;
    for (const picker of pickers) fill(picker).catch(() => (filled = false));
  });
  update();
}
