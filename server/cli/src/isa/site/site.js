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
    for (const row of index.rows) row.push(row[0].toLowerCase(), row[3].toLowerCase(), row[4].split(" ").filter(Boolean));
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

// Whether a word is a CUDA C++ name, possibly without its leading underscores.
function isName(word, lower) {
  return lower === word || lower.replace(/^_+/, "") === word;
}

// The CUDA C++ name of a row that equals a word or begins with it.
function cuda(word, row) {
  const names = row[7].map((name) => [name, name.toLowerCase()]);
  const exact = names.find(([, lower]) => isName(word, lower));
  const begun = () => names.find(([, lower]) => word.length > 2 && (lower.startsWith(word) || lower.startsWith("__" + word)));
  return (exact ?? begun())?.[0];
}

function fit(word, row) {
  const called = cuda(word, row);
  const score = called === undefined ? 0 : isName(word, called.toLowerCase()) ? 90 : 26;
  return Math.max(score, fitName(word, row[5], row[6]));
}

// A score for how well a row matches a word; 0 means no match. The user may omit the first character of a name: `.`,
// `%`, `"`.
function fitName(word, name, summary) {
  const bare = name.replace(/^[.%"@]+/, "");
  if (word === name || word === bare) return 100;
  if (name.startsWith(word) || bare.startsWith(word)) return 60 - Math.min(name.length, 30);
  const at = name.indexOf(word);
  if (at > 0) return /[.:_\-]/.test(name[at - 1]) ? 28 : 20;
  const text = summary.indexOf(word);
  if (text < 0) return 0;
  return text === 0 || /\W/.test(summary[text - 1]) ? 10 : 4;
}

function find(text) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = [];
  if (words.length === 0) return found;
  for (const row of index.rows) {
    let score = 0;
    for (const word of words) {
      const own = fit(word, row);
      if (own === 0) {
        score = 0;
        break;
      }
      score += own;
    }
    // At equal scores instructions come first.
    if (score > 0) found.push([score * 16 - row[1], row]);
  }
  found.sort((a, b) => b[0] - a[0] || (a[1][0] < b[1][0] ? -1 : 1));
  return found.slice(0, MOST).map((pair) => pair[1]);
}

// `fma.rn.f32` is not a name: search for its longest prefix that is one, then for its modifiers.
function search(text) {
  const found = find(text);
  if (found.length > 0 || /\s/.test(text.trim()) || !text.includes(".")) return found;
  const parts = text.trim().split(".");
  for (let n = parts.length - 1; n > 0; n -= 1) {
    const head = index.rows.filter((row) => row[1] === 0 && row[5] === parts.slice(0, n).join(".").toLowerCase());
    if (head.length > 0) {
      const rest = parts.slice(n).map((part) => "." + part.toLowerCase());
      const modifiers = rest.flatMap((name) => index.rows.filter((row) => row[1] !== 0 && row[5] === name).slice(0, 1));
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
  name.textContent = row[0];
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = index.kinds[row[1]];
  const summary = document.createElement("span");
  summary.className = "summary";
  // If the name of the row does not contain the words, say why the row matches.
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const called = words.filter((word) => !row[5].includes(word)).map((word) => cuda(word, row)).find(Boolean);
  summary.textContent = called ? `${called} in CUDA C++ – ${row[3]}` : row[3];
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
  const address = root + row[2];
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
