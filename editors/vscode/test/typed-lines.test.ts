import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TypedLines, type Change } from '../src/typedLines';

/** A text that is edited as in an editor, with the typed lines. */
class Page {
    readonly typed = new TypedLines();
    now = 0;

    constructor(public text: string) {}

    edit(...changes: [line: number, from: number, to: number | [number, number], text: string][]): this {
        const lines = this.text.split('\n');
        const offset = (line: number, character: number): number => lines.slice(0, line).reduce((all, l) => all + l.length + 1, 0) + character;
        const events = changes.map(([line, from, to, text]): Change => {
            const [endLine, endCharacter] = typeof to === 'number' ? [line, to] : to;
            return { range: { start: { line, character: from }, end: { line: endLine, character: endCharacter } }, text };
        });
        for (const { range, text } of [...events].sort((a, b) => b.range.start.line - a.range.start.line)) {
            this.text = this.text.slice(0, offset(range.start.line, range.start.character)) + text + this.text.slice(offset(range.end.line, range.end.character));
        }
        this.typed.change(events, (line) => this.text.split('\n')[line] ?? '', this.now);
        return this;
    }

    get lines(): number[] {
        return this.typed.lines;
    }
}

test('Enter begins a line, and between brackets two', () => {
    assert.deepEqual(new Page('a').edit([0, 1, 1, '\n']).lines, [1]);
    assert.deepEqual(new Page('a').edit([0, 1, 1, '\r\n    ']).lines, [1]);
    assert.deepEqual(new Page('{}').edit([0, 1, 1, '\n    \n']).lines, [1, 2]);
});

test('a paste begins none', () => {
    assert.deepEqual(new Page('a').edit([0, 1, 1, '\nb\n']).lines, []);
});

test('lines move with what is written above, and go with what is deleted', () => {
    const page = new Page('a\nb').edit([1, 1, 1, '\n']);
    assert.deepEqual(page.lines, [2]);
    assert.deepEqual(page.edit([0, 0, 0, 'x\ny\n']).lines, [4]);
    assert.deepEqual(page.edit([0, 0, [1, 0], '']).lines, [3]);
    assert.deepEqual(page.edit([1, 0, [3, 0], '']).lines, []);
});

test('several changes in one event count from the end', () => {
    assert.deepEqual(new Page('a\nb\nc').edit([0, 1, 1, '\n'], [2, 1, 1, '\n']).lines, [1, 4]);
});

test('indentation by hand is left alone, words are not indentation', () => {
    const begun = (): Page => new Page('a').edit([0, 1, 1, '\n    ']);
    assert.deepEqual(begun().edit([1, 4, 4, '    ']).lines, []);
    assert.deepEqual(begun().edit([1, 0, 4, '']).lines, []);
    assert.deepEqual(begun().edit([1, 4, 4, 'mov']).edit([1, 7, 7, ' ']).edit([1, 7, 8, '']).lines, [1]);
    // The editor moves a closing bracket to its column when it is typed.
    assert.deepEqual(begun().edit([1, 0, 4, '}']).lines, [1]);
});

test('a line that has been checked stays where it is after a minute', () => {
    const page = new Page('a').edit([0, 1, 1, '\n']);
    page.typed.checked(59_000);
    assert.deepEqual(page.lines, [1]);
    page.typed.checked(61_000);
    assert.deepEqual(page.lines, []);
});
