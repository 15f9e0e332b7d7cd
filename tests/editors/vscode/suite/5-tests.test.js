// Launches with expectations in the Test Explorer. VS Code has no API for results, so the extension tells them.
const assert = require('node:assert/strict');
const { readFileSync, rmSync, writeFileSync } = require('node:fs');
const { join, resolve } = require('node:path');
const vscode = require('vscode');
const { api, closeAll, command, diagnostics, open, place, root, running, until } = require('./helpers');

const TEXT = readFileSync(resolve(__dirname, '../../fixture/tests.ptx'), 'utf8');
const ENDLESS = `.version 7.8
.target sm_80
.address_size 64
//! launch: grid=1 block=32
//! expect: status=finished
//! launch: grid=1 block=32
//! expect: status=limit
.visible .entry endless()
{
    .reg .b32   %r;
    mov.u32             %r, 0;
again:
    add.u32             %r, %r, 1;
    bra                 again;
}
`;

describe('test explorer', () => {
    let tests;
    /** The rows of one file. */
    const rows = (name) => {
        const all = tests();
        const from = all.indexOf(name);
        if (from < 0) return [];
        const to = all.findIndex((row, index) => index > from && !row.startsWith(' '));
        return all.slice(from, to < 0 ? undefined : to);
    };
    const row = (name, text) => rows(name).find((one) => one.includes(text)) ?? '';
    const outcomes = (name) => rows(name).flatMap((one) => / = (\w+)$/.exec(one)?.[1] ?? []);
    /** Runs the tests of a file. The window learns of new tests after a while, and runs nothing until then. */
    const start = (uri) => until('a run', async () => (await command('testing.runCurrentFile', [uri]))?.completedAt, 40);
    const run = async (name, count) => {
        await start(vscode.Uri.file(join(root(), name)));
        return until(`${count} outcomes of\n${tests().join('\n')}`, () => outcomes(name).length === count && outcomes(name));
    };

    before(async () => {
        await running();
        tests = (await api()).tests;
    });
    afterEach(async () => {
        await command('workbench.action.files.revert');
        await closeAll();
    });

    it('an open file has its kernels and their launches with expectations', async () => {
        await open('tree.ptx', TEXT);
        await until('the launches', () => rows('tree.ptx').length === 7);
        assert.deepEqual(rows('tree.ptx'), [
            'tree.ptx',
            '  count',
            '    grid=1 block=8 out=u32[8]:zero',
            '    grid=1 block=4 out=u32[8]:zero',
            '    grid=1 block=9 out=u32[8]:zero',
            '  raced',
            '    grid=1 block=64 out=u32[1]:zero',
        ]);
    });

    it('a run passes and fails, with messages at their lines', async () => {
        const { document, uri } = await open('results.ptx', TEXT);
        await until('the launches', () => rows('results.ptx').length === 7);
        assert.deepEqual(await run('results.ptx', 4), ['passed', 'failed', 'passed', 'failed']);
        assert.equal(row('results.ptx', 'is 1'), `      ! line ${place(document, 'out[1]=5').line + 1}: out[1]=5: is 1, not 5`);
        const store = document.positionAt(TEXT.lastIndexOf('st.global')).line + 1;
        assert.match(row('results.ptx', 'writes'), new RegExp(`! line ${store}: lane 1 writes .*63 times in all`));
        // Test runs are no evaluations of the document.
        assert.deepEqual(diagnostics(uri), []);
    });

    it('text that is not saved counts, and an edit changes the tree', async () => {
        const { document, editor } = await open('unsaved.ptx', TEXT);
        await until('the launches', () => rows('unsaved.ptx').length === 7);
        const settings = vscode.workspace.getConfiguration('testing');
        await settings.update('saveBeforeTest', false, vscode.ConfigurationTarget.Global);
        const wrong = place(document, 'out[1]=5');
        await editor.edit((edit) => edit.replace(new vscode.Range(wrong, wrong.translate(0, 8)), 'out[1]=1'));
        // Without a wait: the tree is brought up to date before the run.
        assert.deepEqual(await run('unsaved.ptx', 4), ['passed', 'passed', 'passed', 'failed']);
        assert.ok(document.isDirty);
        await settings.update('saveBeforeTest', undefined, vscode.ConfigurationTarget.Global);
        const raced = place(document, '//! expect: out[0]=0..63').line;
        await editor.edit((edit) => edit.delete(new vscode.Range(raced, 0, raced + 1, 0)));
        await until('the tree without that launch', () => !rows('unsaved.ptx').some((one) => one.includes('raced')));
    });

    it('errors of the text and of an expectation are errors of the test', async () => {
        const { document } = await open('errors.ptx', TEXT.replace('mul.wide.u32', 'mul.wide.u33').replace('out[7]=7', 'out[7'));
        await until('the launches', () => rows('errors.ptx').length === 7);
        // The other kernel has no error.
        assert.deepEqual(await run('errors.ptx', 4), ['errored', 'errored', 'errored', 'failed']);
        assert.match(rows('errors.ptx')[3], new RegExp(`! line ${place(document, 'out[7').line + 1}: `));
        assert.match(row('errors.ptx', 'cannot be run'), new RegExp(`! line ${place(document, 'mul.wide').line + 1}: `));
    });

    it('a run is cancelled', async () => {
        const settings = vscode.workspace.getConfiguration('ptx-analyzer.evaluation');
        await settings.update('steps', 4_000_000_000, vscode.ConfigurationTarget.Global);
        try {
            const { uri } = await open('endless.ptx', ENDLESS);
            await until('the launches', () => rows('endless.ptx').length === 4);
            const ran = start(uri);
            await new Promise((done) => setTimeout(done, 1500));
            assert.deepEqual(outcomes('endless.ptx'), []);
            await command('testing.cancelRun');
            assert.deepEqual(await until('the end', () => outcomes('endless.ptx').length === 2 && outcomes('endless.ptx')), ['skipped', 'skipped']);
            await ran;
        } finally {
            await settings.update('steps', undefined, vscode.ConfigurationTarget.Global);
        }
    });

    it('a launch that does not end fails where it was stopped', async () => {
        const settings = vscode.workspace.getConfiguration('ptx-analyzer.evaluation');
        await settings.update('steps', 1000, vscode.ConfigurationTarget.Global);
        try {
            const { document } = await open('limited.ptx', ENDLESS);
            await until('the launches', () => rows('limited.ptx').length === 4);
            assert.deepEqual(await run('limited.ptx', 2), ['failed', 'passed']);
            const stopped = /! line (\d+): Stopped at the limit, at line \d+, after 1,000 warp instructions/.exec(row('limited.ptx', 'Stopped at the limit'));
            assert.ok(Math.abs(Number(stopped?.[1]) - 1 - place(document, 'add.u32').line) <= 1, row('limited.ptx', 'Stopped at the limit'));
        } finally {
            await settings.update('steps', undefined, vscode.ConfigurationTarget.Global);
        }
    });

    it('files of the workspace are found, and run without being shown', async () => {
        writeFileSync(join(root(), 'closed.ptx'), TEXT);
        writeFileSync(join(root(), 'nothing.ptx'), TEXT.replaceAll('expect:', 'remark'));
        await command('testing.refreshTests');
        await until('the file', () => rows('closed.ptx').length > 0);
        assert.deepEqual(rows('nothing.ptx'), []);
        await command('testing.runAll');
        await until('its outcomes', () => outcomes('closed.ptx').length === 4, 60);
        assert.deepEqual(outcomes('closed.ptx'), ['passed', 'failed', 'passed', 'failed']);
        assert.ok(!vscode.window.visibleTextEditors.some(({ document }) => document.uri.path.endsWith('closed.ptx')));
        rmSync(join(root(), 'closed.ptx'));
        await until('its end', () => rows('closed.ptx').length === 0);
    });

    it('a launch is debugged, and its result is told at the end', async () => {
        const { document, editor } = await open('debugged.ptx', TEXT);
        await until('the launches', () => rows('debugged.ptx').length === 7);
        const at = place(document, 'grid=1 block=4');
        editor.selection = new vscode.Selection(at, at);
        const ended = new Promise((done) => vscode.debug.onDidTerminateDebugSession(done));
        void command('testing.debugAtCursor');
        const session = await until('a session', () => vscode.debug.activeDebugSession);
        const { entry, number, program, type } = session.configuration;
        assert.deepEqual({ entry, number, program, type }, { entry: 'count', number: 1, program: document.uri.fsPath, type: 'ptx' });
        await until('the stop before the first instruction', () => vscode.debug.activeStackItem?.frameId !== undefined);
        await command('workbench.action.debug.continue');
        await ended;
        await until('the outcome', () => outcomes('debugged.ptx').length === 1);
        assert.deepEqual(outcomes('debugged.ptx'), ['failed']);
    });
});
