// PTX in the strings of C++ and Python: our server beside clangd and basedpyright, each with its findings.
const assert = require('node:assert/strict');
const { spawnSync } = require('node:child_process');
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { join, resolve } = require('node:path');
const vscode = require('vscode');
const { api, closeAll, command, diagnostics, open, place, root, tabs, until } = require('./helpers');

// VS Code takes PATH from a login shell.
process.env.PATH = process.env.PTX_TEST_PATH ?? process.env.PATH;
const installed = (program) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;
const fixture = (name) => readFileSync(resolve(__dirname, '../../fixture', name), 'utf8');
const replaced = (text, ...pairs) => {
    for (const [from, to] of pairs) {
        assert.ok(text.includes(from), from);
        text = text.replace(from, to);
    }
    return text;
};
const CPP = { right: 'factor * (float)lane', wrong: 'factor * (float)lame', message: /undeclared identifier/i };
const PTX = { right: 'setp.lt.s32 inside, %2, %3', wrong: 'setp.lt.s32 inside, %1, %3', code: 'operand-type' };

/** A language client for another server, as its own extension would start it. */
function startServer(program, args, languages) {
    const { LanguageClient } = createRequire(resolve(__dirname, '../../../../editors/vscode/package.json'))('vscode-languageclient/node');
    const documentSelector = languages.map((language) => ({ scheme: 'file', language }));
    const client = new LanguageClient(program, program, { command: program, args }, { documentSelector });
    return client.start().then(() => client);
}

const code = (d) => (typeof d.code === 'object' ? d.code.value : d.code);
const found = (uri, text, fits) => {
    const document = vscode.workspace.textDocuments.find((d) => d.uri.toString() === uri.toString());
    return diagnostics(uri).find((d) => d.range.start.line === place(document, text).line && fits(d));
};
const hoverText = async (uri, position) => {
    const hovers = await command('vscode.executeHoverProvider', uri, position);
    return hovers.flatMap((h) => h.contents).map((c) => (typeof c === 'string' ? c : c.value)).join('\n');
};

if (installed('clangd')) {
    describe('PTX in strings beside clangd', () => {
        let clangd;
        before(async () => {
            writeFileSync(join(root(), 'compile_flags.txt'), ['-xcuda', '--cuda-gpu-arch=sm_80', '--cuda-device-only', '-nocudainc', '-nocudalib', ''].join('\n'));
            clangd = await startServer('clangd', ['--log=error'], ['cuda-cpp', 'cpp', 'c']);
        });
        after(async () => {
            await closeAll();
            await clangd?.stop();
        });

        it('PTX in strings: errors of both servers', async () => {
            const { uri, document } = await open('wrong.cu', replaced(fixture('inline.cu'), [CPP.right, CPP.wrong], [PTX.right, PTX.wrong]));
            assert.equal(document.languageId, 'cuda-cpp');
            const ptx = await until('the PTX error', () => found(uri, PTX.wrong, (d) => code(d) === PTX.code));
            assert.equal(document.getText(ptx.range), '%1');
            await until('the C++ error', () => found(uri, CPP.wrong, (d) => CPP.message.test(d.message)));
            const { inlineState } = await api();
            assert.equal(inlineState(), 'running');
        });

        it('PTX in strings: each server answers hovers for its part', async () => {
            const { uri, document } = await open('clean.cu', fixture('inline.cu'));
            const ptx = await until('a hover in the string', () => hoverText(uri, place(document, 'setp.lt', 1)));
            assert.match(ptx, /Compares two values/);
            const cpp = await until('a hover of clangd', () => hoverText(uri, place(document, 'float value', 7)));
            assert.match(cpp, /value/);
            assert.doesNotMatch(cpp, /ptx/i);
        });

        it('PTX in strings: formatting, renaming and colours are those of clangd', async () => {
            const { uri, document } = await open('other.cu', replaced(fixture('inline.cu'), ['  float value = factor', '      float value   =  factor']));
            const edits = await until('edits of a formatter', () => command('vscode.executeFormatDocumentProvider', uri, { tabSize: 2, insertSpaces: true }));
            assert.ok(edits.length > 0);
            const rename = await command('vscode.executeDocumentRenameProvider', uri, place(document, 'float value', 7), 'scaled');
            assert.equal(rename.get(uri).length, 2);
            const legend = await command('vscode.provideDocumentSemanticTokensLegend', uri);
            assert.ok(!legend?.tokenTypes.includes('opcode'), 'our semantic tokens take the place of clangd’s');
            assert.deepEqual(diagnostics(uri).map((d) => d.message), []);
        });

        it('PTX in strings: a statement is evaluated as a read-only kernel of its own', async () => {
            const { uri, document } = await open('clean.cu', fixture('inline.cu'));
            const line = place(document, 'asm volatile').line;
            const actions = await until('the action', async () => {
                const range = new vscode.Range(line, 4, line, 4);
                const found = await command('vscode.executeCodeActionProvider', uri, range, 'source.evaluateWarp');
                return found.find(({ title }) => title === 'Evaluate this statement');
            });
            await command(actions.command.command, ...actions.command.arguments);
            const kernel = await until('the kernel', () => vscode.window.visibleTextEditors.find((e) => e.document.languageId === 'ptx')?.document);
            assert.match(kernel.getText(), /\.entry statement\(/);
            assert.match(kernel.uri.path, /\/clean\.cu:\d+\.ptx$/);
            assert.deepEqual([kernel.isDirty, kernel.isUntitled, vscode.workspace.fs.isWritableFileSystem(kernel.uri.scheme)], [false, false, false]);
            assert.match(kernel.getText(), /launch: grid=1 block=32 in_0=f32\[1024\]:iota in_value=f32\[32\]:iota/);
            await until('the panel', () => tabs().some(({ label }) => /statement/.test(label)));
            assert.deepEqual(diagnostics(kernel.uri).map((d) => d.message), []);
        });

        it('PTX in strings: the setting turns the server off and on', async () => {
            const { uri } = await open('wrong.cu', replaced(fixture('inline.cu'), [PTX.right, PTX.wrong]));
            await until('the PTX error', () => found(uri, PTX.wrong, (d) => code(d) === PTX.code));
            const settings = vscode.workspace.getConfiguration('ptx-analyzer.inline');
            await settings.update('enable', false, vscode.ConfigurationTarget.Workspace);
            await until('the PTX error to go', () => !found(uri, PTX.wrong, (d) => code(d) === PTX.code));
            await settings.update('enable', undefined, vscode.ConfigurationTarget.Workspace);
            await until('the PTX error to return', () => found(uri, PTX.wrong, (d) => code(d) === PTX.code));
        });
    });
}

if (installed('basedpyright-langserver')) {
    describe('PTX in strings beside basedpyright', () => {
        let pyright;
        before(async () => {
            pyright = await startServer('basedpyright-langserver', ['--stdio'], ['python']);
        });
        after(async () => {
            await closeAll();
            await pyright?.stop();
        });

        it('PTX in strings: errors of both servers in Python', async () => {
            const text = replaced(fixture('inline.py'), ['"shl.b32', '"shll.b32'], ['double(21)', 'double("21")']);
            const { uri } = await open('wrong.py', text);
            await until('the PTX error', () => found(uri, 'shll.b32', (d) => code(d) === 'unknown-opcode'));
            await until('the Python error', () => found(uri, 'double("21")', (d) => /not assignable|cannot be assigned/.test(d.message)));
        });
    });
}
