// The views beside the text, as tabs. All but the first one are loaded when they are opened.
// @ts-check
import { byId } from "./dom.js";

/** @typedef {"check" | "outline" | "registers" | "warp" | "reference"} ViewName */
/** @typedef {{ setVisible(visible: boolean): void }} View */

/** Views that need more room. @type {ReadonlySet<ViewName>} */
const WIDE = new Set(["warp", "reference"]);

/** @type {ViewName[]} */
const NAMES = ["check", "outline", "registers", "warp", "reference"];

export class Views {
  #source;
  #notice;
  /** @type {Map<ViewName, Promise<any>>} */
  #loaded = new Map();
  /** @type {ViewName} */
  current = "check";

  /** @param {import("./source.js").Source} source @param {(message: string) => void} notice shows an error */
  constructor(source, notice) {
    this.#source = source;
    this.#notice = notice;
    for (const name of NAMES) this.#tab(name).addEventListener("click", () => this.#choose(name));
    byId("tabs").addEventListener("keydown", (event) => {
      const at = NAMES.indexOf(this.current);
      const next = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: NAMES.length - 1 }[event.key];
      if (next === undefined) return;
      event.preventDefault();
      const name = NAMES[(next + NAMES.length) % NAMES.length];
      this.#choose(name);
      this.#tab(name).focus();
    });
  }

  /** @param {ViewName} name */
  #tab = (name) => byId(`tab-${name}`);

  /** @param {ViewName} name */
  #choose(name) {
    if (name === "warp" && this.current !== "warp" && !this.#loaded.has("warp")) void this.evaluate();
    else this.open(name).catch((error) => this.#failed(error));
  }

  /** @param {unknown} error */
  #failed(error) {
    console.error(error);
    this.#notice("A part of the page did not load. Reload the page to try again.");
  }

  /** @param {ViewName} name @returns {Promise<any>} */
  async #make(name) {
    const parent = byId(`view-${name}`);
    switch (name) {
      case "outline":
        return new (await import("./outline.js")).OutlineView(parent, this.#source);
      case "registers":
        return new (await import("./registers.js")).RegistersView(parent, this.#source);
      case "warp":
        return new (await import("./warp.js")).WarpView(parent, this.#source, this.#notice);
      case "reference":
        return new (await import("./reference.js")).ReferenceView(parent, this.#source);
      default:
        return { setVisible: () => {} };
    }
  }

  /** Shows a view. @param {ViewName} name */
  async open(name) {
    const before = this.current;
    this.current = name;
    for (const one of NAMES) {
      const chosen = one === name;
      this.#tab(one).setAttribute("aria-selected", String(chosen));
      this.#tab(one).tabIndex = chosen ? 0 : -1;
      byId(`view-${one}`).hidden = !chosen;
    }
    byId("main").classList.toggle("wide", WIDE.has(name));
    if (before !== name) (await this.#loaded.get(before))?.setVisible(false);
    let loading = this.#loaded.get(name);
    if (loading === undefined) {
      loading = this.#make(name);
      loading.catch(() => this.#loaded.delete(name));
      this.#loaded.set(name, loading);
    }
    const view = await loading;
    if (this.current === name) view.setVisible(true);
    return view;
  }

  /** Evaluates the kernel at the cursor, step by step. @param {number} [line] */
  async evaluate(line) {
    try {
      const view = await this.open("warp");
      view.evaluate(line);
      view.focus();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Shows a chapter of the reference. @param {string} query */
  async explain(query) {
    try {
      const view = await this.open("reference");
      await view.look(query);
      byId("view-reference").focus();
    } catch (error) {
      this.#failed(error);
    }
  }
}
