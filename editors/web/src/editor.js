// The page: the editor, the list of problems, examples and links.
// @ts-check
import { closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history as undoHistory, historyKeymap } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { formatDocument } from "@codemirror/lsp-client";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, highlightActiveLineGutter, highlightSpecialChars, keymap, lineNumbers } from "@codemirror/view";
import { count } from "../../vscode/src/registerWords.ts";
import { actionButton, byId, element } from "./dom.js";
import { colors, ptx } from "./language.js";
import { pack, unpack } from "./link.js";
import { startPickers } from "./module.js";
import { explainLink, explainQuery } from "./sanitize.js";
import { URI, connect, describe, messageNodes, quickFixes } from "./server.js";
import { LOAD, Source } from "./source.js";
import { colorScheme } from "./theme.js";
import { Views } from "./views.js";

/** @type {{ name: string, title: string }[]} */
// @ts-ignore: build.mjs lists the kernels.
const examples = EXAMPLES;

/** The list shows at most this many problems. */
const MAX_PROBLEMS = 200;

/** Milliseconds that the cursor rests before its word is described. */
const DESCRIBE_DELAY = 150;

const NO_DESCRIPTION = "Put the cursor on a word to read about it.";

/** Milliseconds between the first diagnostics and the start of the service worker. */
const OFFLINE_DELAY = 2_000;

/** Milliseconds that a confirmation stays. */
const CONFIRMATION = 6_000;

/** Shows an error above the editor, or removes it. @param {string} [message] */
function notice(message) {
  const element = byId("notice");
  element.hidden = message === undefined;
  element.textContent = message ?? "";
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let confirmation;

/** Shows for a while that something is done. @param {string} message */
function confirm(message) {
  clearTimeout(confirmation);
  const element = byId("done");
  element.textContent = message;
  confirmation = setTimeout(() => (element.textContent = ""), CONFIRMATION);
}

/** @param {string} message */
const status = (message) => void (byId("status").textContent = message);

/** @param {string} name */
async function readExample(name) {
  const response = await fetch(`kernels/${name}.ptx`);
  if (!response.ok) throw new Error(`The example ${name} did not load (status ${response.status}).`);
  return response.text();
}

/** Replaces the text. @param {EditorView} view @param {string} text */
function replace(view, text) {
  const changes = { from: 0, to: view.state.doc.length, insert: text };
  view.dispatch({ changes, selection: { anchor: 0 }, scrollIntoView: true, userEvent: LOAD });
}

/** Names no example any more when the text changes: then each of them can be chosen. */
const exampleEnds = EditorView.updateListener.of(({ transactions }) => {
  if (transactions.some((one) => one.docChanged && !one.isUserEvent(LOAD))) /** @type {HTMLSelectElement} */ (byId("example")).value = "";
});

/** Returns a list item with a button that leads to the problem. @param {EditorView} view @param {import("./server.js").Problem} problem */
function problemItem(view, { from, severity, message, source }) {
  const line = view.state.doc.lineAt(from);
  const go = () => {
    const anchor = Math.min(from, view.state.doc.length);
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.focus();
  };
  const place = element("span", "place", `${line.number}:${from - line.from + 1} `);
  const item = element("li", "", actionButton(go, place, element("span", severity, severity), " ", ...messageNodes(message)));
  if (source !== undefined) {
    const link = element("a", "code", source);
    link.setAttribute("href", explainLink(source));
    item.append(link);
  }
  return item;
}

/** Lists the problems with their fixes. @param {EditorView} view @param {import("./server.js").Problem[]} found */
async function listProblems(view, found) {
  const errors = found.filter(({ severity }) => severity === "error").length;
  const warnings = found.filter(({ severity }) => severity === "warning").length;
  const others = found.length - errors - warnings;
  const parts = [errors && count(errors, "error"), warnings && count(warnings, "warning"), others && count(others, "hint")];
  status(parts.filter(Boolean).join(", ") || "No problems");
  const shown = [...found].sort((a, b) => a.from - b.from).slice(0, MAX_PROBLEMS);
  const items = shown.map((problem) => problemItem(view, problem));
  byId("problems").replaceChildren(...items);
  const fixes = await quickFixes(view, shown).catch(() => []);
  fixes.forEach((own, index) => {
    for (const { title, apply } of own) {
      const button = actionButton(
        () => {
          apply();
          view.focus();
        },
        "Fix: ",
        ...messageNodes(title),
      );
      button.className = "fix";
      items[index].append(button);
    }
  });
}

/** Describes the word at the cursor beside the text: for phones and keyboards, which have no pointer. */
function description() {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  let asked = 0;
  /** @param {EditorView} view */
  const show = async (view) => {
    const number = ++asked;
    const html = await describe(view).catch(() => undefined);
    if (number !== asked) return;
    // `describe` returns sanitized HTML.
    if (html !== undefined) byId("about").innerHTML = html;
    else byId("about").textContent = NO_DESCRIPTION;
  };
  return EditorView.updateListener.of(({ selectionSet, docChanged, view }) => {
    if (!selectionSet && !docChanged) return;
    clearTimeout(timer);
    timer = setTimeout(() => void show(view), DESCRIBE_DELAY);
  });
}

/** Returns the text of the link, or the first example. */
async function firstText() {
  try {
    const text = await unpack(location.hash);
    if (text !== undefined) return { text, example: "" };
  } catch (error) {
    notice(/** @type {Error} */ (error).message);
  }
  const [{ name }] = examples;
  return { text: await readExample(name).catch(() => ""), example: name };
}

/** Puts a link with the text into the address bar. @param {EditorView} view */
async function linkTo(view) {
  history.replaceState(null, "", await pack(view.state.doc.toString()));
}

/** Returns a function that keeps the page for use without a network, when it is called for the first time. @param {() => Promise<void>} keep */
function offline(keep) {
  let started = false;
  return () => {
    if (started) return;
    started = true;
    setTimeout(() => import("./updates.js").then(({ start }) => start(keep)).catch((error) => console.info(`The page will need the network: ${error}`)), OFFLINE_DELAY);
  };
}

/** Puts a link with the text into the address bar and the clipboard. @param {EditorView} view */
async function share(view) {
  try {
    await linkTo(view);
  } catch (error) {
    notice(/** @type {Error} */ (error).message);
    return;
  }
  notice();
  const copied = await navigator.clipboard?.writeText(location.href).then(
    () => true,
    () => false,
  );
  const size = count(location.href.length, "character");
  confirm(copied ? `Link copied (${size})` : `The address bar has the link (${size}): the browser does not let the page copy it`);
}

/** @param {string} example the name of the chosen example */
function fillExamples(example) {
  const select = /** @type {HTMLSelectElement} */ (byId("example"));
  const own = new Option("Your text", "", example === "", example === "");
  own.disabled = true;
  own.hidden = true;
  select.replaceChildren(own, ...examples.map(({ name, title }) => new Option(title, name, false, name === example)));
  select.disabled = false;
  return select;
}

/** Opens the chapter of a link in documentation. @param {Event} event @param {Views} views */
function follow(event, views) {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  const query = explainQuery(link?.getAttribute("href") ?? null);
  if (query === undefined) return;
  event.preventDefault();
  void views.explain(query);
}

/**
 * @param {Worker | undefined} worker the language server
 * @param {() => boolean} failed whether it has failed before
 */
export async function start(worker, failed) {
  const { text, example } = await firstText();
  const scheme = colorScheme();
  /** @type {EditorView} */
  let view;
  const source = new Source();
  const keepOffline = offline(() => linkTo(view));
  const checked = (/** @type {import("./server.js").Problem[]} */ found) => {
    void listProblems(view, found);
    source.emit("checked");
    keepOffline();
  };
  const client = worker && !failed() ? connect(worker, checked, (evaluated) => source.emit("evaluated", evaluated)) : undefined;
  const views = new Views(source, notice);
  const evaluate = () => {
    void views.evaluate(source.cursorLine);
    return true;
  };
  const state = EditorState.create({
    doc: text,
    extensions: [
      lineNumbers(),
      lintGutter(),
      highlightSpecialChars(),
      undoHistory(),
      drawSelection(),
      indentUnit.of("    "),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      highlightSelectionMatches(),
      keymap.of([{ key: "Mod-Enter", run: evaluate }, ...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, ...completionKeymap, ...lintKeymap]),
      ptx,
      colors,
      scheme.extension,
      exampleEnds,
      source.extension,
      EditorView.contentAttributes.of({ "aria-label": "PTX text", tabindex: "0" }),
      client === undefined ? [] : [client.plugin(URI, "ptx"), description()],
    ],
  });
  // A shadow tree lets CodeMirror adopt its style sheets. In a document it would insert <style>, which the policy forbids.
  const root = byId("editor").attachShadow({ mode: "open" });
  const sheet = document.createElement("link");
  sheet.rel = "stylesheet";
  sheet.href = "code.css";
  root.append(sheet);
  view = new EditorView({ state, parent: root, root });
  scheme.follow(view);
  source.attach(view);
  for (const tree of [document, root]) tree.addEventListener("click", (event) => follow(event, views));

  const select = fillExamples(example);
  select.addEventListener("change", async () => {
    try {
      replace(view, await readExample(select.value));
      notice();
      if (location.hash !== "") history.replaceState(null, "", location.pathname + location.search);
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
    }
  });
  addEventListener("hashchange", async () => {
    try {
      const linked = await unpack(location.hash);
      if (linked === undefined) return;
      replace(view, linked);
      select.value = "";
      notice();
    } catch (error) {
      notice(/** @type {Error} */ (error).message);
    }
  });
  const shareButton = /** @type {HTMLButtonElement} */ (byId("share"));
  shareButton.addEventListener("click", () => share(view));
  shareButton.disabled = false;

  const fail = () => {
    status("No language server");
    notice("The language server did not load: there are no diagnostics and no documentation. You can still edit the text and copy a link. Reload the page to try again.");
    byId("problems").replaceChildren();
    for (const id of ["format", "evaluate", "version", "target"]) /** @type {HTMLButtonElement} */ (byId(id)).disabled = true;
  };
  if (worker === undefined || client === undefined) {
    fail();
    return;
  }
  worker.addEventListener("error", fail);
  try {
    await client.initializing;
  } catch {
    fail();
    return;
  }
  const formatButton = /** @type {HTMLButtonElement} */ (byId("format"));
  formatButton.addEventListener("click", () => {
    formatDocument(view);
    view.focus();
  });
  formatButton.disabled = false;
  const evaluateButton = /** @type {HTMLButtonElement} */ (byId("evaluate"));
  evaluateButton.addEventListener("click", evaluate);
  evaluateButton.disabled = false;
  startPickers(source);
}
