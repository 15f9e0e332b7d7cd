// The warp panel in VS Code: opened from a lens, stepped, at a fault, in light and dark.
const lens = (text) => `.codelens-decoration a:has-text("${text}")`;

/** The page of the panel, inside the two frames that VS Code creates around it. */
export const panelOf = (page) => page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');

/** Opens a kernel, clicks its lens and waits for the grid. Without the side bar, two editors have enough room. */
export async function openWarp(desk, name, { change, as = name, at = '.entry', sideBar = false } = {}) {
    const text = desk.kernel(name, change, as);
    await desk.open(as);
    const bar = desk.page.locator('.part.sidebar');
    if (!sideBar && (await bar.isVisible())) await desk.run('View: Close Primary Side Bar');
    await desk.goToText(text, at);
    const evaluate = await desk.sees('the lens', lens('Evaluate warp'), 40);
    await evaluate.click();
    const panel = panelOf(desk.page);
    await desk.sees('the grid', panel.locator('.row .cell').first(), 30);
    return { text, panel };
}

/** Presses keys in the panel. */
export async function press(panel, ...keys) {
    await panel.locator('.corner').click();
    for (const key of keys) await panel.locator('body').press(key);
}

async function atLine(desk, panel, line) {
    await desk.sees(`line ${line} in the panel`, panel.locator(`.place .line:text-is("Line ${line}")`));
}

/** Puts the cursor of the editor at a text; before that, the panel has the focus. */
async function cursorAt(desk, text, wanted, right = 0) {
    await desk.run('View: Focus First Editor Group');
    return desk.goToText(text, wanted, right);
}

/** The visible lanes, and the cells whose text is too wide. */
const columns = (panel) => panel.locator('body').evaluate(() => {
    const { right } = document.querySelector('.grid').getBoundingClientRect();
    const seen = [...document.querySelectorAll('.lane')].filter((lane) => lane.getBoundingClientRect().right <= right).length;
    const cells = [...document.querySelectorAll('.row .cell, .row .name')].filter((one) => one.getBoundingClientRect().left < right);
    return { seen, cut: cells.filter((one) => one.scrollWidth > one.clientWidth || (one.matches('.cell') && one.textContent.includes('…'))).map((one) => one.textContent) };
});

/** The line with a text, from 1. */
const lineOf = (text, wanted) => text.slice(0, text.indexOf(wanted)).split('\n').length;

export const scenes = [
    {
        name: 'panel',
        title: 'the lens opens the panel; keys step; the editor follows; light and dark',
        async run(desk) {
            const { text, panel } = await openWarp(desk, 'mma_matmul.ptx');
            const painted = await desk.sees('the time of the first paint', panel.locator('body[data-first-paint]'));
            console.log(`     from the click to the painted grid: ${await painted.getAttribute('data-first-paint')} ms`);
            await desk.picture('panel-first');
            // The panel opens at an interesting step; a key leads to the first step.
            await press(panel, 'g');
            await atLine(desk, panel, lineOf(text, 'ld.param.u32'));
            await press(panel, 'n', 'n', 'n');
            await desk.sees('the fourth step', panel.locator('.place [aria-live]:has-text("Step 4 of")'));
            await press(panel, 'b');
            await desk.sees('the third step', panel.locator('.place [aria-live]:has-text("Step 3 of")'));
            // Go to the matrix multiplication at the editor's cursor.
            const line = await cursorAt(desk, text, 'mma.sync.aligned');
            await desk.run('PTX: Next Execution of the Line at the Cursor');
            await atLine(desk, panel, line);
            await panel.locator('#tab-matrices').click();
            await desk.sees('a matrix', panel.locator('.matrix td').first());
            await desk.picture('panel');
            await desk.theme('Light Modern');
            await desk.picture('panel-light');
            await desk.theme('Dark Modern');
            // Open another kernel in the existing panel.
            await desk.run('View: Focus First Editor Group');
            const other = await openWarp(desk, 'saxpy.ptx');
            await desk.sees('the other kernel', other.panel.locator('.row:has(.name:text-is("%xi"))'));
            const again = other.panel.locator('body[data-first-paint]');
            console.log(`     with the panel open: ${await again.getAttribute('data-first-paint')} ms`);
        },
    },
    {
        name: 'panel-lanes',
        title: '1400 pixels, a side bar: 12 lanes of short values, 4 of long ones, none cut off or shortened; it opens at the cursor and follows it',
        async run(desk) {
            const { page } = desk;
            const before = page.viewportSize();
            const seesColumns = async (panel, least) => {
                const { seen, cut } = await columns(panel);
                if (seen < least || cut.length > 0) throw new Error(`${seen} lanes are seen, and these texts are cut off: ${cut.join(', ')}`);
            };
            await page.setViewportSize({ width: 1400, height: 900 });
            try {
                const { text, panel } = await openWarp(desk, 'saxpy.ptx', { at: 'ld.param.f32', sideBar: true });
                await atLine(desk, panel, lineOf(text, 'ld.param.f32'));
                const line = await cursorAt(desk, text, 'fma.rn.f32');
                await atLine(desk, panel, line);
                await desk.sees('a folded address', panel.locator('.row:has(.name:text-is("%ptr_x")) .cell.one:text-is("0x7f00000000 + 4 × lane → x")'));
                await desk.sees('the value', panel.locator('.row:has(.name:text-is("%axpy")) .cell:text-is("31.0")'));
                await seesColumns(panel, 12);
                // The halves of the operands of a matrix product, and their origins.
                const other = await openWarp(desk, 'mma_matmul.ptx', { sideBar: true });
                const product = await cursorAt(desk, other.text, 'mma.sync.aligned');
                await atLine(desk, other.panel, product);
                // The second line of the statement is that statement too.
                await cursorAt(desk, other.text, 'setp.ne.u32');
                await cursorAt(desk, other.text, '{%acc0, %acc1');
                await atLine(desk, other.panel, product);
                await desk.sees('halves', other.panel.locator('.row:has(.name:text-is("%b0")) .format:text-is("f16 hi")'));
                await seesColumns(other.panel, 4);
                await desk.picture('panel-lanes');
            } finally {
                await page.setViewportSize(before);
            }
        },
    },
    {
        name: 'panel-memory',
        title: 'an access to shared memory: banks and bytes',
        async run(desk) {
            const { text, panel } = await openWarp(desk, 'cooperative_transpose.ptx');
            const line = await cursorAt(desk, text, 'st.shared');
            await desk.run('PTX: Next Execution of the Line at the Cursor');
            await atLine(desk, panel, line);
            await panel.locator('#tab-memory').click();
            await desk.sees('the banks', panel.locator('.banks'));
            await desk.sees('written bytes', panel.locator('.dump .stored').first());
            await desk.picture('panel-memory');
        },
    },
    {
        name: 'panel-fault',
        title: 'a fault: the panel begins there, the results name it',
        async run(desk) {
            const shorter = (text) => text.replace('out=f32[104]:zero', 'out=f32[40]:zero').replace(/^\/\/! expect:.*\n/m, '');
            const { panel } = await openWarp(desk, 'saxpy.ptx', { change: shorter });
            await desk.sees('what happened', panel.locator('.badge.bad:has-text("fault")'));
            await desk.sees('what is wrong', panel.locator('.answer.bad:has-text("past the end of out")'));
            // The step that the panel has chosen is seen in the text.
            const line = (await panel.locator('.place .line').textContent()).replace('Line ', '');
            await desk.sees('its line in the editor', `.line-numbers:text-is("${line}")`);
            await panel.locator('#tab-results').click();
            await desk.sees('the fault', panel.locator('.fault').first());
            await panel.locator('.fault').first().click();
            // The click moves the cursor of the editor and gives the editor the focus.
            await desk.sees('the cursor in the editor', desk.page.locator('.monaco-editor.focused').first());
            await desk.picture('panel-fault');
        },
    },
    {
        name: 'panel-edit',
        title: 'an edit is followed; an error is told and the old values stay',
        async run(desk) {
            const { text, panel } = await openWarp(desk, 'saxpy.ptx');
            await press(panel, 'g', 'n', 'n', 'n', 'n');
            await cursorAt(desk, text, 'n=100', 2);
            await desk.page.keyboard.press('Delete');
            await desk.page.keyboard.type('2');
            await desk.sees('the new value', panel.locator('.row:has(.name:text-is("%n")) .cell.one:text-is("200")'));
            const painted = panel.locator('body[data-first-paint]');
            console.log(`     from the click to the painted grid: ${await painted.getAttribute('data-first-paint')} ms`);
            await desk.sees('the same step', panel.locator('.place [aria-live]:has-text("Step 5 of")'));
            await desk.run('View: Focus First Editor Group');
            await desk.run('File: Revert File');
        },
    },
];
