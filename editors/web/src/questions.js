// What a visible view asks the server about the text: again after each pause.
// @ts-check
import { element } from "./dom.js";

export class Questions {
  #parent;
  #ask;
  #visible = false;
  #asked = 0;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #timer;

  /**
   * @param {HTMLElement} parent shows an error
   * @param {import("./source.js").Source} source
   * @param {import("./source.js").SourceEvent[]} events after which it asks again
   * @param {number} quiet milliseconds that it waits after such an event
   * @param {(isLatest: () => boolean) => Promise<void>} ask asks, and shows the answer if no later question has been asked
   */
  constructor(parent, source, events, quiet, ask) {
    this.#parent = parent;
    this.#ask = ask;
    for (const event of events) source.on(event, () => this.askIn(quiet));
  }

  /** @param {boolean} visible */
  setVisible(visible) {
    this.#visible = visible;
    if (visible) this.askIn(0);
  }

  /** @param {number} delay in milliseconds */
  askIn(delay) {
    clearTimeout(this.#timer);
    if (this.#visible) this.#timer = setTimeout(() => void this.#now(), delay);
  }

  async #now() {
    const number = ++this.#asked;
    const isLatest = () => number === this.#asked;
    try {
      await this.#ask(isLatest);
    } catch (error) {
      if (isLatest()) this.#parent.replaceChildren(element("p", "", /** @type {Error} */ (error).message));
    }
  }
}
