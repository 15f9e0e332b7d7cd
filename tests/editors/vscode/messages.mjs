// The messages that VS Code shows on a page: notifications, dialogs, notes in the text, errors in the status bar. No scene may
// show one that it does not declare.

/** Runs in the page: remembers every message that was visible, also one that has gone. */
function collect() {
    const kinds = {
        notification: '.notifications-toasts .notification-list-item-message, .notifications-center .notification-list-item-message',
        dialog: '.monaco-dialog-box .dialog-message-container',
        'note in the text': '.monaco-editor-overlaymessage .message',
        'status bar': '.part.statusbar .statusbar-item.error-kind, .part.statusbar .statusbar-item.warning-kind',
    };
    const messages = new Map();
    const look = () => {
        for (const [kind, selector] of Object.entries(kinds)) {
            for (const element of document.querySelectorAll(selector)) {
                const text = (element.textContent ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();
                if (text !== '') messages.set(`${kind}: ${text}`, true);
            }
        }
    };
    setInterval(look, 50);
    window.takeShownMessages = () => {
        look();
        const texts = [...messages.keys()];
        messages.clear();
        return texts;
    };
}

export class Messages {
    constructor(page) {
        this.page = page;
    }

    /** Watches a page from its next navigation on. */
    static async watch(page) {
        await page.addInitScript(`if (window === window.top) (${collect})();`);
        return new Messages(page);
    }

    /** The messages since the last call, as `kind: text`. */
    take() {
        return this.page.evaluate(() => window.takeShownMessages());
    }

    /**
     * What is wrong with the messages since the last call: those that no pattern of `expected` fits, and patterns that
     * fit none. An empty list if all is well.
     */
    async problems(expected = []) {
        const texts = await this.take();
        return [
            ...texts.filter((text) => !expected.some((pattern) => pattern.test(text))).map((text) => `an unexpected message: ${text}`),
            ...expected.filter((pattern) => !texts.some((text) => pattern.test(text))).map((pattern) => `no message ${pattern}`),
        ];
    }
}
