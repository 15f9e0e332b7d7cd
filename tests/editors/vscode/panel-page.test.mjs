// The warp panel in a browser, as a user sees and works it; the server is the program itself (`panel-server.mjs`).
//
//   node --test tests/editors/vscode/panel-page.test.mjs

import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { axeSource, launchBrowser, openPanel, THEMES } from './panel-page.mjs';
import { KERNELS, lineOf, startServer } from './panel-server.mjs';

let at;
let axe;
let server;
let kernels;
before(async () => {
    at = await launchBrowser();
    axe = await axeSource();
    server = await startServer();
    kernels = await server.open();
});
after(async () => {
    await at.close();
    await server.close();
});

/** Number of steps of the kernel `sample`. */
const LAST = 39;
const LAUNCH = '//! launch: grid=2 block=64 n=32 x=f32[32]:iota(1) out=f32[128]:zero\n//! expect: out[0]=1.0 out[1]=4.0\n';
/** The kernels with another launch of `sample`; empty for one that is guessed. */
const withLaunch = (lines) => server.open(KERNELS.replace(LAUNCH, lines));
/** A buffer is too short, and an expectation fails. */
const withFault = () => withLaunch('//! launch: grid=1 block=32 n=32 x=f32[32]:iota(1) out=f32[7]:zero\n//! expect: out[6]=1.0\n');
/** The line of a statement. */
const line = (text) => lineOf(KERNELS, text);

/** Opens a panel for a test, and asserts that no script error occurred and that the content policy blocked nothing. */
async function withPanel(options, act) {
    const panel = await openPanel(at, { document: kernels, entry: 'sample', ...options });
    try {
        await act(panel, panel.page);
        assert.deepEqual(panel.errors, []);
    } finally {
        await panel.close();
    }
}

const press = async (page, ...keys) => {
    for (const key of keys) await page.keyboard.press(key);
};
const cell = (page, register, lane) =>
    page.evaluate(([name, column]) => {
        const row = [...document.querySelectorAll('.row')].find((own) => own.querySelector('.name').textContent === name);
        const one = row?.querySelector('.cell.one');
        const found = one ?? row?.querySelector(`.cell[aria-colindex="${column + 2}"]`);
        return found === undefined || found === null ? undefined : { text: found.textContent, class: found.className, label: found.getAttribute('aria-label') };
    }, [register, lane]);
/** Waits until a cell has a text; what the user changes is asked for at the server. */
const reads = (page, register, lane, text) => page.waitForFunction(([name, column, wanted]) => {
    const row = [...document.querySelectorAll('.row')].find((own) => own.querySelector('.name').textContent === name);
    return (row?.querySelector('.cell.one') ?? row?.querySelector(`.cell[aria-colindex="${column + 2}"]`))?.textContent === wanted;
}, [register, lane, text]);
const names = (page) => page.evaluate(() => [...document.querySelectorAll('.row')].sort((one, other) => one.dataset.row - other.dataset.row).map((row) => row.querySelector('.name').textContent));
const step = async (page) => Number(await page.inputValue('.slide .number'));
const settle = (page) => page.waitForTimeout(250);

test('opens at the first step, and steps forwards and backwards by keys', async () => {
    await withPanel({}, async ({ sent }, page) => {
        assert.equal(await step(page), 1);
        assert.match(await page.textContent('.place'), /Line 24.*mov\.u32 %tid_x, %tid\.x;.*32 of 32 lanes/);
        assert.deepEqual([(await cell(page, '%tid_x', 5)).text, (await cell(page, '%v', 0)).text], ['lane', '—']);
        assert.match((await cell(page, '%tid_x', 5)).class, /changed/);
        await press(page, 'n', 'n', 'n', 'n');
        assert.equal((await cell(page, '%v', 2)).text, '3.0');
        assert.match((await cell(page, '%v', 2)).class, /changed/);
        assert.equal((await cell(page, '%v', 2)).label, '3.0, written by this step');
        await press(page, 'b');
        assert.equal((await cell(page, '%v', 2)).text, '—');
        await press(page, 'Shift+G');
        assert.equal(await step(page), LAST);
        await press(page, 'g');
        assert.equal(await step(page), 1);
        const places = await sent('at');
        assert.deepEqual([places[1].line, places[1].step, places.at(-1).line], [25, 1, 24]);
    });
});

test('the first paint is measured and told to the host', async () => {
    await withPanel({}, async ({ sent }, page) => {
        await settle(page);
        const [{ timings }] = await sent('timings');
        assert.ok(timings.firstPaint > 0 && timings.answered <= timings.firstPaint, JSON.stringify(timings));
    });
});

test('lanes: diverged ones, exited ones and ones that do not exist can be told apart', async () => {
    const document = await withLaunch('//! launch: grid=2 block=24 n=32 x=f32[32]:iota(1) out=f32[128]:zero\n');
    await withPanel({ document, width: 5200, preferences: { width: 'normal', collapse: false } }, async (_, page) => {
        await press(page, ...new Array(7).fill('n'));
        assert.match(await page.textContent('.place'), /16 of 24 lanes/);
        assert.match((await cell(page, '%v', 20)).class, /diverged/);
        assert.doesNotMatch((await cell(page, '%v', 3)).class, /diverged/);
        assert.match((await cell(page, '%v', 30)).class, /absent/);
        assert.equal((await cell(page, '%v', 30)).text, '');
        await press(page, 'Shift+G');
        await page.waitForFunction(() => document.querySelectorAll('.lane.exited').length === 24);
        const head = await page.getAttribute('.lane[data-lane="0"]', 'aria-label');
        assert.match(head, /has exited/);
        assert.match(await page.getAttribute('.lane[data-lane="31"]', 'aria-label'), /does not exist/);
    });
});

test('values that are approximate or unspecified are marked wherever they show', async () => {
    await withPanel({ width: 5200, preferences: { width: 'normal', collapse: false } }, async (_, page) => {
        await press(page, ...new Array(7).fill('n'));
        assert.equal((await cell(page, '%w', 1)).text, '≈0.5');
        assert.match((await cell(page, '%w', 1)).label, /approximate/);
        await press(page, ...new Array(4).fill('n'));
        assert.equal((await cell(page, '%h', 17)).text, '?nan');
        await page.hover('.row:has(.name:text-is("%w")) .cell:nth-of-type(3)');
        await page.waitForSelector('.tooltip:not([hidden])');
        assert.match(await page.textContent('.tooltip'), /%w \.f32, lane 1.*0\.5.*An approximation.*step 8, line 31/);
        await press(page, 'Escape');
        assert.equal(await page.isVisible('.tooltip'), false);
    });
});

test('registers: filter, changed, in this line, order', async () => {
    await withPanel({}, async (_, page) => {
        await press(page, 'n', 'n', 'n', 'n');
        assert.equal((await names(page))[0], '%v');
        await page.fill('.filter', '%p_*');
        assert.deepEqual((await names(page)).sort(), ['%p_low', '%p_more']);
        await page.fill('.filter', 'tid nev');
        assert.deepEqual((await names(page)).sort(), ['%never', '%tid.x', '%tid.y', '%tid.z', '%tid_x']);
        await page.fill('.filter', '');
        await page.click('text=In this line');
        assert.deepEqual((await names(page)).sort(), ['%at', '%v']);
        await page.click('text=In this line');
        await page.click('text=Changed');
        assert.deepEqual(await names(page), ['%v']);
        assert.match(await page.textContent('.corner'), /1 of 24 registers/);
        await page.click('text=Changed');
        await page.selectOption('select[aria-label="Order of the registers"]', 'name');
        assert.equal((await names(page))[0], '[n]');
        await page.selectOption('select[aria-label="Order of the registers"]', 'declared');
        assert.equal((await names(page))[0], '%p_low');
    });
});

test('uniform registers are one cell, and open into all lanes', async () => {
    await withPanel({}, async ({ sent }, page) => {
        await press(page, 'n', 'n');
        assert.equal((await cell(page, '%x', 0)).class.includes('one'), true);
        assert.equal((await cell(page, '%x', 0)).label, 'all lanes: 0x7f00001200 → x');
        await page.click('.row:has(.name:text-is("%x")) .rowhead .name');
        assert.equal((await cell(page, '%x', 4)).class.includes('one'), false);
        await press(page, 'x');
        assert.equal((await cell(page, '%ctaid.x', 4)).class.includes('one'), false);
        assert.equal((await sent('remember')).at(-1).preferences.collapse, false);
    });
});

test('the reading of a register is chosen by key or menu, and remembered', async () => {
    await withPanel({}, async ({ sent }, page) => {
        await press(page, 'n', 'n', 'n', 'n', 'r');
        await page.click('.row:has(.name:text-is("%v")) .cell:nth-of-type(2)');
        await press(page, 'f');
        assert.deepEqual((await sent('remember')).at(-1).preferences.formats, { 'sample %v': 'half2' });
        await press(page, 'Shift+F', 'Shift+F');
        await reads(page, '%v', 0, '1065353216');
        await page.click('.row:has(.name:text-is("%v")) .format');
        assert.equal(await page.getAttribute('.menu [aria-checked="true"]', 'role'), 'menuitemradio');
        await press(page, 'Home', 'Enter');
        await reads(page, '%v', 0, '0x3f800000');
        assert.equal(await page.isVisible('.menu'), false);
    });
    await withPanel({ preferences: { formats: { 'sample %v': 'bits' }, order: 'declared' } }, async ({ questions }, page) => {
        assert.deepEqual(questions[0].arguments.rows.readings, { '%v': 'bits' }, 'the first answer has it');
        await press(page, 'n', 'n', 'n', 'n');
        assert.match(await page.textContent('.row:has(.name:text-is("%v")) .format'), /bits/);
    });
});

test('the grid by keyboard: arrows, edges, one stop for Tab, focus lane', async () => {
    await withPanel({ preferences: { width: 'normal', collapse: false } }, async ({ sent }, page) => {
        const focused = () => page.evaluate(() => ({ row: document.activeElement.closest('[role="row"]')?.querySelector('.name')?.textContent, column: document.activeElement.getAttribute('aria-colindex') }));
        await press(page, 'r');
        assert.deepEqual(await focused(), { row: '%tid_x', column: '1' });
        await press(page, 'ArrowRight', 'ArrowRight', 'ArrowRight');
        assert.deepEqual(await focused(), { row: '%tid_x', column: '4' });
        await press(page, 'End');
        assert.deepEqual(await focused(), { row: '%tid_x', column: '33' });
        const visible = await page.evaluate(() => {
            const own = document.activeElement.getBoundingClientRect();
            const grid = document.querySelector('.grid').getBoundingClientRect();
            return own.left >= grid.left && own.right <= grid.right + 1 ? 'inside' : `${own.left} to ${own.right} in ${grid.left} to ${grid.right}`;
        });
        assert.equal(visible, 'inside');
        await press(page, 'Home', 'ArrowRight', 'Control+End');
        assert.equal((await focused()).row, '[out]');
        await press(page, 'Control+Home', 'ArrowUp', 'ArrowRight', 'ArrowRight');
        assert.equal((await focused()).column, '3');
        await press(page, 'Enter');
        assert.match(await page.getAttribute('.lane[data-lane="1"]', 'class'), /focus/);
        assert.equal((await sent('at')).at(-1).lane, 1);
        assert.equal(await page.evaluate(() => document.querySelectorAll('.grid [tabindex="0"]').length), 1);
        await press(page, 'Control+c');
        assert.deepEqual(await sent('copy'), [{ type: 'copy', text: '1' }]);
        // Stepping does not move the focus.
        await press(page, 'n');
        assert.deepEqual(await focused(), { row: '%x', column: '3' });
        await press(page, 'n');
        assert.deepEqual(await focused(), { row: '%i', column: '3' });
    });
});

test('executions of a line, faults, the slider, play', async () => {
    await withPanel({ document: await withFault(), step: null }, async ({ tell }, page) => {
        const end = 38;
        assert.equal(await step(page), end, 'begins at the fault');
        assert.match(await page.textContent('.faults-here'), /Writes 4 bytes .* behind the end of out .*lane 7$/);
        assert.match(await page.textContent('.badge'), /1 fault.*1 expectation fails/);
        await press(page, 'g');
        await tell({ type: 'goTo', line: line('fma.rn.f32 %sum'), next: true });
        await page.waitForFunction(() => document.querySelector('.place .line').textContent === 'Line 44');
        const first = await step(page);
        await press(page, 'Shift+N');
        await page.waitForFunction((was) => Number(document.querySelector('.slide .number').value) > was, first);
        assert.match(await page.textContent('.place'), /execution 2 of 4/);
        await press(page, 'Shift+B');
        await page.waitForFunction((was) => Number(document.querySelector('.slide .number').value) === was, first);
        await press(page, 'e');
        assert.equal(await step(page), end);
        await page.fill('.slide .number', '4');
        await press(page, 'Enter');
        assert.match(await page.textContent('.place'), /Line 27/);
        await page.focus('.slider');
        await press(page, 'ArrowRight');
        assert.equal(await step(page), 5);
        await page.selectOption('select[aria-label="Steps a second when playing"]', '60');
        await page.click('.tabs [role="tab"]:first-child');
        await press(page, 'k');
        await page.waitForFunction((last) => Number(document.querySelector('.slide .number').value) === last, end);
        assert.equal(await page.getAttribute('.buttons button:nth-child(3)', 'aria-label'), 'Play');
    });
});

test('where one is, is said to screen readers', async () => {
    await withPanel({}, async (_, page) => {
        await press(page, ...new Array(7).fill('n'));
        await page.waitForFunction(() => /Step 8 of/.test(document.querySelector('.place [aria-live]').textContent));
        assert.equal(await page.textContent('.place [aria-live]'), `Step 8 of ${LAST}, line 31, 16 of 32 lanes (0–15); %w written`);
    });
});

test('the timeline: click, zoom, table', async () => {
    await withPanel({}, async (_, page) => {
        const box = await page.locator('.lanes').boundingBox();
        await page.mouse.click(box.x + box.width * 0.5, box.y + 40);
        const middle = await step(page);
        assert.ok(Math.abs(middle - LAST / 2) < 2, `${middle}`);
        await page.mouse.move(box.x + 10, box.y + 40);
        await page.waitForSelector('.tooltip:not([hidden])');
        assert.match(await page.textContent('.tooltip'), /Step 1 · line 24/);
        await page.click('[aria-label="Zoom in"]');
        await page.mouse.click(box.x + 2, box.y + 40);
        assert.ok((await step(page)) > 1);
        await page.click('.timeline-bar >> text=Table');
        const rows = await page.locator('.timeline-table tbody tr').allTextContents();
        assert.ok(rows.some((row) => row.includes('lanes 16–31')), rows.join());
        await page.click('.timeline-table tbody tr:nth-child(2) button');
        assert.equal(await step(page), 8);
        const painted = await page.evaluate(() => {
            const canvas = document.querySelector('.lanes');
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            return new Set(Array.from({ length: data.length / 4 }, (_, pixel) => data.slice(pixel * 4, pixel * 4 + 3).join())).size;
        });
        assert.ok(painted > 8, `${painted} colours`);
    });
});

test('memory: conflicts of banks, sectors, bytes', async () => {
    await withPanel({}, async (_, page) => {
        await press(page, ...new Array(4).fill('n'));
        await page.waitForSelector('.sectors');
        assert.match(await page.textContent('.memory'), /Load of 4 bytes from global memory in all lanes.*Sectors4 \(4 would do\).*Efficiency100 %/);
        await page.waitForSelector('.dump .loaded');
        await press(page, ...new Array(9).fill('n'));
        await page.waitForFunction(() => /Store of 4 bytes to shared memory/.test(document.querySelector('.memory').textContent));
        assert.match(await page.textContent('.memory'), /Wavefronts2.*Bank conflicts⚠ 2-way/);
        assert.equal(await page.getAttribute('.bank:nth-child(3)', 'title'), 'Bank 2: lanes 1, 17');
        await page.waitForSelector('.dump .stored');
        await page.waitForSelector('.dump .unknown');
        await page.selectOption('select[aria-label="Type of the values"]', 'f32');
        await page.waitForFunction(() => /0\.5··1\.0··/.test(document.querySelector('.dump tbody tr:first-child').textContent));
        await page.selectOption('select[aria-label="Memory to show"]', 'buffer x');
        await page.waitForFunction(() => /x after this step/.test(document.querySelector('.dump caption').textContent));
        assert.match(await page.textContent('.dump tbody tr:first-child'), /1\.02\.03\.04\.0/);
        await page.fill('[aria-label="Offset in bytes"]', '512');
        await press(page, 'Enter');
        await page.waitForFunction(() => /behind the end of x/.test(document.querySelector('.bytes').textContent));
        // The list always has these memories; this kernel has no constant one.
        await page.selectOption('select[aria-label="Memory to show"]', 'space const');
        await page.waitForFunction(() => /constant memory/.test(document.querySelector('.bytes').textContent));
        await page.fill('[aria-label="Offset in bytes"]', '0');
        await page.selectOption('select[aria-label="Memory to show"]', 'space shared');
        await page.waitForFunction(() => /shared after this step/.test(document.querySelector('.bytes').textContent));
        assert.equal(await page.isVisible('.notice.bad'), false);
    });
});

test('memory that the kernel does not have is told in words', async () => {
    const document = await server.open('.version 8.0\n.target sm_50\n.address_size 64\n//! launch: block=32\n.visible .entry bare()\n{\n    ret;\n}\n');
    await withPanel({ document, entry: 'bare' }, async (_, page) => {
        await press(page, '1');
        for (const [space, name] of [['shared', 'shared'], ['const', 'constant']]) {
            await page.selectOption('select[aria-label="Memory to show"]', `space ${space}`);
            await page.waitForFunction((wanted) => document.querySelector('.bytes').textContent === `The kernel has no ${wanted} memory.`, name);
        }
        assert.equal(await page.isVisible('.notice.bad'), false);
    });
});

test('a step that does not touch memory shows the last one that did', async () => {
    await withPanel({ step: 4 }, async (_, page) => {
        await page.waitForSelector('.dump .loaded');
        await press(page, 'n', 'n');
        await page.waitForFunction(() => /^This step does not touch memory. Step 5, line 28, was the last that did:Load of 4 bytes/.test(document.querySelector('.memory').textContent));
        await page.waitForSelector('.dump td:not(.loaded)');
    });
});

test('the pane below follows the step until a tab is chosen', async () => {
    const open = (page) => page.textContent('.tabs [aria-selected="true"]');
    const opens = (page, name) => page.waitForFunction((wanted) => document.querySelector('.tabs [aria-selected="true"]').textContent === wanted, name);
    await withPanel({ entry: 'product', preferences: {} }, async ({ sent }, page) => {
        assert.equal(await open(page), 'Results');
        assert.match(await page.textContent('.results'), /No faults/);
        await press(page, ...new Array(11).fill('n'));
        await opens(page, 'Matrices');
        await page.click('#tab-results');
        assert.equal((await sent('remember')).at(-1).preferences.pane, 'results');
        await press(page, 'b', 'n');
        await settle(page);
        assert.equal(await open(page), 'Results');
    });
    await withPanel({ preferences: {} }, async (_, page) => {
        await press(page, ...new Array(4).fill('n'));
        await opens(page, 'Memory');
    });
});

test('lanes that part are listed with what they wait for, and nothing moves meanwhile', async () => {
    await withPanel({ entry: 'waiting' }, async ({ sent }, page) => {
        const top = () => page.evaluate(() => document.querySelector('.grid').getBoundingClientRect().top);
        const before = await top();
        await press(page, 'n', 'n', 'n', 'n');
        await page.waitForSelector('.groups li');
        assert.deepEqual(await page.locator('.groups li').allTextContents(), ['lanes 8–31 at line 95, waiting for lanes 0–7 · next', 'lanes 0–7 at line 100, waiting for lanes 8–31']);
        assert.equal(await top(), before);
        await page.click('.groups li:nth-child(2) button');
        assert.equal((await sent('reveal')).at(-1).line, line('bar.warp.sync 0xffffffff;\nmet:'));
        await press(page, 'n', 'n', 'n');
        await page.waitForFunction(() => /all lanes at line 102, waiting at a barrier/.test(document.querySelector('.place').textContent));
        await page.waitForSelector('.groups:empty', { state: 'attached' });
        assert.equal(await top(), before);
    });
});

test('matrices: an element tells its lane and register', async () => {
    await withPanel({ entry: 'product' }, async (_, page) => {
        await press(page, ...new Array(11).fill('n'), '2');
        await page.waitForSelector('.matrix');
        await page.waitForFunction(() => document.querySelector('#tab-matrices').classList.contains('has'));
        assert.deepEqual(await page.locator('.matrix strong').allTextContents(), ['D', 'A', 'B', 'C']);
        assert.equal(await page.textContent('.matrix td[data-at="0,0"]'), '32.046875');
        await page.hover('.matrix td[data-at="1,3"]');
        assert.equal(await page.textContent('.holder'), 'Lane 5, %acc1');
        await page.hover('.row:has(.name:text-is("%acc1")) .cell:nth-of-type(3)');
        const held = await page.locator('.matrix td.same-lane').evaluateAll((list) => list.map((node) => node.getAttribute('aria-label')));
        assert.ok(held.length > 0 && held.every((label) => label.endsWith('lane 1, %acc1')), held.join('; '));
        await page.focus('.matrix td[data-at="0,0"]');
        await press(page, 'ArrowDown', 'ArrowRight');
        assert.equal(await page.evaluate(() => document.activeElement.dataset.at), '1,1');
        await press(page, 'n');
        await page.waitForFunction(() => /no matrix operands/.test(document.querySelector('.holder').textContent));
    });
});

test('results: faults, expectations, buffers before and after, parameters', async () => {
    await withPanel({ document: await withFault() }, async ({ sent }, page) => {
        await press(page, 'g', '3');
        assert.match(await page.textContent('.results'), /out of bounds.*behind the end of out \(28 bytes\).*line 52 · lane 7.*out\[6\]=1\.0.*is 49\.0, not 1\.0/s);
        await page.waitForFunction(() => /out.*7 changed/.test(document.querySelector('.results').textContent));
        await page.click('.buffer:has(strong:text-is("out")) summary');
        assert.equal(await page.getAttribute('.buffer td.stored >> nth=1', 'title'), 'out[1]: 0.0 → 4.0');
        assert.match(await page.textContent('.results'), /\[x\]\.u64→ x/);
        await page.click('.fault');
        assert.equal(await step(page), 38);
        assert.equal((await sent('reveal')).at(-1).line, 52);
    });
    await withPanel({ entry: 'printing' }, async (_, page) => {
        await press(page, 'n', '3');
        await page.waitForFunction(() => /lane 0 says hello.*Callssay, line \d+printing, line \d+/s.test(document.querySelector('.results').textContent));
    });
});

test('launch: fields edit the text, the text edits the fields, problems are at their fields', async () => {
    await withPanel({}, async (panel, page) => {
        await press(page, '4');
        await page.waitForFunction(() => document.querySelector('#launch-n')?.value === '32');
        await page.fill('#launch-n', '7');
        assert.match(await page.inputValue('#launch-text'), /^grid=2 block=64 n=7 x=f32\[32\]:iota\(1,1\) out=f32\[128\]:zero\nexpect: out\[0\]=1\.0 out\[1\]=4\.0$/);
        await page.fill('#launch-grid', 'many');
        assert.match(await page.textContent('#launch-grid-problem'), /One to three numbers/);
        await page.click('.actions .primary');
        assert.equal(await page.evaluate(() => document.activeElement.id), 'launch-grid');
        await page.fill('#launch-text', 'grid=3 block=64 n=9 x=&out out=f32[192]:zero');
        assert.equal(await page.inputValue('#launch-grid'), '3');
        assert.equal(await page.inputValue('[aria-label="x: as text"]'), '&out');
        const before = panel.questions.length;
        await page.click('.actions .primary');
        await page.waitForFunction(() => /launch of the form/.test(document.querySelector('.notices').textContent));
        const asked = panel.questions.slice(before).find((question) => question.kind === 'evaluate');
        assert.equal(asked.arguments.launch, 'grid=3 block=64 n=9 x=&out out=f32[192]:zero');
        await page.click('.actions button:nth-child(2)');
        const [written] = await panel.sent('write');
        assert.deepEqual(written.lines, ['//! launch: grid=3 block=64 n=9 x=&out out=f32[192]:zero']);
        assert.equal(written.replaces.line, line('//! launch: grid=2'));
        await page.fill('#launch-block', '4096');
        await page.click('.actions .primary');
        await page.waitForFunction(() => /1024 threads/.test(document.querySelector('#launch-block-problem').textContent));
        assert.match(await page.textContent('.notice.bad'), /Not evaluated: .*1024 threads/);
    });
});

test('a guessed launch says so, and is written at a click', async () => {
    const document = await withLaunch('');
    await withPanel({ document }, async ({ sent }, page) => {
        assert.match(await page.textContent('.notice.note'), /Guessed launch: .*x=f32\[\d+\]:iota.*\./);
        await page.waitForFunction(() => document.querySelector('#launch-n') !== null);
        await page.click('text=Write the launch line');
        const [written] = await sent('write');
        assert.match(written.lines.join('\n'), /^\/\/! launch: .*out=f32\[\d+\]:zero$/);
        assert.deepEqual([written.replaces, written.above], [null, lineOf(document.text, '.visible .entry sample')]);
    });
});

test('edited, evaluated again, refused, the server gone and back', async () => {
    const document = await server.open();
    await withPanel({ document }, async ({ tell, edit, questions, answerWith }, page) => {
        await press(page, ...new Array(8).fill('n'));
        assert.equal((await cell(page, '%v', 1)).text, '1.0');
        await edit(KERNELS.replace('0f3F000000', '0f40000000'));
        await page.waitForSelector('.main.stale');
        assert.match(await page.textContent('.notices'), /Edited since/);
        await page.waitForSelector('.main:not(.stale)');
        assert.equal(await step(page), 9, 'the step is kept');
        assert.equal((await cell(page, '%v', 1)).text, '4.0');
        await edit(KERNELS.replace('mov.u32 %tid_x', 'mov.u32 %nobody'));
        await page.waitForSelector('.notice.bad');
        assert.match(await page.textContent('.notices'), /Line 24: .*%nobody/);
        await document.edit(KERNELS);
        const asked = questions.length;
        await page.click('text=Evaluate again');
        await page.waitForSelector('.notice.bad', { state: 'detached' });
        assert.ok(questions.length > asked);
        await tell({ type: 'server', running: false });
        await page.waitForSelector('.notice.bad');
        assert.match(await page.textContent('.notices'), /does not run/);
        await tell({ type: 'server', running: true });
        await page.waitForSelector('.notice.bad', { state: 'detached' });
        assert.equal(await step(page), 9);
        answerWith((question, ask) => ask(question));
    });
});

test('a document without a kernel, and one with errors', async () => {
    const document = await server.open('.version 8.0\n.target sm_80\n.address_size 64\n.func helper()\n{\n    ret;\n}\n');
    await withPanel({ document, entry: undefined, show: false }, async ({ show }, page) => {
        await show();
        await page.waitForSelector('.notice.bad');
        assert.match(await page.textContent('.notices'), /^✗.*no kernel/);
        assert.equal(await page.isVisible('.main'), false);
    });
    const wrong = await server.open(KERNELS.replace('mov.u32 %tid_x', 'mov.u32 %nobody'));
    await withPanel({ document: wrong, show: false }, async ({ show, sent }, page) => {
        await show();
        await page.waitForSelector('.notice.bad');
        assert.equal(await page.isVisible('.main'), false);
        await page.click('text=/^Line 24: .*%nobody/');
        assert.deepEqual(await sent('reveal'), [{ type: 'reveal', line: 24, column: 13 }]);
    });
});

test('texts are never read as HTML', async () => {
    const evil = '<img src=x onerror=window.pwned=1>';
    const bytes = [...Buffer.from(`${evil}\0`)];
    const document = await server.open(KERNELS.replace(/hello\[20\] = \{[^}]*\}/, `hello[${bytes.length}] = {${bytes.join(', ')}}`).replace('//! launch: grid=1 block=1\n', `//! launch: grid=1 block=1\n//! expect: printed="${evil.toUpperCase()}"\n`));
    const answer = async (question, ask) => (question.kind === 'statements' ? { texts: question.places.map(() => evil) } : ask(question));
    await withPanel({ document, entry: 'printing', answer }, async (_, page) => {
        await press(page, '3');
        await settle(page);
        assert.equal(await page.evaluate(() => document.querySelectorAll('img').length + Number(window.pwned ?? 0)), 0);
        assert.ok((await page.textContent('.results')).includes(evil));
        assert.ok((await page.textContent('.expectations')).includes(evil.toUpperCase()));
        assert.equal(await page.textContent('.place .statement'), evil);
    });
});

test('an answer of another shape is refused in words', async () => {
    await withPanel({ answer: () => ({ status: 'finished' }), show: false }, async ({ show }, page) => {
        await show();
        await page.waitForSelector('.notice.bad');
        assert.match(await page.textContent('.notices'), /does not fit this version of the extension/);
    });
});

test('windows of a long trace are fetched ahead, and only they', async () => {
    await withPanel({ entry: 'long' }, async ({ questions }, page) => {
        const windows = () => questions.filter((question) => question.kind === 'evaluate' && question.arguments.count === 128).map((question) => question.arguments.from);
        await press(page, ...new Array(70).fill('n'));
        await settle(page);
        assert.deepEqual(windows(), [0, 128]);
        await page.fill('.slide .number', '2000');
        await press(page, 'Enter');
        await page.waitForFunction(() => /Line/.test(document.querySelector('.place .line').textContent) && document.querySelector('.grid').getAttribute('aria-busy') === null);
        await settle(page);
        assert.deepEqual(windows(), [0, 128, 1920, 2048]);
    });
});

test('at 500 pixels nothing is cut off and the page does not scroll sideways', async () => {
    await withPanel({ width: 500, height: 760 }, async (_, page) => {
        assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 500);
        const outside = await page.evaluate(() => [...document.querySelectorAll('.head button, .controls *, .tabs button, .filter-bar > *')].filter((node) => {
            const box = node.getBoundingClientRect();
            return box.width > 0 && (box.right > 501 || box.left < 0);
        }).map((node) => node.outerHTML.slice(0, 80)));
        assert.deepEqual(outside, []);
        assert.ok((await page.locator('.grid').boundingBox()).height > 120);
    });
});

for (const theme of Object.keys(THEMES)) {
    test(`axe finds nothing: ${theme}`, async () => {
        const check = async (page, what) => {
            await settle(page);
            const found = await page.evaluate(async () => {
                const { violations } = await window.axe.run(document, { resultTypes: ['violations'] });
                return violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html.slice(0, 120)} ${node.failureSummary?.slice(0, 200)}`));
            });
            assert.deepEqual(found, [], what);
        };
        // One with a fault, one whose launch is guessed, one with groups of lanes and one with matrices.
        await withPanel({ theme, document: await withFault() }, async (_, page) => {
            // Inject it from outside the page: its content policy allows no other script.
            await page.evaluate(axe);
            await press(page, 'n', 'n', 'n', 'n');
            for (const pane of ['1', '3', '4']) {
                await press(page, pane);
                await check(page, `pane ${pane}`);
            }
            await press(page, 'n', 'n', 'n', 'n');
            await page.click('.timeline-bar >> text=Table');
            await check(page, 'diverged');
            await press(page, 'Shift+G');
            await check(page, 'the fault');
            await press(page, '?');
            await check(page, 'help');
        });
        await withPanel({ theme, document: await withLaunch('') }, async (_, page) => {
            await page.evaluate(axe);
            await check(page, 'guessed');
        });
        await withPanel({ theme, entry: 'waiting', step: 4 }, async (_, page) => {
            await page.evaluate(axe);
            await page.waitForSelector('.groups li');
            await check(page, 'groups');
        });
        await withPanel({ theme, entry: 'product', step: 11, preferences: {} }, async (_, page) => {
            await page.evaluate(axe);
            await page.waitForSelector('.matrix');
            await check(page, 'matrices');
        });
    });
}

test('opens where something happens first, or at the line of the cursor, not at step 1 without a value', async () => {
    await withPanel({ step: null }, async (_, page) => {
        assert.ok((await step(page)) > 1);
        assert.match(await page.textContent('.place'), /ld\.|st\.|@/);
    });
    await withPanel({ step: null, target: { line: 24 } }, async (_, page) => {
        assert.equal(await step(page), 1);
    });
    // A lens specifies no line: the editor's cursor decides if the panel follows it and this warp executes its line.
    await withPanel({ step: null, cursor: 26 }, async (_, page) => {
        assert.equal(await step(page), 3);
    });
    await withPanel({ step: null, cursor: 2 }, async (_, page) => {
        assert.ok((await step(page)) > 3);
    });
    await withPanel({ step: null, cursor: 26, preferences: { follow: false } }, async (_, page) => {
        assert.ok((await step(page)) > 3);
    });
});

test('follows the cursor of the editor to the nearest step of its line, and does not where that is turned off', async () => {
    await withPanel({}, async ({ tell, sent }, page) => {
        await press(page, 'n', 'n', 'n');
        const line = Number(/Line (\d+)/.exec(await page.textContent('.place'))[1]);
        await press(page, 'g');
        await tell({ type: 'cursor', line });
        await page.waitForFunction((wanted) => document.querySelector('.place .line').textContent === `Line ${wanted}`, line);
        assert.equal(await step(page), 4);
        assert.equal((await sent('at')).at(-1).reveal, false, 'the text is not scrolled under the cursor');
        await tell({ type: 'cursor', line: 1 });
        await page.waitForFunction(() => document.querySelector('.place').textContent.includes('does not execute line 1'));
        assert.equal(await step(page), 4);
        await press(page, 'l', 'g');
        await tell({ type: 'cursor', line });
        await settle(page);
        assert.equal(await step(page), 1);
        assert.equal((await sent('remember')).at(-1).preferences.follow, false);
    });
});

test('columns fit: half a warp is seen at 670 pixels, and counting values are one text that opens', async () => {
    await withPanel({ width: 670, height: 800, preferences: {} }, async (_, page) => {
        await press(page, 'n', 'n', 'n', 'n');
        const seen = await page.evaluate(() => {
            const grid = document.querySelector('.grid').getBoundingClientRect();
            return [...document.querySelectorAll('.lane')].filter((lane) => lane.getBoundingClientRect().right <= grid.right).length;
        });
        assert.ok(seen >= 16, `${seen} lanes`);
        assert.equal((await cell(page, '%tid_x', 0)).text, 'lane');
        await page.click('.row:has(.name:text-is("%tid_x")) .name');
        assert.equal((await cell(page, '%tid_x', 5)).text, '5');
    });
});

/** The visible lanes of the grid, and the cells whose text is too wide. */
const columns = (page) => page.evaluate(() => {
    const right = document.querySelector('.grid').getBoundingClientRect().right;
    const seen = [...document.querySelectorAll('.lane')].filter((lane) => lane.getBoundingClientRect().right <= right).length;
    const cells = [...document.querySelectorAll('.row .cell')].filter((one) => one.getBoundingClientRect().left < right);
    const cut = cells.filter((one) => one.scrollWidth > one.clientWidth).map((one) => `${one.closest('.row').querySelector('.name').textContent} ${one.textContent}`);
    return { seen, cut };
});

test('no cell is cut off, and numbers of one register that do not fit are rows of their own', async () => {
    for (const width of [526, 620, 640, 700, 1000, 1300]) {
        await withPanel({ width, preferences: {}, entry: 'straight' }, async (_, page) => {
            for (let at = 1; at < 14; at += 1) {
                await press(page, 'n');
                const { seen, cut } = await columns(page);
                assert.deepEqual(cut, [], `${width} pixels`);
                assert.ok(seen >= 8, `${seen} lanes in ${width} pixels`);
            }
            const halves = await page.evaluate(() => [...document.querySelectorAll('.row')].filter((one) => one.querySelector('.name').textContent === '%pair').map((one) => one.querySelector('.format').textContent));
            assert.deepEqual(halves, ['f16 lo', 'f16 hi'], `${width} pixels`);
            assert.match((await cell(page, '%pair', 3)).text, /^2\.2/);
            await page.hover('.row:has(.name:text-is("%pair")) .cell:nth-of-type(3)');
            await page.waitForSelector('.tooltip:not([hidden])');
            assert.match(await page.textContent('.tooltip'), /%pair \.b32, read as \.f16x2, lane 1.*Halves \(f16 pairs\)/);
        });
    }
});

test('the timeline says what its colours mean, and a warp that never diverges is told in one line', async () => {
    await withPanel({}, async (_, page) => {
        assert.match(await page.textContent('.legend'), /Colour: line \d+line \d+.*guard false.*waits.*exited.*this step/);
        assert.ok(await page.isVisible('.legend .ramp i'));
        assert.ok(await page.isVisible('.lanes'));
    });
    const guessed = await server.open(KERNELS.replace(/\/\/! launch: .*\n(?=\.visible \.entry straight)/, ''));
    for (const [document, run] of [[kernels, 'in this run'], [guessed, 'with the guessed launch']]) {
        await withPanel({ document, entry: 'straight' }, async (_, page) => {
            assert.equal(await page.textContent('.timeline-bar p'), `All 32 lanes stay together: this warp never diverges ${run} (guard false in some: 1 step).`);
            assert.ok(!(await page.isVisible('.lanes')) && !(await page.isVisible('.legend')), 'there is nothing to draw');
        });
    }
});

test('panes are given more room by the bar above them', async () => {
    await withPanel({ width: 700 }, async ({ sent }, page) => {
        const before = (await page.locator('.panes').boundingBox()).height;
        await page.focus('.splitter');
        await press(page, 'ArrowUp', 'ArrowUp');
        assert.ok((await page.locator('.panes').boundingBox()).height > before + 20);
        assert.equal((await sent('remember')).at(-1).preferences.share, 55);
    });
});
