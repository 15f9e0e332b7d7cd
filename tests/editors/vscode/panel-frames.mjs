// How smoothly the warp panel moves: 1,024 registers by 32 lanes, scrolled and stepped, frame by frame. Prints the figures; it decides
// nothing, since they depend on the machine.
//
//   node tests/editors/vscode/panel-frames.mjs

import { launchBrowser, openPanel } from './panel-page.mjs';
import { largeKernel, startServer } from './panel-server.mjs';

const REGISTERS = 1024;
const at = await launchBrowser();
const server = await startServer();
const document = await server.open(largeKernel(REGISTERS, 3));

/**
 * Runs in the page: performs an action in each frame, and returns the duration of each action and the time between
 * frames.
 */
const measure = async ({ kind, frames }) => {
    const grid = document.querySelector('.grid');
    const gaps = [];
    const work = [];
    const channel = new MessageChannel();
    let last = await new Promise(requestAnimationFrame);
    for (let frame = 0; frame < frames; frame += 1) {
        const began = performance.now();
        if (kind === 'scroll') grid.scrollTop = ((frame * 137) % (1024 * 23));
        else if (kind === 'smooth scroll') grid.scrollTop = frame * 9;
        else if (kind === 'sideways') grid.scrollLeft = (frame * 23) % 2000;
        else if (kind === 'step') document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
        else if (kind === 'back') document.dispatchEvent(new KeyboardEvent('keydown', { key: 'b', bubbles: true }));
        // The callbacks of the next frame run after this request; the message posted there arrives after painting.
        const now = await new Promise(requestAnimationFrame);
        await new Promise((resolve) => {
            channel.port1.onmessage = resolve;
            channel.port2.postMessage(null);
        });
        work.push(performance.now() - began);
        gaps.push(now - last);
        last = now;
    }
    return { gaps, work };
};

const at_ = (list, share) => [...list].sort((one, other) => one - other)[Math.min(list.length - 1, Math.floor(list.length * share))];
const row = (name, list) => `${name.padEnd(34)} median ${at_(list, 0.5).toFixed(1)}  p95 ${at_(list, 0.95).toFixed(1)}  p99 ${at_(list, 0.99).toFixed(1)}  max ${Math.max(...list).toFixed(1)}`;

for (const collapse of [true, false]) {
    for (const [width, height] of [[700, 900], [1600, 1000]]) {
        const panel = await openPanel(at, { width, height, document, preferences: { collapse, order: 'declared' } });
        await panel.page.keyboard.press('n');
        await panel.page.waitForTimeout(500);
        console.log(`\n${REGISTERS} registers × 32 lanes, ${width} × ${height}, ${await panel.page.locator('.row').count()} rows in the page; milliseconds`);
        const session = await panel.page.context().newCDPSession(panel.page);
        // The CPU time of the page's main thread, which other programs do not affect.
        await session.send('Performance.enable', { timeDomain: 'threadTicks' });
        const busy = async () => (await session.send('Performance.getMetrics')).metrics.find((metric) => metric.name === 'TaskDuration').value * 1000;
        for (const [kind, frames] of [['smooth scroll', 240], ['scroll', 240], ['sideways', 120], ['step', 240], ['back', 200]]) {
            const before = await busy();
            const { gaps, work } = await panel.page.evaluate(measure, { kind, frames });
            console.log(`${`${kind}: processor, a frame`.padEnd(34)} mean ${(((await busy()) - before) / frames).toFixed(2)}`);
            console.log(row(`${kind}: between frames`, gaps));
            console.log(row(`${kind}: asked to painted`, work));
        }
        await panel.page.keyboard.press('g');
        const steps = await panel.page.evaluate(() => new Promise((resolve) => {
            const times = [];
            const go = (left) => {
                if (left === 0) return resolve(times);
                const began = performance.now();
                document.dispatchEvent(new KeyboardEvent('keydown', { key: 'n', bubbles: true }));
                times.push(performance.now() - began);
                setTimeout(() => go(left - 1), 5);
            };
            go(200);
        }));
        console.log(row('step: script, layout not counted', steps));
        await panel.close();
    }
}
await at.close();
await server.close();
