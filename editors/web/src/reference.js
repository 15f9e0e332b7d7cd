// The reference beside the text: chapters of the server about an instruction, a modifier, a diagnostic or a topic.
// @ts-check
import { actionButton, element } from "./dom.js";
import { explainLink } from "./sanitize.js";

/** The chapters of the instruction set as a site; undefined if the playground was built without it. @type {string | undefined} */
// @ts-ignore: build.mjs defines it.
const site = REFERENCE;

/** How documentation for a terminal names another chapter. */
const COMMAND = /^ptx-analyzer explain (.+?)(?: --all)?$/;

const NOTHING = "Type the name of an instruction, a modifier, a special register, a directive or a diagnostic, or words such as “shuffle” or “async copy”.";

export class ReferenceView {
  #source;
  #field = document.createElement("input");
  #page = element("div", "documentation");
  #asked = 0;
  /** Queries of earlier chapters. @type {string[]} */
  #past = [];
  #query = "";
  #back;

  /** @param {HTMLElement} parent @param {import("./source.js").Source} source */
  constructor(parent, source) {
    this.#source = source;
    this.#field.type = "search";
    this.#field.placeholder = "fma, .ftz, %tid, shuffle…";
    this.#field.setAttribute("aria-label", "Look up");
    this.#field.spellcheck = false;
    this.#field.autocapitalize = "off";
    this.#field.addEventListener("change", () => this.#field.value.trim() !== "" && void this.look(this.#field.value.trim()));
    this.#back = actionButton(() => {
      const query = this.#past.pop();
      if (query !== undefined) void this.#show(query);
    }, "Back");
    const bar = element("div", "bar", this.#field, this.#back);
    if (site !== undefined) {
      const link = /** @type {HTMLAnchorElement} */ (element("a", "", "All pages"));
      link.href = site;
      bar.append(link);
    }
    this.#page.textContent = NOTHING;
    this.#page.setAttribute("aria-live", "polite");
    this.#back.disabled = true;
    parent.append(bar, this.#page);
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    if (visible && this.#query === "") this.#field.focus();
  }

  /** Shows the chapter for a query. @param {string} query */
  async look(query) {
    if (this.#query !== "" && this.#query !== query) this.#past.push(this.#query);
    await this.#show(query);
  }

  /** @param {string} query */
  async #show(query) {
    const number = ++this.#asked;
    this.#query = query;
    this.#field.value = query;
    this.#back.disabled = this.#past.length === 0;
    /** @type {string | null} */
    const text = await this.#source.command("explain", { query }).catch((error) => error.message);
    if (number !== this.#asked) return;
    if (text === null) {
      this.#page.textContent = `The reference has nothing about “${query}”.`;
      return;
    }
    // `html` returns sanitized HTML.
    this.#page.innerHTML = this.#source.html(text);
    for (const code of this.#page.querySelectorAll("code")) {
      const other = COMMAND.exec(code.textContent ?? "")?.[1];
      if (other === undefined) continue;
      const link = /** @type {HTMLAnchorElement} */ (element("a", "", other));
      link.setAttribute("href", explainLink(other));
      code.replaceWith(link);
    }
    for (const pre of this.#page.querySelectorAll("pre")) pre.tabIndex = 0;
    this.#page.parentElement?.scrollTo(0, 0);
  }
}
