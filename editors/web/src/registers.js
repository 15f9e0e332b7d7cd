// The register report: the estimated number of registers of each function, and the registers that are live at the cursor.
// @ts-check
import { count, held, nothingKnown, range, sharedMemory, withFewer } from "../../vscode/src/registerWords.ts";
import { entries } from "../../vscode/src/text.ts";
import { actionButton, element } from "./dom.js";
import { Questions } from "./questions.js";

/** @typedef {import("../../vscode/src/protocol.ts").FunctionPressure} FunctionPressure */
/** @typedef {import("../../vscode/src/protocol.ts").LiveRegister} LiveRegister */
/** @typedef {import("../../vscode/src/protocol.ts").Pressure} Pressure */

/** Milliseconds after the last key or movement of the cursor before the report is updated. */
const QUIET = 150;

/** Milliseconds before an incomplete report is requested again. */
const AGAIN = 700;

/** In texts with more lines, only the function at the cursor is requested: the answer has an element for each line. */
const LONG = 20_000;

export class RegistersView {
  #source;
  #parent;
  #questions;
  /** Whether the user has opened or closed the part of a function. @type {Map<string, boolean>} */
  #open = new Map();

  /** @param {HTMLElement} parent @param {import("./source.js").Source} source */
  constructor(parent, source) {
    this.#parent = parent;
    this.#source = source;
    this.#questions = new Questions(parent, source, ["edited", "loaded", "moved"], QUIET, (isLatest) => this.#ask(isLatest));
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    this.#questions.setVisible(visible);
  }

  /** @param {() => boolean} isLatest */
  async #ask(isLatest) {
    const { uri, cursorLine: line } = this.#source;
    /** @type {Pressure} */
    const around = await this.#source.command("registerPressure", { uri, line, first: line, last: line, wait: true });
    /** @type {Pressure} */
    const whole = this.#source.view.state.doc.lines > LONG ? around : await this.#source.command("registerPressure", { uri });
    if (!isLatest()) return;
    this.#show(whole.functions, around, line);
    if (!around.complete) this.#questions.askIn(AGAIN);
  }

  /** @param {FunctionPressure[]} functions @param {Pressure} around @param {number} line */
  #show(functions, around, line) {
    if (functions.length === 0) {
      const kernels = entries(this.#source.view.state.doc.toString());
      this.#parent.replaceChildren(element("p", "", nothingKnown(kernels.length > 0)));
      return;
    }
    const here = around.functions[0]?.name ?? functions[0].name;
    const live = around.live ?? [];
    this.#parent.replaceChildren(...functions.map((one) => this.#function(one, one.name === here, one.name === here ? live : [], line)));
  }

  /** @param {FunctionPressure} of @param {boolean} here @param {LiveRegister[]} live @param {number} line */
  #function(of, here, live, line) {
    const stale = of.stale ? ", before the last edit" : "";
    const details = /** @type {HTMLDetailsElement} */ (element("details", "function"));
    details.open = this.#open.get(of.name) ?? here;
    const name = element("code", "", of.demangled ?? of.name);
    const summary = element("summary", "", name, ` ≈ ${count(of.registers, "register")}${range(of.likely)}${stale}`);
    summary.addEventListener("click", () => this.#open.set(of.name, !details.open));
    const facts = element("ul", "facts");
    /** @param {string} text @param {number | null} [at] */
    const fact = (text, at) => {
      const content = at == null ? text : actionButton(() => this.#source.reveal(at), text);
      facts.append(element("li", "", content));
    };
    fact(`Most live: ${held(of.max_live.b32, of.max_live.pred)} in line ${of.max_live.peak_line}`, of.max_live.peak_line);
    if (of.occupancy) {
      const { warps_per_sm, most_warps, limited_by, fewer, threads, threads_assumed } = of.occupancy;
      const assumed = threads_assumed ? " (assumed)" : "";
      fact(`Occupancy: ${warps_per_sm} of ${most_warps} warps, limited by ${limited_by}, with ${count(threads, "thread")} in a CTA${assumed}.${withFewer(fewer)}`);
    }
    if (of.shared > 0 || of.dynamic_shared) {
      fact(`Shared memory: ${sharedMemory(of)}`);
    }
    if (of.spill_likely) fact(`Spills are likely: the limit is ${of.limit.registers}, ${of.unlimited} would be needed`, of.limit.line);
    details.append(summary, facts);
    if (live.length > 0) {
      const b32 = live.reduce((sum, one) => sum + one.b32, 0);
      const predicates = live.reduce((sum, one) => sum + one.pred, 0);
      details.append(element("h3", "", `Live at line ${line}: ${held(b32, predicates)}`), this.#live(live));
    }
    return details;
  }

  /** @param {LiveRegister[]} live */
  #live(live) {
    const list = element("ul", "facts");
    for (const { name, line, next_line, instructions } of live) {
      const read = next_line === null ? "" : `, next read in line ${next_line}`;
      const text = ` from line ${line}${read}, across ${count(instructions, "instruction")}`;
      list.append(element("li", "", actionButton(() => this.#source.reveal(line), element("code", "", name), text)));
    }
    return list;
  }
}
