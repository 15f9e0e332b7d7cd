// The ties between PTX and machine code.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Sass } from '../src/protocol';
import { counterpart, foldsOf, movedLine, tiesOf } from '../src/sassTies';

const answer = {
    ptx: [
        { line: 8, end_line: 8, instructions: [], fate: 'merged', words: 'merged into line 10' },
        { line: 10, end_line: 10, instructions: [0, 2], fate: 'kept', words: '2 instructions' },
        { line: 12, end_line: 12, instructions: [1], fate: 'moved', words: '1 instruction, moved up before line 10' },
    ],
    rows: [3, 4, 5],
    lines: [0, 0, 10, 12, 10],
} as unknown as Sass;

test('a PTX line is tied to its rows, with a colour of its own', () => {
    const ties = tiesOf(answer);
    assert.deepEqual([...ties.lines.keys()], [8, 10, 12]);
    assert.deepEqual(ties.lines.get(10), { rows: [3, 5], words: '2 instructions', colour: 0 });
    assert.deepEqual([ties.lines.get(8)?.colour, ties.lines.get(12)?.colour], [undefined, 1]);
    assert.equal(ties.source[3], 12);
});

test('all lines of a statement are tied to its rows', () => {
    const ties = tiesOf({ ...answer, ptx: answer.ptx.map((one) => (one.line === 12 ? { ...one, end_line: 14 } : one)) });
    assert.deepEqual([...ties.lines.keys()], [8, 10, 12, 13, 14]);
    assert.deepEqual(ties.lines.get(14), ties.lines.get(12));
    assert.equal(ties.lines.get(15), undefined);
});

test('ties follow edits above them, and edited lines lose theirs', () => {
    const edited = (first: number, last: number, breaks: number): [number[], number[]] => {
        const ties = tiesOf(answer);
        movedLine(ties, first, last, breaks);
        return [[...ties.lines.keys()], ties.source];
    };
    assert.deepEqual(edited(9, 9, 0), [[8, 10, 12], [0, 0, 10, 12, 10]]);
    assert.deepEqual(edited(2, 2, 2), [[10, 12, 14], [0, 0, 12, 14, 12]]);
    // Lines 9 to 12 are deleted.
    assert.deepEqual(edited(8, 12, 0), [[8], [0, 0, 0, 0, 0]]);
    assert.deepEqual(edited(10, 11, 0), [[8, 10], [0, 0, 10, 0, 10]]);
});

test('the middle of what is visible decides where the other text scrolls to', () => {
    const ties = tiesOf(answer);
    // In the machine code, rows 2 to 4 belong to the lines 10, 12 and 10; in the PTX, line 8 has no instruction.
    assert.deepEqual([[1, 2, 3], [2, 3, 4], [0, 1, 2, 3]].map((rows) => counterpart(ties, false, rows)), [10, 12, 10]);
    assert.deepEqual([[7, 8, 9], [10, 11, 12], [9, 10, 11, 12, 13]].map((rows) => counterpart(ties, true, rows)), [3, 4, 4]);
    assert.deepEqual([counterpart(ties, false, [0, 1]), counterpart(ties, true, [7]), counterpart(ties, true, [])], [undefined, undefined, undefined]);
});

test('functions and blocks fold', () => {
    const text = ['// SASS', '', 'one:', '// figures', '  0000 NOP', '.L_x_0:', '  0010 NOP', '  0020 BRA .L_x_0', '$one$two:', '  0030 RET', '', 'three:', '  0000 RET', ''];
    assert.deepEqual(foldsOf(text), [
        [2, 7],
        [5, 7],
        [8, 9],
        [11, 12],
    ]);
    assert.deepEqual(foldsOf([]), []);
});
