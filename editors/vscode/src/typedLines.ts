// The lines of a document that Enter created and that the user has not indented since. Lines count from 0; nothing here needs the editor.

/** One replacement, in the form of `vscode.TextDocumentContentChangeEvent`. */
export interface Change {
    range: { start: { line: number; character: number }; end: { line: number; character: number } };
    text: string;
}

/** Maximum age of a checked line in milliseconds. An older line keeps its indentation, even after edits above it. */
const MAX_AGE = 60_000;
/** Maximum number of lines; the oldest lines are dropped first. */
const MAX_LINES = 2000;

export class TypedLines {
    /** Line → time of its creation in milliseconds; the oldest come first. */
    #begun = new Map<number, number>();

    /** Applies one event of the editor. `textOf` returns a line as it is after the event; `now` is in milliseconds. */
    change(changes: readonly Change[], textOf: (line: number) => string, now: number): void {
        // From the end of the text to its beginning, so that a change does not move the positions of the next one.
        const ordered = [...changes].sort((a, b) => b.range.start.line - a.range.start.line || b.range.start.character - a.range.start.character);
        for (const { range, text } of ordered) {
            const { start, end } = range;
            const added = text.split('\n').length - 1;
            this.#move(start.line, end.line, added - (end.line - start.line));
            if (isEnter(text)) {
                for (let line = start.line + 1; line <= start.line + added; line++) this.#begin(line, now);
            } else if (changes.length === 1 && added === 0 && start.line === end.line && /^[ \t]*$/.test(text + textOf(start.line).slice(0, start.character))) {
                // Tab, Backspace, Delete or a blank before the first word: the user chose this indentation.
                this.#begun.delete(start.line);
            }
        }
    }

    /** The lines, from the top. */
    get lines(): number[] {
        return [...this.#begun.keys()].sort((a, b) => a - b);
    }

    /** Drops old lines once all lines have been checked. */
    checked(now: number): void {
        for (const [line, begun] of this.#begun) {
            if (now - begun > MAX_AGE) this.#begun.delete(line);
        }
    }

    #begin(line: number, now: number): void {
        this.#begun.delete(line);
        this.#begun.set(line, now);
        for (const oldest of this.#begun.keys()) {
            if (this.#begun.size <= MAX_LINES) break;
            this.#begun.delete(oldest);
        }
    }

    /** Moves the lines below a replacement by the number of lines that it added, and drops the removed ones. */
    #move(first: number, last: number, by: number): void {
        const moved = [...this.#begun].flatMap(([line, begun]): [number, number][] => {
            if (line <= first) return [[line, begun]];
            return line > last ? [[line + by, begun]] : [];
        });
        this.#begun = new Map(moved);
    }
}

/** Whether Enter inserted this text: a line break with indentation, or two of them between two brackets. */
function isEnter(text: string): boolean {
    return /^(?:\r?\n[ \t]*){1,2}$/.test(text);
}
