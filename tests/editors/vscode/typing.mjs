// Types kernels into VS Code, key by key, and compares the resulting files byte by byte.
//
//   typing.mjs VSIX DATA [OPTION…]
//
//   --kernels A,B     kernels in tests/kernels, without their extension (all of them)
//   --speeds 0,40     milliseconds per key (0,40,90,200)
//   --panel WHICH     closed, open or both: the warp panel beside the text (both)
//   --busy N          number of programs that keep a core busy each (0)
//   --keys N          maximum number of keys for each speed and panel: whole kernels, the last one up to the end of a line (all)
//   --pages N         number of pages that type at the same time (1)
//   --closers HOW     pairs: the editor closes brackets; typed: it does not (pairs)
//   --places          also type the situations in which keys were once lost
//   --as EXT          the extension of the file (ptx); txt shows the keys that the editor itself and the browser lose
//   --text FILE       type this text instead of kernels
//   --server PATH     a language server that replaces the package's
//   --from N          begin with the Nth kernel
//
// The last line is a JSON object: { keys, differing_bytes, lost_keys, messages, … }; lost keys are the differing bytes outside indentation. The
// exit status is 1 if a byte differs, or VS Code shows a message.
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Desk } from './desk.mjs';
import { difference, firstDifference, keysFor, pressKeys } from './keys.mjs';
import { Messages } from './messages.mjs';
import { openWarp } from './panel.scenes.mjs';
import { places } from './places.mjs';
import { launchBrowser, startWorkbench, until } from './workbench.mjs';

const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
        kernels: { type: 'string' },
        speeds: { type: 'string', default: '0,40,90,200' },
        panel: { type: 'string', default: 'both' },
        busy: { type: 'string', default: '0' },
        keys: { type: 'string' },
        pages: { type: 'string', default: '1' },
        closers: { type: 'string', default: 'pairs' },
        places: { type: 'boolean', default: false },
        as: { type: 'string', default: 'ptx' },
        text: { type: 'string' },
        server: { type: 'string' },
        from: { type: 'string', default: '0' },
        settings: { type: 'string', default: '{}' },
    },
});
const [vsix, data] = positionals.map((path) => resolve(path));
if (!data) {
    console.error('usage: typing.mjs VSIX DATA [OPTION…]');
    process.exit(2);
}
const kernels = fileURLToPath(new URL('../../kernels/', import.meta.url));
const names = (options.text && ['text']) ?? options.kernels?.split(',') ?? readdirSync(kernels).filter((name) => name.endsWith('.ptx')).map((name) => name.slice(0, -4)).sort();
/** Maximum time for the indentation after the last key, in milliseconds. */
const INDENT_TIMEOUT = 15_000;
const pairs = options.closers === 'pairs';
const most = options.keys === undefined ? Infinity : Number(options.keys);
const panels = options.panel === 'both' ? ['closed', 'open'] : [options.panel];

/**
 * A kernel, or its first lines up to this number of keys. If it is `cut`, the editor has already indented the next
 * line.
 */
function sample(name, room) {
    const text = readFileSync(options.text ?? join(kernels, `${name}.ptx`), 'utf8');
    if (keysFor(text, { pairs: false }).length <= room) return { text, cut: false };
    // Skip the comments before the code.
    const code = text.slice(Math.max(0, text.indexOf('.version')));
    let end = 0;
    for (let next = code.indexOf('\n') + 1; next > 0 && keysFor(code.slice(0, next), { pairs: false }).length <= room; next = code.indexOf('\n', next) + 1) end = next;
    return { text: code.slice(0, end), cut: true };
}

/** The texts to type: one list for each speed and panel. */
function work() {
    const out = [];
    for (const speed of options.speeds.split(',').map(Number)) {
        for (const panel of panels) {
            if (options.places) out.push(...places(pairs).map((place) => ({ speed: place.pace ?? speed, panel, ...place })));
            let room = most;
            const from = Number(options.from) % names.length;
            for (const name of [...names.slice(from), ...names.slice(0, from)]) {
                const { text, cut } = room > 0 ? sample(name, room) : { text: '' };
                if (!text) break;
                room -= keysFor(text, { pairs: false }).length;
                out.push({ speed, panel, name, text, cut });
            }
        }
    }
    return out.filter((job, i) => out.findIndex((other) => other.name === job.name && other.speed === job.speed && other.panel === job.panel) === i);
}

/** If brackets are open at the end of a sample, the editor's closing brackets are below it. */
function wantedOf(text, found) {
    if (text === found || !pairs) return text;
    const open = [];
    for (const line of text.split('\n')) {
        const code = line.replace(/\/\/.*$/, '');
        for (const sign of code) {
            if ('({['.includes(sign)) open.push({ '(': ')', '{': '}', '[': ']' }[sign]);
            else if (open.at(-1) === sign) open.pop();
        }
    }
    return open.length === 0 ? text : `${text}\n${open.reverse().join('\n')}`;
}

const busy = Array.from({ length: Number(options.busy) }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
process.on('exit', () => busy.forEach((child) => child.kill('SIGKILL')));

const workbench = await startWorkbench({
    data,
    vsix,
    settings: {
        ...(pairs ? {} : { 'editor.autoClosingBrackets': 'never', 'editor.autoClosingQuotes': 'never' }),
        ...(options.server && { 'ptx-analyzer.server.path': resolve(options.server) }),
        ...JSON.parse(options.settings),
    },
});
const browser = await launchBrowser();
const jobs = work();
const results = [];
/** Messages that VS Code showed meanwhile; none is expected. */
const shown = [];

async function typist(number) {
    const project = join(data, `project-${number}`);
    mkdirSync(project, { recursive: true });
    const context = await browser.newContext({ viewport: { width: 1400, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(30_000);
    const messages = await Messages.watch(page);
    const cdp = await context.newCDPSession(page);
    const desk = new Desk({ page, project });
    const file = `k.${options.as}`;
    const path = join(project, file);
    writeFileSync(path, '');
    let panel = 'none';
    await page.goto(`http://${workbench.host}/?folder=${project}`, { timeout: 180_000 });
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 120_000 });

    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
        if (panel !== job.panel) {
            if (panel !== 'none') await desk.clear();
            if (job.panel === 'open' && options.as === 'ptx') await openWarp(desk, 'saxpy.ptx', { as: file });
            else {
                writeFileSync(path, '');
                await desk.open(file);
            }
            panel = job.panel;
        }
        await until('an empty editor', 60, async () => {
            await page.keyboard.press('Escape');
            await page.keyboard.press('Control+1');
            await page.locator('.monaco-editor.focused').first().waitFor();
            await page.keyboard.press('Control+a');
            await page.keyboard.press('Delete');
            await page.waitForTimeout(1000);
            const lines = page.locator('.editor-group-container.active .monaco-editor .view-line');
            return (await lines.count()) === 1 && ((await lines.textContent()) ?? '') === '';
        });
        if (job.before) {
            // Insert everything except the typed part at once.
            await page.keyboard.insertText(job.before);
            await page.waitForTimeout(1500);
        }
        const keys = job.keys ?? keysFor(job.text, { pairs });
        const started = performance.now();
        await pressKeys(cdp, keys, job.speed);
        const seconds = (performance.now() - started) / 1000;
        const text = (job.before ?? '') + job.text;
        const wantedFor = (found) => (job.keys ? text : options.as === 'txt' ? text.replace(/^ +/gm, '') : wantedOf(text, found));
        const rested = performance.now();
        await page.waitForTimeout(2000);
        await page.keyboard.press('Escape');
        await page.waitForTimeout(200);
        let found;
        // The extension examines the lines after a pause in typing, and sends a request to the server: on a busy
        // machine this takes a while.
        for (;;) {
            // The typed text differs from the saved one, so saving writes the file.
            const written = found === undefined ? statSync(path).mtimeMs : 0;
            const saved = await until('the file to be saved', 60, async () => {
                await page.keyboard.press('Control+1');
                await page.keyboard.press('Control+s');
                await page.waitForTimeout(500);
                return statSync(path).mtimeMs > written && (await page.locator(`.tab[data-resource-name="${file}"].dirty`).count()) === 0 && { text: readFileSync(path, 'utf8') };
            });
            found = saved.text.replace(job.cut ? /(?<=\n)[ \t]+$/ : /(?!)/, '');
            if (found === wantedFor(found) || performance.now() - rested > INDENT_TIMEOUT) break;
        }
        const waited = (performance.now() - rested) / 1000;
        const wanted = wantedFor(found);
        const { missing, extra } = difference(wanted, found);
        // The editor inserts leading blanks; other missing characters are lost keys.
        const typed = difference(wanted.replace(/^ +/gm, ''), found.replace(/^ +/gm, ''));
        const result = { name: job.name, speed: job.speed, panel: job.panel, keys: keys.length, lost_keys: typed.missing + typed.extra, differing_bytes: missing + extra, ms_a_key: Math.round((seconds * 1000) / keys.length) };
        results.push(result);
        const good = result.differing_bytes === 0;
        for (const message of await messages.take()) {
            shown.push(message);
            console.log(`FAIL typing: ${job.name} at ${job.speed} ms a key: an unexpected message: ${message}`);
        }
        console.log(`${good ? 'ok  ' : 'FAIL'} typing: ${job.name} at ${job.speed} ms a key, panel ${job.panel}: ${keys.length} keys, ${result.differing_bytes} bytes differ, ${result.lost_keys} of them typed (${seconds.toFixed(1)} s, right after ${waited.toFixed(1)} s)`);
        if (!good) {
            console.log(`  ${firstDifference(wanted, found)}`);
            writeFileSync(join(data, `differs-${job.name}-${job.speed}-${job.panel}.ptx`), found);
            await page.screenshot({ path: join(data, `differs-${job.name}-${job.speed}-${job.panel}.png`) }).catch(() => undefined);
        }
    }
}

try {
    await Promise.all(Array.from({ length: Number(options.pages) }, (_, number) => typist(number)));
} catch (error) {
    console.log(`FAIL typing: ${String(error.message).split('\n').slice(0, 4).join('\n  ')}`);
    results.push({ speed: 0, panel: 'none', keys: 0, lost_keys: 1, differing_bytes: 1 });
} finally {
    await browser.close();
    await workbench.stop();
}
const sum = (list, key) => list.reduce((all, result) => all + result[key], 0);
const groups = {};
for (const { speed, panel } of results) {
    const these = results.filter((r) => r.speed === speed && r.panel === panel);
    groups[`${speed} ms, panel ${panel}`] = { keys: sum(these, 'keys'), differing_bytes: sum(these, 'differing_bytes'), lost_keys: sum(these, 'lost_keys') };
}
console.log(JSON.stringify({ keys: sum(results, 'keys'), differing_bytes: sum(results, 'differing_bytes'), lost_keys: sum(results, 'lost_keys'), messages: shown.length, busy: busy.length, pages: Number(options.pages), groups }));
process.exit(sum(results, 'differing_bytes') > 0 || shown.length > 0 ? 1 : 0);
