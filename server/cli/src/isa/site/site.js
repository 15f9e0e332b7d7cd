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
    index = window.PTX_SEARCH.prepared(window.PTX_INDEX);
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

function show() {
  const text = field.value.trim();
  if (text === "") return hide();
  load(() => {
    rows = window.PTX_SEARCH.search(index, field.value).slice(0, MOST);
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
  name.textContent = row.title || row.name;
  const kind = document.createElement("span");
  kind.className = "kind";
  kind.textContent = index.kinds[row.kind];
  const summary = document.createElement("span");
  summary.className = "summary";
  summary.textContent = row.summary;
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
      if (list.hidden) rows = window.PTX_SEARCH.search(index, field.value).slice(0, MOST);
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
