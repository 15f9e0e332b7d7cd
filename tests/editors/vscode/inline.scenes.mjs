// PTX in a string of CUDA C++, with our server alone.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { panelOf } from './panel.scenes.mjs';

const fixture = readFileSync(fileURLToPath(new URL('../fixture/inline.cu', import.meta.url)), 'utf8');
const hover = (text) => `.monaco-hover:visible:has-text("${text}")`;

/** Opens the file, with a change. */
async function openFixture(desk, name, change = (text) => text) {
    const text = change(fixture);
    desk.write(name, text);
    await desk.open(name);
    return text;
}

export const scenes = [
    {
        name: 'inline-diagnostic',
        title: 'PTX in a string of C++: an error at its operand',
        async run(desk) {
            const text = await openFixture(desk, 'wrong.cu', (good) => good.replace('inside, %2, %3', 'inside, %1, %3'));
            await desk.sees('a squiggle', '.squiggly-error', 40);
            await desk.goToText(text, '%1, %3', 1);
            await desk.run('Show or Focus Hover');
            await desk.sees('the message', hover('but `a` of `setp.lt.s32`'));
            await desk.picture('inline-diagnostic');
        },
    },
    {
        name: 'inline-hover',
        title: 'PTX in a string of C++: an operand with its expression',
        async run(desk) {
            const text = await openFixture(desk, 'inline.cu');
            // The server may have begun a moment ago.
            for (let tries = 1; ; tries++) {
                await desk.goToText(text, '[%0], %1', 2);
                await desk.run('Show or Focus Hover');
                const seen = await desk.sees('the expression', hover('out + lane'), 5).catch((error) => error);
                if (!(seen instanceof Error)) break;
                if (tries === 6) throw seen;
            }
            await desk.picture('inline-hover');
        },
    },
    {
        name: 'inline-evaluate',
        title: 'PTX in a string of C++: the statement as a kernel, and its warp',
        async run(desk) {
            const text = await openFixture(desk, 'inline.cu');
            const bar = desk.page.locator('.part.sidebar');
            if (await bar.isVisible()) await desk.run('View: Close Primary Side Bar');
            await desk.goToText(text, 'setp.lt.s32');
            await desk.run('PTX: Evaluate Statement');
            await desk.sees('the kernel', '.view-line:has-text("// The statement")', 40);
            await desk.sees('the grid', panelOf(desk.page).locator('.row .cell').first(), 30);
            await desk.picture('inline-evaluate');
        },
    },
    {
        name: 'inline-kernel',
        title: 'the kernel of a statement is no file: it closes without a question, and opens again',
        async run(desk) {
            const text = await openFixture(desk, 'again.cu');
            const line = await desk.goToText(text, 'setp.lt.s32');
            await desk.run('PTX: Evaluate Statement');
            const title = `again.cu:${text.slice(0, text.indexOf('asm volatile')).split('\n').length}.ptx`;
            const tab = desk.page.locator(`.tab[data-resource-name="${title}"]`);
            await desk.sees(`the tab ${title}`, tab, 40);
            await desk.sees('the grid', panelOf(desk.page).locator('.row .cell').first(), 30);
            // An edit of the file, and the statement again: the same tab has the new text.
            await desk.page.locator('.tab[data-resource-name="again.cu"]').click();
            await desk.goTo(line, 1);
            await desk.page.keyboard.press('End');
            await desk.page.keyboard.press('Enter');
            await desk.page.keyboard.type('"membar.cta;\\n"');
            await desk.run('PTX: Evaluate Statement');
            await desk.sees('the edited statement', '.editor-group-container .view-line:has-text("membar.cta")', 30);
            if ((await tab.count()) !== 1 || (await tab.getAttribute('class')).includes('dirty')) throw new Error('one clean tab is expected');
            await tab.click();
            await desk.run('View: Close Editor');
            await tab.waitFor({ state: 'detached' });
            await desk.run('View: Reopen Closed Editor');
            await desk.sees('the kernel again', '.view-line:has-text("// The statement")');
            await desk.page.locator('.tab[data-resource-name="again.cu"]').click();
            await desk.run('File: Revert File');
        },
    },
];
