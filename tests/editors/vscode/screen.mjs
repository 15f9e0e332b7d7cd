// Opens VS Code in a browser and plays scenes, which check the screen and save pictures.
//
//   screen.mjs VSIX PROJECT DATA [SCENE…]
//
// PICTURES  a folder for pictures of the screen (none by default)
// A file *.scenes.mjs contains scenes: `export const scenes = [{ name, title, expects, run: async (desk) => {} }]`. A message that
// no pattern in `expects` fits fails its scene, and so does a pattern without a message.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Desk } from './desk.mjs';
import { Messages } from './messages.mjs';
import { launchBrowser, startWorkbench } from './workbench.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const [vsix, project, data] = process.argv.slice(2, 5).map((path) => resolve(path));
const wanted = process.argv.slice(5);
const pictures = process.env.PICTURES ? resolve(process.env.PICTURES) : undefined;
const failures = pictures ?? data;
if (pictures) mkdirSync(pictures, { recursive: true });

const scenes = [];
for (const file of readdirSync(here).filter((name) => name.endsWith('.scenes.mjs')).sort()) {
    scenes.push(...(await import(join(here, file))).scenes);
}

let failed = 0;
/** One VS Code instance for all scenes with the same requirements. */
for (const trust of [false, true]) {
    const chosen = scenes.filter((scene) => Boolean(scene.trust) === trust && (wanted.length === 0 || wanted.includes(scene.name)));
    if (chosen.length === 0) continue;
    rmSync(project, { recursive: true, force: true });
    mkdirSync(project, { recursive: true });
    const workbench = await startWorkbench({ data: `${data}-${trust ? 'asked' : 'trusted'}`, vsix, trust, settings: { 'workbench.colorTheme': 'Dark Modern' } });
    const browser = await launchBrowser();
    try {
        const context = await browser.newContext({ viewport: { width: 1120, height: 700 }, permissions: ['clipboard-read', 'clipboard-write'] });
        const page = await context.newPage();
        page.setDefaultTimeout(15_000);
        page.on('pageerror', (error) => console.log(`  (the page: ${String(error).slice(0, 200)})`));
        const messages = await Messages.watch(page);
        const desk = new Desk({ page, project, pictures, change: workbench.change, extensions: workbench.extensions });
        desk.kernel('saxpy.ptx');
        desk.kernel('mma_matmul.ptx');
        await page.goto(`http://${workbench.host}/?folder=${project}`, { timeout: 60_000 });
        await page.locator('.monaco-workbench').waitFor({ timeout: 60_000 });
        await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor({ timeout: 60_000 });
        for (const { name, title, run, expects } of chosen) {
            // A whole editor in a browser occasionally loses a key while it is busy, so only a second failure counts.
            for (const last of [false, true]) {
                const started = Date.now();
                const why = await run(desk).then(() => undefined, (error) => String(error.message).split('\n').slice(0, 6).join('\n  '));
                const time = `${((Date.now() - started) / 1000).toFixed(1)} s`;
                if (why === undefined) console.log(`ok   screen: ${name}: ${title} (${time}${last ? ', at the second try' : ''})`);
                else {
                    console.log(`${last ? 'FAIL' : '     once'} screen: ${name}: ${title}\n  ${why}`);
                    await page.screenshot({ path: join(failures, `failed-${name}.png`) }).catch(() => undefined);
                }
                if (why !== undefined && last) failed++;
                await desk.clear().catch((error) => console.log(`  (tidying up after ${name}: ${String(error.message).split('\n')[0]})`));
                const strange = why === undefined ? await messages.problems(expects) : (await messages.take(), []);
                if (strange.length > 0) {
                    // A message is not an accident of the browser: there is no second try.
                    failed++;
                    console.log(`FAIL screen: ${name}: its messages\n  ${strange.join('\n  ')}`);
                }
                if (why === undefined) break;
            }
        }
    } finally {
        await browser.close();
        await workbench.stop();
    }
}
process.exit(failed > 0 ? 1 : 0);
