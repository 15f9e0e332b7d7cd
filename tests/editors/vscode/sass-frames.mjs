// How smoothly machine code scrolls beside its PTX in VS Code: prints the times between frames while a key is held. It decides
// nothing, since they depend on the machine.
//
//   node tests/editors/vscode/sass-frames.mjs VSIX FILE TOOLS DATA
//
// FILE is a PTX file, such as one with a kernel of 20,000 instructions; TOOLS a folder with NVIDIA's ptxas and nvdisasm.
import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { Desk } from './desk.mjs';
import { launchBrowser, startWorkbench } from './workbench.mjs';

const [vsix, file, tools, data] = process.argv.slice(2).map((path) => resolve(path));
const project = join(data, 'project');
rmSync(project, { recursive: true, force: true });
mkdirSync(project, { recursive: true });
cpSync(file, join(project, basename(file)));
const settings = { 'ptx-analyzer.ptxas.path': join(tools, 'ptxas'), 'ptx-analyzer.nvdisasm.path': join(tools, 'nvdisasm') };
const workbench = await startWorkbench({ data: join(data, 'code'), vsix, settings });
const browser = await launchBrowser();
try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.setDefaultTimeout(60_000);
    const desk = new Desk({ page, project, change: workbench.change });
    await page.goto(`http://${workbench.host}/?folder=${project}`, { timeout: 60_000 });
    await page.locator('.explorer-folders-view .monaco-list-row').first().waitFor();
    await desk.open(basename(file));
    await desk.goTo(20);
    const asked = Date.now();
    await desk.run('PTX: Show SASS beside PTX');
    await desk.sees('the machine code', '.view-line:has-text("SASS")', 60);
    console.log(`from the palette to the machine code: ${Date.now() - asked} ms`);
    const measure = async (name, key, times) => {
        await page.evaluate(() => {
            window.gaps = [];
            let last = performance.now();
            const next = (now) => {
                window.gaps.push(now - last);
                last = now;
                window.frame = requestAnimationFrame(next);
            };
            window.frame = requestAnimationFrame(next);
        });
        for (let time = 0; time < times; time++) await page.keyboard.press(key, { delay: 5 });
        const gaps = await page.evaluate(() => {
            cancelAnimationFrame(window.frame);
            return window.gaps.slice(1);
        });
        gaps.sort((one, other) => one - other);
        const at = (share) => gaps[Math.min(gaps.length - 1, Math.floor(gaps.length * share))].toFixed(1);
        console.log(`${name}: ${gaps.length} frames, median ${at(0.5)} ms, p95 ${at(0.95)} ms, p99 ${at(0.99)} ms, most ${at(1)} ms`);
    };
    await measure('PTX, line by line', 'ArrowDown', 200);
    await measure('PTX, page by page', 'PageDown', 100);
    await page.locator('.editor-group-container').nth(1).locator('.view-lines').click();
    await measure('machine code, line by line', 'ArrowDown', 200);
    await measure('machine code, page by page', 'PageDown', 100);
} finally {
    await browser.close();
    await workbench.stop();
}
