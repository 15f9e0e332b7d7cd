// Events that reach the language client while the server starts, stops or dies, with a user who types on. Nothing is shown, and
// the server has the newest text and the newest settings afterwards.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { openWarp, press } from './panel.scenes.mjs';
import { until } from './workbench.mjs';

const lens = '.codelens-decoration:has-text("registers")';
/** Milliseconds between two keys. */
const PACE = 70;

/** Opens a kernel and puts the cursor on a new line in its body. */
async function begin(desk, as) {
    const text = desk.kernel('saxpy.ptx', undefined, as);
    await desk.open(as);
    await desk.goToText(text, '.entry');
    await desk.sees('a lens of registers', lens, 40);
    await desk.goToText(text, 'mul.wide.u32        %off, %i, 4;');
    await desk.page.keyboard.press('End');
    await desk.page.keyboard.press('Enter');
}

/**
 * Types a few statements while `event` happens. The last one is wrong and must be marked; then it is put right, and the
 * mark must vanish: both only with the text of the last key.
 */
async function typeDuring(desk, event) {
    const { keyboard } = desk.page;
    const happens = event();
    for (let line = 0; line < 5; line++) {
        await keyboard.type(`mov.u32 %i, ${line};`, { delay: PACE });
        await keyboard.press('Enter');
    }
    await happens;
    await keyboard.type('mov.u33 %i, 7;', { delay: PACE });
    await desk.sees('the error that was typed', '.squiggly-error', 60);
    for (let i = 0; i < '3 %i, 7;'.length; i++) await keyboard.press('Backspace', { delay: PACE });
    await keyboard.type('2 %i, 7;', { delay: PACE });
    await desk.page.locator('.squiggly-error').first().waitFor({ state: 'hidden', timeout: 60_000 });
}

/** Waits until there is one server, which is not one of `before`. */
const anotherServer = (desk, before) => until('another server', 30, () => {
    const now = desk.servers();
    return now.length === 1 && !before.includes(now[0]) && now[0];
});

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** A setting that shows in the editor: the lens of registers is gone, and returns. */
async function hidesLens(desk) {
    await desk.goTo(15);
    await desk.page.locator(lens).first().waitFor({ state: 'hidden', timeout: 40_000 });
    desk.settings({ 'ptx-analyzer.codeLens.registers': true });
    await desk.sees('the lens again', lens, 40);
}

/** One change of settings that starts the server again. */
const changes = (name, settings) => ({
    name: `restart-${name}`,
    title: `a changed ${Object.keys(settings).join(' and ')} while one types says nothing`,
    async run(desk) {
        await begin(desk, `${name}.ptx`);
        const before = desk.servers();
        await typeDuring(desk, async () => {
            await pause(5 * PACE);
            desk.settings(settings);
            await anotherServer(desk, before);
        });
        if ('ptx-analyzer.codeLens.registers' in settings) await hidesLens(desk);
        desk.settings(Object.fromEntries(Object.keys(settings).map((key) => [key, undefined])));
        await pause(1000);
        await until('the server with the former settings', 30, () => desk.servers().length === 1);
        await desk.run('File: Revert File');
    },
});

export const scenes = [
    changes('ptxas', { 'ptx-analyzer.ptxas.path': '/opt/none/ptxas' }),
    changes('arguments', { 'ptx-analyzer.ptxas.arguments': ['--maxrregcount', '64'] }),
    changes('nvdisasm', { 'ptx-analyzer.nvdisasm.path': '/opt/none/nvdisasm' }),
    changes('environment', { 'ptx-analyzer.server.extraEnv': { PTX_TEST: '1' } }),
    changes('two', { 'ptx-analyzer.ptxas.timeout': 50, 'ptx-analyzer.codeLens.registers': false }),
    {
        name: 'restart-command',
        title: 'Restart Server while one types; settings that change while it starts',
        async run(desk) {
            await begin(desk, 'command.ptx');
            const before = desk.servers();
            await desk.run('PTX: Restart Server');
            await typeDuring(desk, async () => {
                desk.settings({ 'ptx-analyzer.codeLens.registers': false });
                const server = await anotherServer(desk, before);
                // Another restart while it starts.
                desk.settings({ 'ptx-analyzer.server.extraEnv': { PTX_TEST: '2' } });
                await anotherServer(desk, [...before, server]);
            });
            await hidesLens(desk);
            desk.settings({ 'ptx-analyzer.server.extraEnv': undefined });
            await desk.run('File: Revert File');
        },
    },
    {
        name: 'restart-killed',
        title: 'the server is killed while one types, and again while it starts',
        async run(desk) {
            await begin(desk, 'killed.ptx');
            const before = desk.servers();
            await typeDuring(desk, async () => {
                await pause(4 * PACE);
                for (const id of before) process.kill(id, 'SIGKILL');
                const server = await anotherServer(desk, before);
                process.kill(server, 'SIGKILL');
                desk.settings({ 'ptx-analyzer.codeLens.registers': false });
                await anotherServer(desk, [...before, server]);
            });
            await hidesLens(desk);
            await desk.run('File: Revert File');
        },
    },
    {
        name: 'restart-inline',
        title: 'both servers start again while one types PTX in a string of C++',
        async run(desk) {
            const text = readFileSync(fileURLToPath(new URL('../fixture/inline.cu', import.meta.url)), 'utf8');
            desk.write('typed.cu', text);
            await desk.open('typed.cu');
            await desk.goToText(text, '  .reg .pred inside');
            desk.settings({ 'ptx-analyzer.server.extraEnv': { PTX_TEST: '3' } });
            await desk.page.keyboard.type('.reg .b32 another; ', { delay: PACE });
            desk.settings({ 'ptx-analyzer.server.extraEnv': undefined, 'ptx-analyzer.inlayHints.enable': false });
            await desk.page.keyboard.type('.reg .u33 wrong; ', { delay: PACE });
            await desk.sees('the error that was typed', '.squiggly-error', 60);
            desk.settings({ 'ptx-analyzer.inlayHints.enable': undefined });
            await desk.run('File: Revert File');
            await desk.page.locator('.squiggly-error').first().waitFor({ state: 'hidden', timeout: 60_000 });
        },
    },
    {
        name: 'restart-panel',
        title: 'the server is killed while the warp panel is open: it evaluates again and shows nothing',
        async run(desk) {
            const { panel } = await openWarp(desk, 'saxpy.ptx');
            const before = desk.servers();
            for (const id of before) process.kill(id, 'SIGKILL');
            await anotherServer(desk, before);
            await press(panel, 'n', 'n');
            await desk.sees('a step of the new server', panel.locator('.answer:not(:empty)'));
            await desk.page.waitForTimeout(2500);
            if (await panel.locator('.notice.bad').first().isVisible()) throw new Error('the panel shows a problem');
        },
    },
    {
        name: 'restart-hung',
        title: 'a program that never answers is given up once the setting names another',
        async run(desk) {
            await begin(desk, 'hung.ptx');
            const before = desk.servers();
            desk.settings({ 'ptx-analyzer.server.path': desk.program('silent', 'exec sleep 600') });
            await until('the end of the server', 30, () => desk.servers().length === 0);
            await pause(500);
            desk.settings({ 'ptx-analyzer.server.path': undefined });
            await anotherServer(desk, before);
            await typeDuring(desk, async () => undefined);
            await desk.run('File: Revert File');
        },
    },
    {
        name: 'restart-trusted',
        title: 'trust is granted between two keys',
        trust: true,
        async run(desk) {
            desk.settings({ 'ptx-analyzer.ptxas.path': '/opt/none/ptxas' });
            await begin(desk, 'trusted.ptx');
            const before = desk.servers();
            await desk.page.keyboard.type('mov.u32 %i, 1;', { delay: PACE });
            await desk.run('Workspaces: Manage Workspace Trust');
            await desk.page.locator('.workspace-trust-editor .monaco-button:has-text("Trust")').first().click();
            await desk.sees('the granted trust', '.workspace-trust-editor:has-text("You trust this folder")');
            await desk.page.locator('.tab[data-resource-name="trusted.ptx"]').click();
            await desk.sees('the text', '.monaco-editor.focused');
            await desk.page.keyboard.press('End');
            await desk.page.keyboard.press('Enter');
            await typeDuring(desk, () => anotherServer(desk, before));
            await desk.run('File: Revert File');
        },
    },
];
