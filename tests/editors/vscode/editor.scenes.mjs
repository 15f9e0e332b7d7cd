// The visible features of the extension in and around the editor.
const tree = '.customview-tree .monaco-list-row';
const lens = (text) => `.codelens-decoration:has-text("${text}")`;

async function read(desk, name = 'mma_matmul.ptx') {
    const text = desk.kernel(name);
    await desk.open(name);
    // The editor remembers its last scroll position.
    await desk.goToText(text, '.entry');
    await desk.sees('a lens of registers', lens('registers'), 40);
    return text;
}

export const scenes = [
    {
        name: 'editor',
        title: 'colours, lenses, hints, the view of registers and the status bar',
        async run(desk) {
            const text = await read(desk);
            await desk.goToText(text, 'ldmatrix.sync.aligned.m8n8.x4.shared', 4);
            await desk.run('PTX: Show Registers');
            await desk.sees('the kernel in the tree', `${tree}:has-text("mma_matmul")`);
            await desk.sees('a live register', `${tree}:has-text("%ptr_src")`);
            await desk.sees('an inlay hint', '.view-line span:text-matches("= |×")');
            const status = await desk.status();
            if (!/PTX 7\.0 · sm_80/.test(status)) throw new Error(`the status bar says: ${status}`);
            await desk.picture('registers');
        },
    },
    {
        name: 'hover',
        title: 'what an instruction does',
        async run(desk) {
            const text = await read(desk);
            await desk.goToText(text, 'mad.lo.u32          %st_tile', 1);
            await desk.run('Show or Focus Hover');
            await desk.sees('the hover', '.monaco-hover:visible:has-text("mad.lo.u32 d, a, b, c")');
            await desk.picture('hover');
        },
    },
    {
        name: 'fragment',
        title: 'which lane holds which element of a matrix',
        async run(desk) {
            const text = await read(desk);
            await desk.goToText(text, '{%acc0, %acc1, %acc2, %acc3}, {%a0, %a1, %a2, %a3}, {%b0, %b1}', 32);
            await desk.run('Show or Focus Hover');
            await desk.sees('the hover', '.monaco-hover:visible:has-text("lane")');
            await desk.picture('fragment');
        },
    },
    {
        name: 'diagnostic',
        title: 'a squiggle, its message and its fix',
        async run(desk) {
            const text = desk.kernel('saxpy.ptx', (kernel) => kernel.replace('mul.wide.u32        %off, %i, 4', 'mul.wide.u32        %off, %xi, 4').replace('fma.rn.f32', 'fma.rnd.f32'), 'wrong.ptx');
            await desk.open('wrong.ptx');
            await desk.goToText(text, 'fma.rnd', 5);
            await desk.sees('a squiggle', '.squiggly-error', 40);
            await desk.run('Show or Focus Hover');
            await desk.sees('the message', '.monaco-hover:visible:has-text("rnd")');
            await desk.picture('diagnostic');
            await desk.page.keyboard.press('Escape');
            await desk.page.keyboard.press('Control+.');
            await desk.sees('the fix', '.action-widget .monaco-list-row:has-text("rn")');
            await desk.page.keyboard.press('Escape');
        },
    },
    {
        name: 'completion',
        title: 'modifiers that lead to a legal form',
        async run(desk) {
            const text = await read(desk, 'saxpy.ptx');
            await desk.goToText(text, 'mul.wide.u32        %off, %i, 4;', 32);
            await desk.page.keyboard.press('End');
            await desk.page.keyboard.press('Enter');
            await desk.page.keyboard.type('cvt.', { delay: 40 });
            await desk.sees('suggestions', '.suggest-widget.visible .monaco-list-row:has-text("rn")');
            await desk.picture('completion');
            await desk.page.keyboard.press('Escape');
            await desk.run('File: Revert File');
        },
    },
    {
        name: 'explain',
        title: 'a page about the instruction at the cursor',
        async run(desk) {
            const text = await read(desk, 'saxpy.ptx');
            await desk.goToText(text, 'fma.rn.f32', 4);
            await desk.run('PTX: Explain');
            await desk.sees('the tab', '.tab:has-text("fma.rn.f32")');
            const frame = desk.page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
            await desk.sees('the page', frame.locator('code:has-text("fma")').first());
            await desk.picture('explain');
        },
    },
    {
        name: 'menu',
        title: 'the menu behind the status bar',
        async run(desk) {
            await read(desk, 'saxpy.ptx');
            await desk.picture('open');
            await desk.page.locator('.statusbar-item:has-text("sm_50")').click();
            await desk.sees('the menu', '.quick-input-list .monaco-list-row:has-text("Restart Server")');
            await desk.picture('menu');
            await desk.page.keyboard.press('Escape');
        },
    },
    {
        name: 'snippet',
        title: 'a snippet becomes a kernel without findings',
        async run(desk) {
            desk.kernel('saxpy.ptx', () => '', 'new.ptx');
            await desk.open('new.ptx');
            await desk.page.keyboard.type('kernel-warp', { delay: 30 });
            await desk.sees('the snippet', '.suggest-widget.visible .monaco-list-row:has-text("kernel-warp-sum")', 40);
            await desk.page.keyboard.press('Tab');
            await desk.sees('its text', '.view-line:has-text("shfl")');
            await desk.sees('a lens of registers', lens('registers'));
            if (await desk.page.locator('.squiggly-error, .squiggly-warning').count()) throw new Error('it has findings');
            await desk.page.keyboard.press('Escape');
            await desk.run('File: Revert File');
        },
    },
    {
        name: 'walkthrough',
        title: 'the walkthrough',
        async run(desk) {
            await desk.run('View: Close Primary Side Bar');
            await desk.run('Welcome: Open Walkthrough...');
            await desk.page.keyboard.type('PTX');
            await desk.page.locator('.quick-input-list .monaco-list-row:has-text("PTX")').first().click();
            await desk.sees('its steps', '.getting-started-step:has-text("Open a kernel")');
            await desk.page.locator('.getting-started-step:has-text("Count registers")').click();
            await desk.sees('a step', '.step-container:has-text("how many warps fit"), .getting-started-step.expanded:has-text("how many warps fit")');
            await desk.picture('walkthrough');
            await desk.run('View: Show Explorer');
        },
    },
    {
        name: 'themes',
        title: 'light and high contrast',
        async run(desk) {
            const text = await read(desk, 'saxpy.ptx');
            await desk.goToText(text, 'cvta.to.global.u64  %ptr_x', 1);
            try {
                await desk.theme('Light Modern');
                await desk.picture('light');
                await desk.theme('Dark High Contrast');
                await desk.picture('contrast');
            } finally {
                await desk.theme('Dark Modern');
            }
        },
    },
    {
        name: 'restricted',
        title: 'a folder that is not trusted: everything but the assembler',
        trust: true,
        expects: [/notification: NVIDIA's assembler is run in trusted workspaces only/],
        async run(desk) {
            await desk.sees('the restriction', '.part.banner:has-text("Restricted Mode")');
            await read(desk, 'saxpy.ptx');
            await desk.run('PTX: Compare Registers with ptxas');
            await desk.sees('why not', '.notification-list-item:has-text("trusted workspaces only")');
        },
    },
];
