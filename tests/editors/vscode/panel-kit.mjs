// What the tests of the warp panel's page have in common: a browser, the program as the server, and a panel for each test.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';
import { launchBrowser, openPanel } from './panel-page.mjs';
import { KERNELS, lineOf, startServer } from './panel-server.mjs';

let at;
export let server;
/** The kernels of the tests, as a document. */
export let kernels;
before(async () => {
    at = await launchBrowser();
    server = await startServer();
    kernels = await server.open();
});
after(async () => {
    await at.close();
    await server.close();
});

/** Number of steps of the kernel `sample`. */
export const LAST = 39;
const LAUNCH = '//! launch: grid=2 block=64 n=32 x=f32[32]:iota(1) out=f32[128]:zero\n//! expect: out[0]=1.0 out[1]=4.0\n';
/** The kernels with another launch of `sample`; empty for one that is guessed. */
export const withLaunch = (lines) => server.open(KERNELS.replace(LAUNCH, lines));
/** A buffer is too short, and an expectation fails. */
export const withFault = () => withLaunch('//! launch: grid=1 block=32 n=32 x=f32[32]:iota(1) out=f32[7]:zero\n//! expect: out[6]=1.0\n');
/** The line of a statement. */
export const line = (text) => lineOf(KERNELS, text);

/** Opens a panel for a test, and asserts that no script error occurred and that the content policy blocked nothing. */
export async function withPanel(options, act) {
    const panel = await openPanel(at, { document: kernels, entry: 'sample', ...options });
    try {
        await act(panel, panel.page);
        assert.deepEqual(panel.errors, []);
    } finally {
        await panel.close();
    }
}

export const press = async (page, ...keys) => {
    for (const key of keys) await page.keyboard.press(key);
};
export const cell = (page, register, lane) =>
    page.evaluate(([name, column]) => {
        const row = [...document.querySelectorAll('.row')].find((own) => own.querySelector('.name').textContent === name);
        const one = row?.querySelector('.cell.one');
        const found = one ?? row?.querySelector(`.cell[aria-colindex="${column + 2}"]`);
        return found === undefined || found === null ? undefined : { text: found.textContent, class: found.className, label: found.getAttribute('aria-label') };
    }, [register, lane]);
/** Waits until a cell has a text; what the user changes is asked for at the server. */
export const reads = (page, register, lane, text) => page.waitForFunction(([name, column, wanted]) => {
    const row = [...document.querySelectorAll('.row')].find((own) => own.querySelector('.name').textContent === name);
    return (row?.querySelector('.cell.one') ?? row?.querySelector(`.cell[aria-colindex="${column + 2}"]`))?.textContent === wanted;
}, [register, lane, text]);
export const names = (page) => page.evaluate(() => [...document.querySelectorAll('.row')].sort((one, other) => one.dataset.row - other.dataset.row).map((row) => row.querySelector('.name').textContent));
export const step = async (page) => Number(await page.inputValue('.slide .number'));
export const settle = (page) => page.waitForTimeout(250);
