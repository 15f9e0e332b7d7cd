// Incremental search, and the switch between light and dark. The page fetches nothing: the index is a script that is
// loaded when the search field gets the focus.
"use strict";

const root = document.documentElement.dataset.root ?? "";
const field = document.getElementById("search");
const list = document.getElementById("found");
const said = document.getElementById("said");
const MOST = 40;

let index = null;
let rows = [];
let chosen = -1;

function load(then) {
  if (index) return then();
  if (window.PTX_INDEX) {
    index = window.PTX_INDEX;
    index.rows = index.rows.map(prepared);
    return then();
  }
  let script = document.getElementById("index");
  if (!script) {
    script = document.createElement("script");
    script.id = "index";
    script.src = root + "search-index.js";
    document.head.append(script);
  }
  script.addEventListener("load", () => load(then), { once: true });
}

// A row of the index with its words, so that a search need not take it apart.
function prepared([name, kind, path, summary, cuda, synonyms, group]) {
  const spelled = [name, ...synonyms.split("\n"), group].filter(Boolean);
  const keys = spelled.map(key).filter(Boolean);
  const parts = name.toLowerCase().split(/[._:%-]/).filter((part) => part.length > 1);
  return {
    name,
    kind,
    path,
    summary,
    cuda: cuda.split("\n").filter(Boolean),
    lower: name.toLowerCase(),
    text: new Set(wordsOf(summary).map(stem)),
    // A group is a word like others, and no name of the page.
    keys: group ? keys.slice(0, -1) : keys,
    stems: new Set([...keys.flatMap((k) => k.split(" ")), ...parts.map(stem)]),
  };
}

// The words of a phrase, without those that say nothing. The search of `ptx-analyzer explain` does the same.
function wordsOf(text) {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}_.%:]+/u);
  return words.map((word) => word.replace(/[.:]+$/, "")).filter((word) => word && !index.stop.includes(word));
}

// A word without its ending: `lanes` and `lane` are the same.
function stem(word) {
  word = word.replaceAll("isation", "ization").replaceAll("ising", "izing").replace(/is(e|ed|es)$/, "iz$1");
  const cut = index.endings.find(([ending]) => word.endsWith(ending));
  if (cut && word.length - cut[0].length + cut[1].length >= index.stem) {
    word = word.slice(0, word.length - cut[0].length) + cut[1];
  }
  return word.length > index.stem && word.endsWith("e") ? word.slice(0, -1) : word;
}

function key(text) {
  const words = wordsOf(text.replace(/[-_.]/g, " "));
  return words.map((word) => stem(word.replace(/^[%.]+/, ""))).join(" ");
}

// Whether a word is a CUDA C++ name, with or without its leading underscores.
function isName(word, lower) {
  return lower === word || lower.replace(/^_+/, "") === word || lower.endsWith("::" + word);
}

// The CUDA C++ name of a row that a word is or begins.
function cuda(word, row) {
  const names = row.cuda.map((name) => [name, name.toLowerCase()]);
  const exact = names.find(([, lower]) => isName(word, lower));
  const begun = () => names.find(([, lower]) => word.length > 2 && (lower.startsWith(word) || lower.startsWith("__" + word)));
  return (exact ?? begun())?.[0];
}

function fit(word, row) {
  const called = cuda(word, row);
  const score = called === undefined ? 0 : isName(word, called.toLowerCase()) ? 90 : 18;
  return Math.max(score, fitName(word, row));
}

// How well a row fits a word; 0: not at all. A name may be typed without its first character: `.`, `%`, `"`.
function fitName(word, row) {
  const name = row.lower;
  const bare = name.replace(/^[.%"@]+/, "");
  if (word === name || word === bare) return 100;
  if (name.startsWith(word) || bare.startsWith(word)) return 60 - Math.min(name.length, 30);
  const own = stem(word);
  if (row.stems.has(own)) return 26;
  if (name.includes(word)) return 20;
  if (word.length > 2 && [...row.stems].some((s) => s.startsWith(own))) return 12;
  return row.text.has(own) ? 6 : 0;
}

// The rows that have all words; where there is none, those that have most of them.
function find(text) {
  // A call stands for its function.
  const words = wordsOf(text.replace(/\(.*/, ""));
  if (words.length === 0) return [];
  const phrase = key(text);
  const all = [];
  const some = [];
  for (const row of index.rows) {
    const whole = row.keys.includes(phrase);
    const scores = words.map((word) => fit(word, row));
    const matched = whole ? words.length : scores.filter(Boolean).length;
    if (matched === 0) continue;
    const score = scores.reduce((sum, own) => sum + own, whole ? 120 : 0);
    // Instructions come first where all else is equal.
    if (matched === words.length) all.push([score * 16 - row.kind, row]);
    else if (matched * 2 >= words.length && scores.some((own) => own > 6)) some.push([(matched * 200 + score) * 16 - row.kind, row]);
  }
  const found = all.length > 0 ? all : words.length > 1 ? some : [];
  found.sort((a, b) => b[0] - a[0] || (a[1].name < b[1].name ? -1 : 1));
  return found.slice(0, MOST).map((pair) => pair[1]);
}

// `fma.rn.f32` is not a name: search for its longest prefix that is one, then for its modifiers.
function search(text) {
  const found = find(text);
  if (found.length > 0 || /\s/.test(text.trim()) || !text.includes(".")) return found;
  const parts = text.trim().split(".");
  for (let n = parts.length - 1; n > 0; n -= 1) {
    const head = index.rows.filter((row) => row.kind === 0 && row.lower === parts.slice(0, n).join(".").toLowerCase());
    if (head.length > 0) {
      const rest = parts.slice(n).map((part) => "." + part.toLowerCase());
      const modifiers = rest.flatMap((name) => index.rows.filter((row) => row.kind !== 0 && row.lower === name).slice(0, 1));
      return [...head, ...modifiers];
    }
  }
  return found;
}

function show() {
  const text = field.value.trim();
  if (text === "") return hide();
  load(() => {
    rows = search(field.value);
    chosen = rows.length > 0 ? 0 : -1;
    list.replaceChildren(...rows.map(item));
    list.hidden = rows.length === 0;
    field.setAttribute("aria-expanded", String(rows.length > 0));
    said.textContent = rows.length === 0 ? "Nothing found" : rows.length === 1 ? "1 result" : `${rows.length} results`;
    said.classList.toggle("shown", rows.length === 0);
    mark();
  });
}

function item(row, number) {
  const option = document.createElement("li");
  option.id = "found" + number;
  option.setAttribute("role", "option");
  const name = document.createElement("code");
  name.textContent = row.name;
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = index.kinds[row.kind];
  const summary = document.createElement("span");
  summary.className = "summary";
  // If the name of the row does not contain the words, say why the row matches.
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const called = words.filter((word) => !row.lower.includes(word)).map((word) => cuda(word, row)).find(Boolean);
  summary.textContent = called ? `${called} in CUDA C++ – ${row.summary}` : row.summary;
  option.append(name, kind, summary);
  option.addEventListener("mousedown", (event) => event.preventDefault());
  option.addEventListener("click", (event) => open(row, event.ctrlKey || event.metaKey));
  return option;
}

function mark() {
  for (const [number, option] of [...list.children].entries()) {
    option.setAttribute("aria-selected", String(number === chosen));
  }
  const option = list.children[chosen];
  if (option) {
    field.setAttribute("aria-activedescendant", option.id);
    option.scrollIntoView({ block: "nearest" });
  } else {
    field.removeAttribute("aria-activedescendant");
  }
}

function hide() {
  list.hidden = true;
  said.textContent = "";
  said.classList.remove("shown");
  field.setAttribute("aria-expanded", "false");
  field.removeAttribute("aria-activedescendant");
}

function open(row, elsewhere) {
  const address = root + row.path;
  if (elsewhere) window.open(address, "_blank", "noopener");
  else location.href = address;
}

field.addEventListener("focus", () => load(() => {}));
field.addEventListener("input", show);
field.addEventListener("focus", () => field.value && show());
field.addEventListener("blur", hide);
field.addEventListener("keydown", (event) => {
  if (event.key === "Escape") {
    field.value = "";
    hide();
    field.blur();
  } else if (event.key === "Enter") {
    // If the user types before the index is loaded, the list opens after loading.
    load(() => {
      if (list.hidden) rows = search(field.value);
      const row = rows[Math.max(chosen, 0)];
      if (row) open(row, event.ctrlKey || event.metaKey);
    });
  } else if (!list.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    chosen = (chosen + (event.key === "ArrowDown" ? 1 : rows.length - 1)) % rows.length;
    mark();
    event.preventDefault();
  }
});
document.addEventListener("keydown", (event) => {
  const typing = event.target.closest("input, textarea, select");
  if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
    event.preventDefault();
    field.focus();
    field.select();
  }
});

// Themes: the system's colours, light, dark.
const button = document.getElementById("theme");
const themes = { "": "Auto", light: "Light", dark: "Dark" };
function name() {
  const theme = document.documentElement.dataset.theme ?? "";
  button.textContent = themes[theme] ?? themes[""];
  button.setAttribute("aria-label", `Colours: ${button.textContent}`);
}
button.addEventListener("click", () => {
  const order = Object.keys(themes);
  const next = order[(order.indexOf(document.documentElement.dataset.theme ?? "") + 1) % order.length];
  if (next) document.documentElement.dataset.theme = next;
  else delete document.documentElement.dataset.theme;
  try {
    if (next) localStorage.setItem("ptx-theme", next);
    else localStorage.removeItem("ptx-theme");
  } catch {
    // Without storage the choice applies to this page only.
  }
  name();
});
name();
button.hidden = false;

// Unfold all details for printing.
addEventListener("beforeprint", () => {
  for (const details of document.querySelectorAll("details:not([open])")) {
    details.dataset.folded = "";
    details.open = true;
  }
});
addEventListener("afterprint", () => {
  for (const details of document.querySelectorAll("details[data-folded]")) {
    details.open = false;
    delete details.dataset.folded;
  }
});
