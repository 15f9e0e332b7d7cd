// Snippets are programs: each kernel among them has no diagnostics, and meets the expectations of the launch above it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { serverFile } from './lsp';

interface Snippet {
    prefix: string | string[];
    body: string | string[];
}

const snippets = JSON.parse(readFileSync('snippets/ptx.json', 'utf8')) as Record<string, Snippet>;

/** The text after accepting every default of a snippet. */
function expanded({ body }: Snippet): string {
    return (typeof body === 'string' ? body : body.join('\n'))
        .replace(/\$\{\d+\|((?:\\.|[^,|\\])*)(?:\\.|[^|\\])*\|\}/g, '$1')
        .replace(/\$\{\d+:([^}]*)\}/g, '$1')
        .replace(/\$\d+/g, '');
}

let folder: string;
before(() => {
    folder = mkdtempSync(join(tmpdir(), 'ptx-snippets-'));
});
after(() => {
    rmSync(folder, { recursive: true, force: true });
});

function run(args: string[], text: string): void {
    const file = join(folder, 'snippet.ptx');
    writeFileSync(file, `${text.trimEnd()}\n`);
    const { status, stdout, stderr } = spawnSync(serverFile(), [...args, file], { encoding: 'utf8' });
    assert.equal(status, 0, stdout + stderr);
}

for (const [name, snippet] of Object.entries(snippets)) {
    const text = expanded(snippet);
    if (text.includes('.entry')) {
        test(`${name}: has no findings, is laid out as the formatter does it, and computes what it says`, () => {
            run(['check', '--deny', 'warnings'], text);
            run(['fmt', '--check'], text);
            run(['eval', '--check'], text);
        });
    } else {
        test(`${name}: is a line above a kernel`, () => {
            assert.match(text, /^\/\/! (?:launch|expect): \S+=/);
        });
    }
}

test('the launch of the snippet fits a kernel with such parameters', () => {
    const launch = snippets['Launch'];
    assert.ok(launch);
    const kernel = '.visible .entry k(.param .u32 n, .param .u64 x)\n{\n    ret;\n}';
    run(['eval', '--check'], `.version 7.0\n.target sm_80\n.address_size 64\n\n${expanded(launch)}\n${kernel}`);
});

test('the example of the walkthrough has no findings, and computes what it says', () => {
    const text = readFileSync('walkthrough/saxpy.ptx', 'utf8');
    run(['check', '--deny', 'warnings'], text);
    run(['fmt', '--check'], text);
    run(['eval', '--check'], text);
});
