import assert from 'node:assert/strict';
import { test } from 'node:test';
import { indentationOfComment, isCommentAboveLabel, type Lines } from '../src/comments';

function linesOf(text: string): Lines {
    const lines = text.split('\n');
    return { count: lines.length, at: (line) => lines[line] ?? '' };
}

test('comments above labels and guards are told from others', () => {
    const lines = linesOf('    ret;\n// a\n// b\nL:\n// c\n@%p bra L;\n// d\n    ret;\n// e');
    const found = Array.from({ length: lines.count }, (_, line) => line).filter((line) => isCommentAboveLabel(lines, line));
    assert.deepEqual(found, [1, 2, 4]);
});

test('a typed comment above a label gets the column of the statement before it', () => {
    const wanted = (text: string): string | undefined => {
        const lines = linesOf(text);
        return indentationOfComment(lines, text.slice(0, text.indexOf('// !')).split('\n').length - 1);
    };
    assert.equal(wanted('    .reg .b32 %r; // x\n\n// !\nL:'), '    ');
    assert.equal(wanted('\tret;\n// !\nL:'), '\t');
    assert.equal(wanted('    ret;\n// one\n// !\nL:'), '    ');
    assert.equal(wanted('    ret;\n        // !\nL:'), '    ');
    // The next line is not a label, or no statement comes before it.
    assert.equal(wanted('    ret;\n// !\n    add.u32 %a, %a, 1;'), undefined);
    assert.equal(wanted('{\n// !\nL:'), undefined);
    assert.equal(wanted('    {\n    }\n// !\nL:'), undefined);
    assert.equal(wanted('// !\nL:'), undefined);
    assert.equal(wanted('@%p bra L;\n// !\nL:'), undefined);
});
