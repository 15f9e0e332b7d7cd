// The features of the language server in VS Code.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { EXTENSION, closeAll, codes, command, diagnostics, kernel, open, place, running, until } = require('./helpers');

const SMALL = `.version 7.0
.target sm_80
.address_size 64

.visible .entry small(.param .u64 out)
{
    .reg .b32   %r<3>;
    .reg .b64   %rd<2>;

    ld.param.u64        %rd1, [out];
    mov.u32             %r1, %tid.x;
    add.u32             %r2, %r1, 1;
    st.global.u32       [%rd1], %r2;
    ret;
}
`;

describe('typing', () => {
    before(running);
    after(closeAll);

    const corrects = (value) => vscode.workspace.getConfiguration('ptx-analyzer').update('formatting.onType', value, vscode.ConfigurationTarget.Global);

    // Only the editor's own rules apply; nothing corrects their results. Keys are simulated by the commands that they
    // are bound to. A pause at each line gives the editor time to analyse brackets, as a user's typing does.
    for (const [closers, name] of [['pairs', 'indirect_call.ptx'], ['typed', 'tcgen05_tile.ptx']]) {
        it(`a kernel without leading blanks is indented as the formatter has it, closers ${closers}`, async function () {
            this.timeout(120_000);
            const { keysFor } = await import('../keys.mjs');
            const commands = { ArrowDown: 'cursorDown', End: 'cursorEnd', Delete: 'deleteRight' };
            const editing = vscode.workspace.getConfiguration('editor');
            await editing.update('autoClosingBrackets', closers === 'pairs' ? undefined : 'never', vscode.ConfigurationTarget.Global);
            await corrects(false);
            // Compare only the indentation of code: remove lines that contain only a comment.
            const text = kernel(name).replace(/^ *\/\/.*\n/gm, '');
            const { document } = await open(`typed-${closers}-${name}`, '');
            let plain = '';
            const flush = async () => {
                if (plain) await command('type', { text: plain });
                plain = '';
            };
            for (const { key } of keysFor(text, { pairs: closers === 'pairs' })) {
                if (commands[key] === undefined && key !== 'Enter') {
                    plain += key;
                    continue;
                }
                await flush();
                await command('hideSuggestWidget');
                if (key === 'Enter') {
                    await command('type', { text: '\n' });
                    await new Promise((done) => setTimeout(done, 60));
                } else await command(commands[key]);
            }
            await flush();
            assert.equal(document.getText(), text);
            await command('workbench.action.files.revert');
            await editing.update('autoClosingBrackets', undefined, vscode.ConfigurationTarget.Global);
            await corrects(undefined);
        });
    }

    // The editor writes a line end without indentation if it has no tokens of the line yet.
    const late = async (name, lines) => {
        const { document, editor } = await open(name, '');
        for (const [i, line] of lines.entries()) {
            const end = document.positionAt(document.getText().length);
            await editor.edit((edit) => edit.insert(end, i === 0 ? line : '\n'), { undoStopBefore: false, undoStopAfter: false });
            if (i > 0) await editor.edit((edit) => edit.insert(document.positionAt(document.getText().length), line), { undoStopBefore: false, undoStopAfter: false });
        }
        return { document, editor };
    };
    const KERNEL = ['.version 8.0', '.target sm_80', '.visible .entry k(', '    .param .u32 n', ')', '{', '    .reg .b32   %r<2>;', 'again:', '    mov.u32             %r1, %tid.x;', '    ret;'];

    it('lines that the editor did not indent are where they belong once the keyboard rests', async () => {
        const { document, editor } = await late('late.ptx', [...KERNEL.map((line) => line.trim()), '']);
        // The line with the cursor stays unchanged, because keys may be in transit to it.
        await until(`the indentation of\n${document.getText()}`, () => document.getText() === [...KERNEL, ''].join('\n'));
        assert.deepEqual([editor.selection.active.line, editor.selection.active.character], [10, 0]);
        await command('workbench.action.files.revert');
    });

    it('and where they belong in a file that is saved at once', async () => {
        const { document } = await late('late-saved.ptx', [...KERNEL.map((line) => line.trim()), '}']);
        // Saving removes blanks from blank lines.
        await vscode.window.activeTextEditor.edit((edit) => edit.insert(new vscode.Position(6, 0), '\n    '));
        assert.ok(await document.save());
        assert.equal(document.getText(), [...KERNEL.slice(0, 6), '', ...KERNEL.slice(6), '}'].join('\n'));
    });

    it('what the user indents stays', async () => {
        const { document, editor } = await late('by-hand.ptx', [...KERNEL.slice(0, 9), 'ret;']);
        await editor.edit((edit) => edit.insert(new vscode.Position(9, 0), '      '));
        await until('the lines above to be indented', () => document.lineAt(8).text === KERNEL[8]);
        assert.equal(document.lineAt(9).text, '      ret;');
        await document.save();
        assert.equal(document.lineAt(9).text, '      ret;');
    });
});

describe('language', () => {
    let saxpy;
    before(async () => {
        saxpy = await open('saxpy.ptx', kernel('saxpy.ptx'));
        await running();
    });
    after(closeAll);

    it('the installed package is the one that runs', () => {
        const { extensionPath } = vscode.extensions.getExtension(EXTENSION);
        assert.ok(extensionPath.startsWith(process.env.PTX_TEST_EXTENSIONS), extensionPath);
    });

    it('a .ptx file is PTX', () => assert.equal(saxpy.document.languageId, 'ptx'));

    it('a PreTeXt document with the same extension is XML', async () => {
        const { document } = await open('article.ptx', '<?xml version="1.0"?>\n<pretext><article/></pretext>\n');
        await until('another language', () => vscode.workspace.textDocuments.find(({ uri }) => uri.path === document.uri.path)?.languageId === 'xml');
    });

    it('a kernel without findings has none', async () => {
        await new Promise((done) => setTimeout(done, 500));
        assert.deepEqual(codes(saxpy.uri), []);
    });

    it('an edit brings a finding, its fix takes it away', async () => {
        const { document, uri, editor } = await open('edit.ptx', SMALL);
        const from = place(document, 'add.u32', 4);
        await editor.edit((edit) => edit.replace(new vscode.Range(from, from.translate(0, 3)), 'u33'));
        const found = await until('an error', () => diagnostics(uri).find(({ severity }) => severity === vscode.DiagnosticSeverity.Error));
        assert.equal(found.range.start.line, from.line);
        const actions = await command('vscode.executeCodeActionProvider', uri, found.range, vscode.CodeActionKind.QuickFix.value);
        const fix = actions.find(({ edit }) => edit);
        assert.ok(fix, 'a quick fix');
        await vscode.workspace.applyEdit(fix.edit);
        await until('no findings', () => diagnostics(uri).length === 0);
    });

    it('hover tells of the instruction', async () => {
        const [hover] = await command('vscode.executeHoverProvider', saxpy.uri, place(saxpy.document, 'mad.lo.u32', 1));
        assert.match(hover.contents.map(({ value }) => value).join(), /mad\.lo\.u32 d, a, b, c/);
    });

    it('a lens above the kernel counts registers', async () => {
        const lenses = await until('lenses', async () => {
            const found = await command('vscode.executeCodeLensProvider', saxpy.uri, 10);
            return found.some(({ command: of }) => /registers/.test(of?.title)) && found;
        });
        assert.equal(lenses.find(({ command: of }) => /registers/.test(of.title)).range.start.line, place(saxpy.document, '.entry').line);
    });

    it('completion offers modifiers behind a dot', async () => {
        const { document, uri, editor } = await open('complete.ptx', SMALL);
        await editor.edit((edit) => edit.insert(place(document, 'ret;'), 'cvt.\n    '));
        const list = await command('vscode.executeCompletionItemProvider', uri, place(document, 'cvt.', 4), '.');
        const labels = list.items.map(({ label }) => (typeof label === 'string' ? label : label.label));
        assert.ok(labels.some((label) => /rn/.test(label)), labels.slice(0, 20).join());
        await command('workbench.action.files.revert');
    });

    it('signature help names the operands', async () => {
        const { document, uri } = await open('signature.ptx', SMALL.replace('add.u32             %r2, %r1, 1;', 'add.u32 %r2, '));
        const help = await command('vscode.executeSignatureHelpProvider', uri, place(document, '%r2, ', 5), ' ');
        assert.match(help.signatures[0].label, /add/);
    });

    it('inlay hints, semantic tokens, symbols, folding', async () => {
        const { document, uri } = await open('mma.ptx', kernel('mma_matmul.ptx'));
        const all = new vscode.Range(0, 0, document.lineCount, 0);
        const hints = await until('hints', async () => {
            const found = await command('vscode.executeInlayHintProvider', uri, all);
            return found.length > 0 && found;
        });
        assert.ok(hints.length > 3);
        const legend = await command('vscode.provideDocumentSemanticTokensLegend', uri);
        assert.ok(legend.tokenTypes.includes('opcode') && legend.tokenTypes.includes('specialRegister'));
        const tokens = await command('vscode.provideDocumentSemanticTokens', uri);
        assert.ok(tokens.data.length > 1000);
        const [symbol] = await command('vscode.executeDocumentSymbolProvider', uri);
        assert.equal(symbol.name, 'mma_matmul');
        assert.ok((await command('vscode.executeFoldingRangeProvider', uri)).length > 1);
    });

    it('definition, references and rename of a register', async () => {
        const { document, uri } = saxpy;
        const use = place(document, '%i, %ctaid_x', 1);
        const [definition] = await command('vscode.executeDefinitionProvider', uri, use);
        assert.match(document.lineAt((definition.range ?? definition.targetRange).start.line).text, /\.reg/);
        assert.ok((await command('vscode.executeReferenceProvider', uri, use)).length > 2);
        const edit = await command('vscode.executeDocumentRenameProvider', uri, use, '%index');
        assert.ok(edit.get(uri).length > 2);
    });

    it('formatting moves nothing but white space', async () => {
        const { document, uri } = await open('format.ptx', SMALL.replace('mov.u32             %r1', 'mov.u32   %r1'));
        const edits = await command('vscode.executeFormatDocumentProvider', uri, { tabSize: 4, insertSpaces: true });
        const edit = new vscode.WorkspaceEdit();
        edit.set(uri, edits);
        await vscode.workspace.applyEdit(edit);
        assert.equal(document.getText(), SMALL);
        await command('workbench.action.files.revert');
    });

    it('Enter in a comment that says a launch writes nothing of its own', async () => {
        const { editor, document } = await open('enter.ptx', `//! launch: grid=1\n${SMALL}`);
        editor.selection = new vscode.Selection(0, 18, 0, 18);
        await command('type', { text: '\n' });
        assert.equal(document.lineAt(1).text, '');
        await command('workbench.action.files.revert');
    });

    it('a setting takes effect at once', async () => {
        const { uri } = await open('target.ptx', SMALL.replace('.target sm_80', '.target sm_20').replace('.version 7.0', '.version 6.0'));
        const settings = vscode.workspace.getConfiguration('ptx-analyzer');
        await settings.update('project.targets', ['sm_10'], vscode.ConfigurationTarget.Workspace);
        await until('findings about another target', () => codes(uri).includes('not-portable') || codes(uri).includes('project-target'));
        await settings.update('project.targets', undefined, vscode.ConfigurationTarget.Workspace);
        await until('no such findings', () => !codes(uri).includes('not-portable') && !codes(uri).includes('project-target'));
    });
});
