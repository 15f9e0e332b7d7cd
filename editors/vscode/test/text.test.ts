import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { entries, entryAt, header, isPreTeXt, queryAt, registersIn, statementAddress, statementPlace, withoutComments } from '../src/text';
import { repository } from './lsp';

const module = `// .version 1.0
/* .target sm_10 */
.version 7.8 .target sm_90a, debug
.address_size 64
.extern .entry declared(.param .u32 n);
//! launch: grid=1
.visible .entry
first(.param .u32 n)
{
    { .reg .u32 %a; }
    ret;
}
.func helper() { ret; }
.entry second() { ret; } // .entry third() {
`;

test('comments and strings are blanked out, and everything else keeps its place', () => {
    assert.equal(withoutComments('a // b\n"c" d /* e\nf */ g /* h'), 'a     \n    d     \n     g     ');
});

test('version and target are those of the code, not of comments', () => {
    assert.deepEqual(header(module), { version: '7.8', target: 'sm_90a' });
    assert.deepEqual(header('// nothing'), {});
    assert.deepEqual(header('.version 8.0'), { version: '8.0' });
});

test('kernels, where they begin and where they end', () => {
    assert.deepEqual(
        entries(module).map(({ name, line, lastLine }) => [name, line, lastLine]),
        [
            ['declared', 4, 4],
            ['first', 6, 11],
            ['second', 13, 13],
        ],
    );
});

test('the kernel at a line is the one around it, else the next one', () => {
    assert.equal(entryAt(module, 0)?.name, 'declared');
    assert.equal(entryAt(module, 5)?.name, 'first');
    assert.equal(entryAt(module, 10)?.name, 'first');
    assert.equal(entryAt(module, 12)?.name, 'second');
    assert.equal(entryAt(module, 14), undefined);
});

test('kernels of the repository are found', () => {
    const folder = join(repository, 'tests/kernels');
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.ptx'))) {
        assert.ok(entries(readFileSync(join(folder, file), 'utf8')).length > 0, file);
    }
});

test('a file that begins with < is PreTeXt', () => {
    assert.ok(isPreTeXt('\uFEFF\n  <?xml version="1.0"?>'));
    assert.ok(!isPreTeXt('// <xml>\n.version 7.0'));
    assert.ok(!isPreTeXt(''));
});

test('what is meant at the cursor', () => {
    const line = '@!%p1 ld.shared::cta.v2.f32 {%f1, %f2}, [%rd1+16]; // x';
    const at = (text: string): string | undefined => queryAt(line, line.indexOf(text));
    assert.equal(at('p1'), '%p1');
    assert.equal(at('shared'), 'ld.shared::cta.v2.f32');
    assert.equal(at('f2}'), '%f2');
    assert.equal(queryAt(line, 4), '%p1');
    assert.equal(queryAt('loop:', 2), 'loop');
    assert.equal(queryAt('  .maxntid 128', 4), '.maxntid');
    assert.equal(queryAt('mov.u32 %r1, %tid.x;', 15), '%tid.x');
    assert.equal(queryAt('   ', 1), undefined);
});

test('registers of some lines, each where it stands last', () => {
    const lines = ['    .reg .b32 %a;', '    mov.u32 %a, %tid.x; // %c', '    add.u32 %b, %a, 1;'];
    assert.deepEqual(registersIn(lines, 10), [
        { name: '%a', line: 12, column: 16 },
        { name: '%b', line: 12, column: 12 },
    ]);
});

test('the address of a statement is beside its file and leads back to the statement', () => {
    const place = { uri: 'file:///home/me/a%20b/k.cu', line: 3 };
    const { path, query } = statementAddress('/home/me/a b/k.cu', 'k.cu-4', place);
    assert.equal(path, '/home/me/a b/k.cu:4.ptx');
    assert.deepEqual(statementPlace(query), place);
    assert.equal(statementAddress('Untitled-1', 'Untitled-1-12', { uri: 'untitled:Untitled-1', line: 11 }).path, '/Untitled-1:12.ptx');
    for (const bad of ['', '{', 'null', '3', '{"uri":"file:///k.cu"}', '{"uri":1,"line":2}', '{"uri":"a","line":"2"}']) assert.equal(statementPlace(bad), undefined, bad);
});
