// Debugging in VS Code itself: the adapter is the server of the package.
const assert = require('node:assert/strict');
const vscode = require('vscode');
const { closeAll, command, kernel, open, place, running, until } = require('./helpers');

describe('debugging', () => {
    let saxpy;
    const ended = [];
    before(async () => {
        await running();
        vscode.debug.onDidTerminateDebugSession((session) => ended.push(session.id));
    });
    beforeEach(async () => {
        saxpy = await open('saxpy.ptx', kernel('saxpy.ptx'));
    });
    afterEach(async () => {
        const session = vscode.debug.activeDebugSession;
        await vscode.debug.stopDebugging();
        if (session) await until('the end', () => ended.includes(session.id));
        vscode.debug.removeBreakpoints(vscode.debug.breakpoints);
        await closeAll();
    });

    const session = () => until('a session', () => vscode.debug.activeDebugSession);
    const frame = async () => {
        const active = await session();
        const item = await until('a frame', () => vscode.debug.activeStackItem?.frameId !== undefined && vscode.debug.activeStackItem);
        const { stackFrames } = await active.customRequest('stackTrace', { threadId: item.threadId });
        return { ...stackFrames[0], threadId: item.threadId };
    };
    const stoppedAt = (line) =>
        until(`a stop in line ${line + 1}`, async () => {
            const found = await frame().catch(() => undefined);
            return found?.line === line + 1 && found;
        });
    const breakAt = (text, condition) => {
        const position = place(saxpy.document, text);
        vscode.debug.addBreakpoints([new vscode.SourceBreakpoint(new vscode.Location(saxpy.uri, position), true, condition)]);
        return position.line;
    };
    const scopes = async () => (await (await session()).customRequest('scopes', { frameId: (await frame()).id })).scopes;
    const value = async (expression) => {
        const active = await session();
        return (await active.customRequest('evaluate', { expression, frameId: (await frame()).id, context: 'watch' })).result;
    };

    it('F5 without a launch.json stops before the first instruction', async () => {
        saxpy.editor.selection = new vscode.Selection(40, 0, 40, 0);
        await command('workbench.action.debug.start');
        await stoppedAt(place(saxpy.document, 'ld.param.u32').line);
        assert.equal(vscode.debug.activeDebugSession.configuration.entry, 'saxpy');
    });

    it('a breakpoint, a step, and the step back', async () => {
        const line = breakAt('fma.rn.f32');
        await command('ptx.debugEntry');
        await stoppedAt(place(saxpy.document, 'ld.param.u32').line);
        await command('workbench.action.debug.continue');
        await stoppedAt(line);
        assert.match(await value('%xi'), /^0\.0 1\.0 2\.0/);
        await command('workbench.action.debug.stepOver');
        await stoppedAt(line + 1);
        assert.match(await value('%axpy'), /^1\.0 3\.0 5\.0/);
        await command('workbench.action.debug.stepBack');
        await stoppedAt(line);
    });

    it('a breakpoint with a condition stops in the warp for which it holds', async () => {
        const line = breakAt('fma.rn.f32', '%ctaid.x == 1');
        await command('ptx.debugEntry');
        await stoppedAt(place(saxpy.document, 'ld.param.u32').line);
        await command('workbench.action.debug.continue');
        await stoppedAt(line);
        assert.match(await value('%i'), /^32 33 34/);
    });

    it('registers of all lanes are variables', async () => {
        const line = breakAt('fma.rn.f32');
        await vscode.debug.startDebugging(undefined, { type: 'ptx', request: 'launch', name: 'test', program: saxpy.uri.fsPath, stopOnEntry: false });
        await stoppedAt(line);
        const names = (await scopes()).map(({ name }) => name);
        for (const name of ['Uniform registers', 'Varying registers', 'Predicates']) assert.ok(names.includes(name), names.join());
    });

    it('a launch of the configuration is used', async () => {
        const configuration = { type: 'ptx', request: 'launch', name: 'test', program: saxpy.uri.fsPath };
        await vscode.debug.startDebugging(undefined, { ...configuration, launch: 'grid=3 block=64 n=10' });
        await frame();
        const { variablesReference } = (await scopes()).find(({ name }) => name === 'Parameters');
        const { variables } = await (await session()).customRequest('variables', { variablesReference });
        assert.equal(variables.find(({ name }) => name === 'n').value, '10');
    });
});
