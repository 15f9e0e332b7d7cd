// The warp panel in a browser, as a user sees and works it: steps, values, memory, matrices and results. The server is the
// program itself (`panel-server.mjs`).
//
//   node --test tests/editors/vscode/panel-page.test.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, LAST, line, names, press, reads, server, settle, step, withFault, withLaunch, withPanel } from './panel-kit.mjs';

test('opens at the first step, and steps forwards and backwards by keys', async () => {
    await withPanel({}, async ({ sent }, page) => {
        assert.equal(await step(page), 1);
        assert.equal(await page.textContent('.badge'), '✓ 2 of 2 expectations hold');
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
        assert.match(await page.textContent('.answer.bad'), /^⚠ Writes 4 bytes .* past the end of out .*lane 7$/);
        assert.match(await page.textContent('.badge'), /1 fault.*1 of 1 expectation fails/);
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
        assert.match(await page.textContent('.memory'), /Load of 4 bytes from global memory in all lanes.*Sectors4 \(4 would be enough\).*Efficiency100 %/);
        await page.waitForSelector('.dump .loaded');
        await press(page, ...new Array(9).fill('n'));
        await page.waitForFunction(() => /Store of 4 bytes to shared memory/.test(document.querySelector('.memory').textContent));
        assert.match(await page.textContent('.memory'), /Wavefronts2.*Bank conflicts⚠ 2-way/);
        assert.equal(await page.getAttribute('.bank:nth-child(3)', 'title'), 'Bank 2: lanes 1, 17');
        assert.equal(await page.isVisible('.banks.conflict'), true, 'the chart agrees with the facts');
        await page.waitForSelector('.dump .stored');
        await page.waitForSelector('.dump .unknown');
        await page.selectOption('select[aria-label="Type of the values"]', 'f32');
        await page.waitForFunction(() => /0\.5··1\.0··/.test(document.querySelector('.dump tbody tr:first-child').textContent));
        await page.selectOption('select[aria-label="Memory to show"]', 'buffer x');
        await page.waitForFunction(() => /x after this step/.test(document.querySelector('.dump caption').textContent));
        assert.match(await page.textContent('.dump tbody tr:first-child'), /1\.02\.03\.04\.0/);
        await page.fill('[aria-label="Offset in bytes"]', '512');
        await press(page, 'Enter');
        await page.waitForFunction(() => /past the end of x/.test(document.querySelector('.bytes').textContent));
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
        await page.click('#tab-memory');
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
        await press(page, 'n');
        await opens(page, 'Results');
        await press(page, 'b');
        await opens(page, 'Memory');
        await press(page, 'Shift+G');
        await opens(page, 'Results');
    });
});

test('a line under the toolbar says what the step did, what is wrong, or how it ended; nothing moves', async () => {
    const says = (page, pattern) => page.waitForFunction((text) => new RegExp(text).test(document.querySelector('.answer').textContent), pattern.source);
    await withPanel({}, async (_, page) => {
        const top = () => page.evaluate(() => document.querySelector('.grid').getBoundingClientRect().top);
        await says(page, /^%tid_x = lane in all lanes$/);
        const before = await top();
        await press(page, ...new Array(4).fill('n'));
        await says(page, /^Load of 4 bytes from global memory in all lanes\. /);
        await press(page, ...new Array(9).fill('n'));
        await says(page, /^Store of 4 bytes to shared memory .*2 passes, 2 words in one bank$/);
        assert.equal(await top(), before);
        await press(page, 'Shift+G');
        await says(page, /^✓ 2 of 2 expectations hold\.$/);
        assert.match(await page.getAttribute('.answer', 'class'), /good/);
        const [red, green] = await page.evaluate(() => getComputedStyle(document.querySelector('.badge')).color.match(/[\d.]+/g).map(Number));
        assert.ok(green > red, 'success is green');
    });
    await withPanel({ document: await withLaunch('//! launch: grid=1 block=32 n=32 x=f32[32]:iota(1) out=f32[64]:zero\n//! expect: out[1]=1.0\n') }, async (_, page) => {
        await press(page, 'Shift+G');
        await says(page, /^✗ out\[1\]=1\.0: .*is 4\.0, not 1\.0/);
        assert.doesNotMatch(await page.textContent('.answer'), /`/);
    });
});

test('keys and signs open at the top', async () => {
    await withPanel({ width: 500, height: 500 }, async (_, page) => {
        await press(page, '?');
        await page.waitForSelector('.help[open]');
        assert.equal(await page.evaluate(() => document.querySelector('.help').scrollTop), 0);
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
        assert.match(await page.textContent('.results'), /out of bounds.*past the end of out \(28 bytes\).*line 52 · lane 7.*out\[6\]=1\.0.*is 49\.0, not 1\.0/s);
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

test('a click on a value or a byte says which step and lane wrote it, and leads there and back', async () => {
    const says = (page, pattern) => page.waitForFunction((text) => new RegExp(text).test(document.querySelector('.answer').textContent), pattern.source);
    const at = (page, wanted) => page.waitForFunction((own) => Number(document.querySelector('.slide .number').value) === own, wanted);
    await withPanel({}, async (_, page) => {
        await press(page, ...new Array(6).fill('n'));
        await page.click('.row:has(.name:text-is("%v")) .cell:nth-of-type(4)');
        await says(page, /^%v of lane 2: written by lane 2 in step 5, line 28\. Go there$/);
        await settle(page);
        await says(page, /^%v of lane 2/);
        await page.click('.answer button');
        await at(page, 5);
        assert.match(await page.getAttribute('.lane[data-lane="2"]', 'class'), /focus/);
        await press(page, 'Backspace');
        await at(page, 7);
        // By the keyboard, and a value that nothing wrote.
        await page.click('.row:has(.name:text-is("%tid_x")) .cell');
        await press(page, 'o');
        await at(page, 1);
        await press(page, 'Backspace');
        await at(page, 7);
        await press(page, ...new Array(7).fill('n'));
        await page.waitForSelector('.dump .stored');
        await page.click('#tab-memory');
        await press(page, 'n');
        await page.waitForSelector('.dump td:not(.stored)');
        await page.waitForFunction(() => document.querySelector('.dump .stored') === null);
        await page.click('.dump td[data-at="0"]');
        await says(page, /written by lane 0 in step 14, line \d+\. Go there$/);
        await page.dblclick('.dump td[data-at="0"]');
        await at(page, 14);
        await page.click('.dump td.unknown >> nth=0');
        await says(page, /no step up to here wrote it\.$/);
    });
});

test('the writer of a byte may be another warp, and is the last one before the step', async () => {
    const text = `.version 8.0\n.target sm_80\n.address_size 64\n//! launch: block=64\n.visible .entry pass()\n{\n.shared .align 4 .b8 tile[256];\n.reg .u32 %i, %v, %at;\n.reg .pred %p;\n
mov.u32 %i, %tid.x;
mov.u32 %at, tile;
mad.lo.u32 %at, %i, 4, %at;
xor.b32 %v, %at, 128;
st.shared.u32 [%at], %i;
bar.sync 0;
setp.ge.u32 %p, %i, 32;
@%p st.shared.u32 [%v], %i;
bar.sync 0;
ld.shared.u32 %v, [%at];
ret;
}
`;
    const document = await server.open(text);
    await withPanel({ document, entry: 'pass', preferences: { width: 'normal', pane: 'memory' } }, async (_, page) => {
        const says = (pattern) => page.waitForFunction((own) => new RegExp(own).test(document.querySelector('.answer').textContent), pattern.source);
        await press(page, ...new Array(9).fill('n'));
        await page.waitForSelector('.dump .loaded');
        // Warp 1 has written over what lane 5 wrote itself.
        await page.click('.dump td[data-at="20"]');
        await says(/written by lane 5 of warp 1 of CTA \(0, 0, 0\) in step 8, line \d+\. Go there$/);
        await page.click('.answer button');
        await page.waitForFunction(() => document.querySelector('select[aria-label="Warp"]').value === '1' && document.querySelector('.slide .number').value === '8');
        await page.waitForFunction(() => document.querySelector('.lane[data-lane="5"]').classList.contains('focus'));
        await press(page, 'Backspace');
        await page.waitForFunction(() => document.querySelector('select[aria-label="Warp"]').value === '0' && document.querySelector('.slide .number').value === '10');
        // Before the barrier the own store was the last one.
        await press(page, ...new Array(5).fill('b'));
        await page.waitForSelector('.dump .stored');
        await page.click('.dump td[data-at="20"]');
        await says(/written by lane 5 in this step\.$/);
    });
});
