// The features that the extension adds to the server: commands, views, states.
const assert = require('node:assert/strict');
const { readdirSync, readFileSync, readlinkSync } = require('node:fs');
const { resolve } = require('node:path');
const vscode = require('vscode');
const { api, closeAll, codes, command, kernel, open, place, running, tabs, until } = require('./helpers');

/** The ids of the server's processes: those that run a program of the installed extension. */
function servers() {
    return readdirSync('/proc').filter((id) => {
        try {
            return /^\d+$/.test(id) && readlinkSync(`/proc/${id}/exe`).startsWith(process.env.PTX_TEST_EXTENSIONS);
        } catch {
            return false;
        }
    });
}

describe('views and commands', () => {
    beforeEach(running);
    afterEach(closeAll);

    it('the view of registers follows the cursor', async () => {
        const { editor, document } = await open('mma.ptx', kernel('mma_matmul.ptx'));
        const { registers } = await api();
        await command('ptx.showRegisters');
        const first = place(document, 'ldmatrix.sync.aligned.m8n8.x4.shared');
        editor.selection = new vscode.Selection(first, first);
        const rows = await until('live registers', () => registers().join('\n').includes(`Live at line ${first.line + 1}`) && registers());
        assert.match(rows[0], /^mma_matmul ≈ \d+ registers \(\d+–\d+\)$/);
        assert.ok(rows.some((row) => /Occupancy \d+ of \d+ warps/.test(row)), rows.join('\n'));
        assert.ok(rows.some((row) => /^ {4}%ptr_c|^ {4}%ptr_src|^ {4}%n /.test(row)), rows.join('\n'));
    });

    it('the lens of registers brings that view', async () => {
        const { uri, editor, document } = await open('saxpy.ptx', kernel('saxpy.ptx'));
        editor.selection = new vscode.Selection(0, 0, 0, 0);
        const lens = await until('the lens', async () => (await command('vscode.executeCodeLensProvider', uri, 10)).find(({ command: of }) => /registers/.test(of?.title)));
        await command(lens.command.command, ...lens.command.arguments);
        assert.equal(editor.selection.active.line, place(document, '.entry').line);
        assert.match((await api()).registers()[0], /^saxpy/);
    });

    it('machine code is shown beside a kernel, tied to its lines', async () => {
        const text = readFileSync(resolve(__dirname, '../../fixture/saxpy.ptx'), 'utf8');
        const { editor, document } = await open('sass.ptx', text);
        const go = (words) => {
            const at = place(document, words);
            editor.selection = new vscode.Selection(at, at);
        };
        go('fma.rn.f32');
        await command('ptx.showSass');
        const { sass } = await api();
        const shown = await until('the machine code', () => vscode.window.visibleTextEditors.find(({ document: of }) => of.uri.scheme === 'ptx-sass' && of.getText().includes('FFMA')));
        assert.equal(shown.document.languageId, 'ptx-sass');
        assert.match(sass()[0].text, /^saxpy:\n\/\/ 12 registers, /m);
        const rows = (words) => shown.document.getText().split('\n').flatMap((line, row) => (line.includes(words) ? [row + 1] : []));
        await until('the tie', () => sass()[0].tied.length === 1 && sass()[0].tied[0] === rows('FFMA')[0]);
        assert.equal(sass()[0].note, '1 instruction, moved down after line 46');
        go('ld.param.f32');
        await until('the note', () => sass()[0].note === 'merged into line 42');
        // From the machine code back.
        await vscode.window.showTextDocument(shown.document, { viewColumn: shown.viewColumn });
        const exit = new vscode.Position(rows('@P0 EXIT')[0] - 1, 0);
        vscode.window.activeTextEditor.selection = new vscode.Selection(exit, exit);
        await until('the other tie', () => sass()[0].note === '1 instruction');
        const [target] = await command('vscode.executeDefinitionProvider', shown.document.uri, exit);
        assert.equal((target.targetRange ?? target.range).start.line, place(document, '@%p1 bra').line);
        const folds = await command('vscode.executeFoldingRangeProvider', shown.document.uri);
        assert.ok(folds.some(({ start }) => start === rows('saxpy:')[0] - 1), JSON.stringify(folds));
        // An edit is followed; while the assembler refuses it, the older text stays.
        const edit = async (range, words) => {
            const change = new vscode.WorkspaceEdit();
            change.replace(document.uri, range, words);
            await vscode.workspace.applyEdit(change);
        };
        const at = new vscode.Position(place(document, 'fma.rn.f32').line, 0);
        await edit(new vscode.Range(at, at), 'bogus;\n');
        await until('the reason', () => sass()[0].older === "ptxas refuses the module on line 42: Unknown opcode 'bogus'");
        await edit(new vscode.Range(at, at.translate(1)), '');
        await until('a newer text', () => sass()[0].older === undefined);
        await command('workbench.action.files.revert');
    });

    it('Explain shows a page about the instruction at the cursor', async () => {
        const { editor, document } = await open('saxpy.ptx', kernel('saxpy.ptx'));
        const at = place(document, 'fma.rn', 2);
        editor.selection = new vscode.Selection(at, at);
        await command('ptx.explain');
        await until('the page', () => tabs().some(({ label }) => /fma\.rn\.f32/.test(label)));
    });

    it('the syntax tree is shown as text', async () => {
        await open('saxpy.ptx', kernel('saxpy.ptx'));
        await command('ptx.showSyntaxTree');
        const shown = await until('the tree', () => vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'ptx-analyzer' && /Syntax tree/.test(uri.path)));
        assert.match(shown.getText(), /^\(source_file/);
    });

    it('the status of the server is shown', async () => {
        await command('ptx.showServerStatus');
        await until('the page', () => tabs().some(({ label }) => /PTX server/.test(label)));
    });

    it('an example kernel has no findings', async () => {
        await command('ptx.newKernel');
        const document = vscode.window.activeTextEditor.document;
        assert.equal(document.languageId, 'ptx');
        assert.ok(document.isUntitled);
        await new Promise((done) => setTimeout(done, 500));
        assert.deepEqual(codes(document.uri), []);
        await command('workbench.action.revertAndCloseActiveEditor');
    });

    it('a lens that counts calls shows them', async () => {
        const { uri } = await open('calls.ptx', kernel('indirect_call.ptx'));
        const lens = await until('the lens', async () => (await command('vscode.executeCodeLensProvider', uri, 30)).find(({ command: of }) => of?.command === 'ptx-analyzer.showReferences'));
        await command(lens.command.command, ...lens.command.arguments);
    });

    it('started again, the server is another process and knows what is open', async () => {
        const { uri } = await open('broken.ptx', kernel('saxpy.ptx').replace('fma.rn.f32', 'fma.rn.f33'));
        await until('a finding', () => codes(uri).length > 0);
        const [before] = servers();
        assert.equal(servers().length, 1);
        await command('ptx.restartServer');
        await running();
        assert.equal(servers().length, 1);
        assert.notEqual(servers()[0], before);
        await until('the finding again', () => codes(uri).length > 0);
    });

    it('a server that dies is started again; one that keeps dying is not, until somebody asks', async () => {
        const { serverState } = await api();
        for (let death = 1; death <= 4; death++) {
            // Every second server is killed as soon as its process exists, before it can answer.
            const early = death % 2 === 0;
            const [id] = await until('a server', () => (early || serverState() === 'running') && servers().length === 1 && servers());
            process.kill(Number(id), 'SIGKILL');
            await until('its end', () => !servers().includes(id));
            if (death < 4) await until('another one', () => servers().length === 1);
        }
        await until('the state', () => serverState() === 'failed');
        assert.deepEqual(servers(), []);
        await assert.doesNotReject(command('ptx.showServerStatus'), 'a command says that the server does not run');
        await command('ptx.restartServer');
        await running();
    });

    it('a wrong path is said, the right one is found again', async () => {
        const { serverState } = await api();
        const settings = vscode.workspace.getConfiguration('ptx-analyzer');
        await settings.update('server.path', '/gone/ptx-analyzer', vscode.ConfigurationTarget.Global);
        await until('the state', () => serverState() === 'failed');
        await settings.update('server.path', undefined, vscode.ConfigurationTarget.Global);
        await running();
    });

    it('a program that is not a language server does not start', async () => {
        const { serverState } = await api();
        const settings = vscode.workspace.getConfiguration('ptx-analyzer');
        await settings.update('server.path', '/bin/false', vscode.ConfigurationTarget.Global);
        await until('the state', () => serverState() === 'failed');
        await settings.update('server.path', undefined, vscode.ConfigurationTarget.Global);
        await running();
    });

    it('a project cannot name the server', async () => {
        const { serverState } = await api();
        const settings = vscode.workspace.getConfiguration('ptx-analyzer');
        await assert.rejects(async () => settings.update('server.path', '/bin/false', vscode.ConfigurationTarget.Workspace));
        assert.equal(serverState(), 'running');
    });
});

describe('evaluation', () => {
    beforeEach(running);
    afterEach(closeAll);

    it('the lens above a kernel opens the warp panel, and its values stand in the document', async () => {
        const { uri, document } = await open('saxpy.ptx', kernel('saxpy.ptx'));
        const lens = await until('the lens', async () => (await command('vscode.executeCodeLensProvider', uri, 10)).find(({ command: of }) => of?.command === 'ptx-analyzer.showWarp'));
        assert.match(lens.command.title, /Evaluate warp/);
        await command(lens.command.command, ...lens.command.arguments);
        await until('the panel', () => tabs().some(({ label }) => /saxpy|Warp/.test(label) && !/\.ptx$/.test(label)));
        const all = new vscode.Range(0, 0, document.lineCount, 0);
        await until('values in the document', async () => (await command('vscode.executeInlayHintProvider', uri, all)).length > 0);
    });

    it('a fault is a finding on its line, and goes away with the evaluation', async () => {
        const { uri, document } = await open('fault.ptx', kernel('saxpy.ptx').replace('x=f32[100]:iota', 'x=f32[10]:iota'));
        await command('ptx.evaluateWarp');
        const fault = await until('the fault', () => vscode.languages.getDiagnostics(uri).find(({ range }) => document.lineAt(range.start.line).text.includes('ld.global')));
        assert.ok(fault.message.length > 10);
        await vscode.window.showTextDocument(document);
        await command('ptx.clearEvaluation');
        await until('no findings', () => codes(uri).length === 0);
    });

    it('the launch that is guessed is written above a kernel that has none', async () => {
        const { document } = await open('launch.ptx', kernel('saxpy.ptx').replace(/^\/\/!.*\n/gm, ''));
        await command('ptx.writeLaunch');
        await until('the line', () => /^\/\/! launch: .*\n\.visible \.entry saxpy/m.test(document.getText()));
        await command('workbench.action.files.revert');
    });
});
