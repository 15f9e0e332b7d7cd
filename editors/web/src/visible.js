// Decorations that the server computes for the visible lines, after each change.
// @ts-check
import { LSPPlugin } from "@codemirror/lsp-client";
import { StateEffect } from "@codemirror/state";
import { Decoration, ViewPlugin } from "@codemirror/view";

/** @typedef {import("@codemirror/view").DecorationSet} DecorationSet */

/** Milliseconds after which a failed request is repeated: a part of the server may not have loaded yet. */
const RETRY_DELAY = 5_000;

/** Asks the server again without a change of the text. @type {import("@codemirror/state").StateEffectType<undefined>} */
export const askAgain = StateEffect.define();

/**
 * @param {string} method a request about a range of a document
 * @param {number} delay milliseconds between a change and the request
 * @param {(plugin: LSPPlugin, answer: any) => DecorationSet} decorate
 */
export const visibleLines = (method, delay, decorate) =>
  ViewPlugin.fromClass(
    class {
      decorations = Decoration.none;
      /** @type {ReturnType<typeof setTimeout> | undefined} */
      timer;

      /** @param {import("@codemirror/view").EditorView} view */
      constructor(view) {
        this.view = view;
        this.schedule();
      }

      /** @param {import("@codemirror/view").ViewUpdate} update */
      update(update) {
        if (update.docChanged) this.decorations = this.decorations.map(update.changes);
        const again = update.transactions.some(({ effects }) => effects.some((effect) => effect.is(askAgain)));
        if (update.docChanged || update.viewportChanged || again) this.schedule();
      }

      destroy() {
        clearTimeout(this.timer);
      }

      /** @param {number} [pause] */
      schedule(pause = delay) {
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.ask().catch(() => this.schedule(RETRY_DELAY)), pause);
      }

      async ask() {
        const plugin = LSPPlugin.get(this.view);
        if (plugin === null) return;
        await plugin.client.initializing;
        plugin.client.sync();
        const { doc } = this.view.state;
        const { from, to } = this.view.viewport;
        const range = { start: plugin.toPosition(from), end: plugin.toPosition(to) };
        const answer = await plugin.client.request(method, { textDocument: { uri: plugin.uri }, range });
        // After a change, the next answer has the places of the new text.
        if (this.view.state.doc !== doc) return;
        this.decorations = decorate(plugin, answer);
        this.view.dispatch({});
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
