// The warp panel: its page is that of the extension for VS Code, in a frame; this is the other side of it.
// @ts-check
import { launchEdit, statementText } from "../../vscode/src/panel/host/launchEdit.ts";
import { fromPage, isRefusal, preferencesFrom } from "../../vscode/src/panel/messages.ts";

/** @typedef {import("../../vscode/src/panel/messages.ts").FromPage} FromPage */
/** @typedef {import("../../vscode/src/panel/messages.ts").Question} Question */

/** The storage key of the preferences. */
const PREFERENCES = "ptx-warp-panel";

/** Milliseconds without a step before the text shows the values of the new step. */
const FOCUS_PAUSE = 120;

function storedPreferences() {
  try {
    return preferencesFrom(JSON.parse(localStorage.getItem(PREFERENCES) ?? "null"));
  } catch {
    return preferencesFrom(null);
  }
}

/** @param {unknown} preferences */
function storePreferences(preferences) {
  try {
    localStorage.setItem(PREFERENCES, JSON.stringify(preferencesFrom(preferences)));
  } catch {
    // Without storage, preferences last as long as the page.
  }
}

export class WarpView {
  #source;
  #notice;
  #frame = document.createElement("iframe");
  #loaded = false;
  #visible = false;
  /** @type {object | undefined} */
  #shown;
  /** @type {{ line?: number }} */
  #target = {};
  /** @type {string | undefined} */
  #entry;
  #step = 0;
  /** Whether no step has been shown since the start of the evaluation. */
  #first = true;
  /** The launch and the warp of the last evaluation. */
  #warp = {};
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #focusing;

  /** @param {HTMLElement} parent @param {import("./source.js").Source} source @param {(message: string) => void} notice shows an error */
  constructor(parent, source, notice) {
    this.#source = source;
    this.#notice = notice;
    this.#frame.title = "Warp";
    this.#frame.src = "panel.html";
    addEventListener("message", ({ source: from, origin, data }) => {
      if (from !== this.#frame.contentWindow || origin !== location.origin) return;
      const message = fromPage(data);
      if (message !== undefined) this.#take(message);
    });
    source.on("edited", () => this.#post({ type: "edited" }));
    source.on("loaded", () => this.#visible && this.evaluate());
    source.on("moved", () => this.#post({ type: "cursor", line: source.cursorLine }));
    source.on("evaluated", (evaluated) => this.#post({ type: "evaluated", evaluated }));
    parent.append(this.#frame);
  }

  /** Evaluates a kernel. @param {number} [line] the kernel around or below this line, by default the first one with a launch */
  evaluate(line) {
    this.#target = line === undefined ? {} : { line };
    this.#entry = undefined;
    this.#warp = {};
    this.#show(null);
  }

  focus() {
    this.#frame.focus();
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    if (visible === this.#visible) return;
    this.#visible = visible;
    if (visible) {
      if (this.#shown !== undefined) this.#show(this.#step);
      return;
    }
    clearTimeout(this.#focusing);
    this.#source.mark(undefined);
    this.#source.command("clearEvaluation", { uri: this.#source.uri }).then(
      () => this.#source.refresh(),
      () => {},
    );
  }

  /** @param {number | null} step */
  #show(step) {
    const { uri, cursorLine } = this.#source;
    const entry = this.#entry === undefined ? {} : { entry: this.#entry };
    const target = { uri, ...this.#target, ...entry };
    this.#shown = { type: "show", target, file: "", preferences: storedPreferences(), asked: Date.now(), step, cursor: cursorLine };
    this.#visible = true;
    this.#first = true;
    this.#post(this.#shown);
  }

  /** @param {object} message */
  #post(message) {
    if (this.#loaded && this.#visible) this.#frame.contentWindow?.postMessage(message, location.origin);
  }

  /** @param {FromPage} message */
  #take(message) {
    const source = this.#source;
    switch (message.type) {
      case "ready":
        this.#loaded = true;
        if (this.#shown !== undefined) this.#post(this.#shown);
        break;
      case "ask":
        void this.#answer(message.id, message.question);
        break;
      case "at":
        if (!this.#visible) break;
        this.#step = message.step;
        source.mark(message.line, message.reveal || this.#first);
        this.#first = false;
        this.#focus(message.lane, message.step);
        break;
      case "reveal":
        source.reveal(message.line, message.column);
        break;
      case "entry":
        this.#entry = message.entry;
        break;
      case "write": {
        const edit = launchEdit(source.lines, message.lines, message.replaces, message.above);
        if (edit === undefined) this.#notice("The launch in the text has changed since it was read. Nothing was written.");
        else source.replaceLines(edit);
        break;
      }
      case "remember":
        storePreferences(message.preferences);
        break;
      case "copy":
        navigator.clipboard?.writeText(message.text).catch(() => this.#notice("The browser does not let the page copy the values."));
        break;
    }
  }

  /** @param {object} question @returns {Promise<any>} */
  async #evaluate(question) {
    const where = this.#entry === undefined ? this.#target : { entry: this.#entry };
    try {
      return await this.#source.command("evaluateWarp", { uri: this.#source.uri, ...where, ...question });
    } catch (error) {
      // Below the last kernel, the first one is meant.
      if (/** @type {any} */ (error).data?.kind !== "no-kernel" || this.#target.line === undefined) throw error;
      this.#target = {};
      this.#entry = undefined;
      return this.#evaluate(question);
    }
  }

  /** @param {number} id @param {Question} question */
  async #answer(id, question) {
    try {
      this.#post({ type: "answer", id, body: await this.#ask(question) });
    } catch (error) {
      const { message, data } = /** @type {{ message?: string, data?: unknown }} */ (error);
      this.#post({ type: "failure", id, message: message ?? String(error), refusal: isRefusal(data) ? data : null });
    }
  }

  /** @param {Question} question */
  async #ask(question) {
    const source = this.#source;
    switch (question.kind) {
      case "evaluate": {
        const { launch, number, cta, warp } = question.arguments;
        // Other questions may be about another warp than the one that is shown.
        if (question.arguments.focus !== undefined) this.#warp = JSON.parse(JSON.stringify({ launch, number, cta, warp }));
        const shown = this.#shown;
        const answer = await this.#evaluate(question.arguments);
        // Meanwhile the text may be another one, whose kernels have other names.
        if (this.#shown === shown) this.#entry ??= answer.entry;
        return answer;
      }
      case "launches":
        return source.command("launches", { uri: source.uri });
      case "statements": {
        const { lines } = source;
        return { texts: question.places.map(({ line, column }) => statementText(lines, line, column)) };
      }
    }
  }

  /** Shows the values of a lane in the text after a pause in stepping. @param {number} lane @param {number} step */
  #focus(lane, step) {
    clearTimeout(this.#focusing);
    this.#focusing = setTimeout(() => {
      if (!this.#visible) return;
      this.#evaluate({ ...this.#warp, count: 0, focus: { lane, step } }).then(
        () => this.#source.refresh(),
        // The panel got the same error and shows it.
        () => {},
      );
    }, FOCUS_PAUSE);
  }
}
