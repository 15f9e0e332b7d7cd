// Which lines of a document were begun by Enter and not indented by hand since: bookkeeping without the editor, lines counted from 0.

/** One replacement, as `vscode.TextDocumentContentChangeEvent` has it. */
export interface Change {
    range: { start: { line: number; character: number }; end: { line: number; character: number } };
    text: string;
}

/** After this time, in milliseconds, a line that has been checked stays where it is: what stands above it may change for other reasons then. */
const KEPT = 60_000;
/** So many lines at most; the oldest go first. */
const MOST = 2000;

export class TypedLines {
    /** When each line was begun. The oldest come first. */
    #begun = new Map<number, number>();

    /** Follows one event of the editor, after which a line reads as `textOf` says. `now` is in milliseconds. */
    change(changes: readonly Change[], textOf: (line: number) => string, now: number): void {
        // From the end of the text to its beginning: no change moves the place of the next one.
        const ordered = [...changes].sort((a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character);
        for (const { range, text } of ordered) {
            const { start, end } = range;
            const added = text.split('\n').length - 1;
            this.#move(start.line, end.line, added - (end.line - start.line));
            if (isEnter(text)) {
                for (let line = start.line + 1; line <= start.line + added; line++) this.#begin(line, now);
            } else if (changes.length === 1 && added === 0 && start.line === end.line && /^[ \t]*$/.test(text + textOf(start.line).slice(0, start.character))) {
                // Tab, Backspace, Delete or a blank in front of the first word: the line is where the user wants it.
                this.#begun.delete(start.line);
            }
        }
    }

    /** The lines, from the top. */
    get lines(): number[] {
        return [...this.#begun.keys()].sort((a, b) => a - b);
    }

    /** All of them have been checked: the old ones are forgotten. */
    checked(now: number): void {
        for (const [line, begun] of this.#begun) {
            if (now - begun > KEPT) this.#begun.delete(line);
        }
    }

    #begin(line: number, now: number): void {
        this.#begun.delete(line);
        this.#begun.set(line, now);
        for (const oldest of this.#begun.keys()) {
            if (this.#begun.size <= MOST) break;
            this.#begun.delete(oldest);
        }
    }

    /** What was replaced between two lines made the text longer by so many lines. */
    #move(first: number, last: number, by: number): void {
        const moved = [...this.#begun].flatMap(([line, begun]): [number, number][] => {
            if (line <= first) return [[line, begun]];
            return line > last ? [[line + by, begun]] : [];
        });
        this.#begun = new Map(moved);
    }
}

/** What Enter writes: a line end and the indentation of the new line; between two brackets the same again for the second one. */
function isEnter(text: string): boolean {
    return /^(?:\r?\n[ \t]*){1,2}$/.test(text);
}
