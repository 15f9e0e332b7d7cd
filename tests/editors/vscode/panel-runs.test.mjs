// The warp panel in a browser: launches, edits, refusals, where it opens, widths, themes. The server is the program itself.
//
//   node --test tests/editors/vscode/panel-runs.test.mjs

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cell, kernels, line, press, server, settle, step, withFault, withLaunch, withPanel } from './panel-kit.mjs';
import { axeSource, THEMES } from './panel-page.mjs';
import { KERNELS, lineOf } from './panel-server.mjs';

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
        // A restart that takes a moment is not told: nothing moves.
        const before = questions.length;
        await tell({ type: 'server', running: false });
        await settle(page);
        assert.equal(await page.isVisible('.notice.bad'), false);
        await tell({ type: 'server', running: true });
        await page.waitForTimeout(2500);
        assert.equal(await page.isVisible('.notice.bad'), false);
        assert.ok(questions.length > before, 'the new server is asked');
        answerWith((question, ask) => ask(question));
    });
});

test('two panels with kernels of one document leave each other alone', async () => {
    const document = await server.open();
    await withPanel({ document }, async (first) => {
        await press(first.page, 'n', 'n', 'n');
        const questions = [];
        const answer = (question, ask) => {
            if (question.kind === 'evaluate' && question.arguments.count > 0) questions.push(question);
            return ask(question);
        };
        await withPanel({ document, entry: 'product', step: 5, answer }, async ({ page }) => {
            // What the server tells of one panel's run reaches both.
            await first.tell({ type: 'evaluated', evaluated: { uri: document.uri, version: 1, entry: 'product', status: 'finished', faults: 0, steps: 14 } });
            await settle(page);
            assert.equal(await step(page), 6, 'the step that was asked for');
            assert.equal(questions.length, 1);
        });
        assert.equal(await step(first.page), 4);
        assert.equal(first.questions.filter((question) => question.kind === 'evaluate' && question.arguments.count > 0).length, 1);
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

const axe = await axeSource();
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
                assert.ok(seen >= 4, `${seen} lanes in ${width} pixels`);
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

test('no width cuts a whole number, the whole part of a fraction, or digits of bits', async () => {
    const statements = [
        'mov.u32 %i, %tid.x;', 'add.u32 %i, %i, 2;', 'mul.lo.u32 %i, %i, %i;', 'cvt.rn.f32.u32 %f, %i;', 'mul.f32 %big, %f, 0fC8AAA800;', 'mul.f32 %part, %f, 0f3EAAAAAB;', 'mul.lo.u32 %wide, %i, 4000000;',
        'cvt.u64.u32 %long, %i;', 'mul.lo.u64 %long, %long, 0x123456789ab;', 'cvt.f64.f32 %d, %part;', 'mul.f64 %d, %d, 0d3FD5555555555555;', 'mov.b32 %bits, %big;',
    ];
    const text = `.version 8.0\n.target sm_80\n.address_size 64\n//! launch: block=32\n.visible .entry wide()\n{\n.reg .u32 %i, %wide;\n.reg .u64 %long;\n.reg .f32 %f, %big, %part;\n.reg .f64 %d;\n.reg .b32 %bits;\n${statements.join('\n')}\nret;\n}\n`;
    const document = await server.open(text);
    for (const width of ['fit', 'narrow', 'normal', 'wide']) {
        for (const pixels of [526, 1280]) {
            await withPanel({ document, entry: 'wide', width: pixels, preferences: { width } }, async (_, page) => {
                for (let at = 1; at <= statements.length; at += 1) {
                    await press(page, 'n');
                    const { seen, cut } = await columns(page);
                    assert.deepEqual(cut, [], `${width} in ${pixels} pixels`);
                    assert.ok(seen >= 1);
                }
                const texts = await page.evaluate(() => [...document.querySelectorAll('.row .cell:not(.one)')].map((one) => one.textContent));
                assert.deepEqual(texts.filter((own) => /[…kMGT]/.test(own)), [], width);
                assert.equal((await cell(page, '%big', 1)).text.replace(/\.\d*$/, ''), '-3145536', width);
                assert.equal((await cell(page, '%wide', 1)).text, '36000000');
                assert.match((await cell(page, '%long', 1)).text, /^0xa3d70a3d703$|^11259375000003$/);
                assert.match((await cell(page, '%part', 1)).text, /^3(\.0|$)/);
            });
        }
    }
});

test('the editor reveals the step that the panel opens at, unless that is the line from which it was opened', async () => {
    const revealed = async (options) => {
        let last;
        await withPanel({ step: null, ...options }, async ({ sent }, page) => {
            await settle(page);
            last = (await sent('at')).at(-1);
        });
        return last;
    };
    assert.equal((await revealed({})).reveal, true);
    assert.equal((await revealed({ target: { line: lineOf(KERNELS, '.visible .entry sample') } })).reveal, true, 'from the lens above the kernel');
    assert.equal((await revealed({ target: { line: 24 } })).reveal, false);
    assert.equal((await revealed({ target: { line: 2 }, document: await withFault() })).reveal, true);
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
