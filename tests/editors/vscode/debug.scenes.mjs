// A session of the debugger on the screen.
export const scenes = [
    {
        name: 'debug',
        title: 'stopped at a breakpoint, a step on and back',
        async run(desk) {
            const { page } = desk;
            const text = desk.kernel('saxpy.ptx');
            await desk.open('saxpy.ptx');
            await desk.goToText(text, '.entry');
            await desk.sees('the server', '.codelens-decoration:has-text("registers")', 40);
            const line = await desk.goToText(text, 'fma.rn.f32', 1);
            await page.keyboard.press('F9');
            await desk.sees('the breakpoint', '.codicon-debug-breakpoint');
            await desk.run('PTX: Debug Kernel');
            const toolbar = page.locator('.debug-toolbar');
            await desk.sees('the toolbar', toolbar, 30);
            await desk.sees('the first stop', '.debug-top-stack-frame-column, .codicon-debug-stackframe');
            // The console shows the launch; close it to make room for the values of registers.
            await desk.sees('the launch in the console', '.debug-console:has-text("grid=2 block=32"), .repl:has-text("grid=2 block=32")');
            await page.keyboard.press('Control+j');
            await desk.run('View: Show Run and Debug');
            for (const section of ['Watch', 'Call Stack', 'Breakpoints']) await page.locator(`.pane-header:has(h3:has-text("${section}"))`).first().click();
            await page.keyboard.press('F5');
            const row = (name) => page.locator(`.debug-variables .monaco-list-row:has-text("${name}")`).first();
            const varying = row('Varying registers');
            await desk.sees('the scopes', varying);
            await varying.locator('.monaco-tl-twistie').click();
            await desk.sees('a register that varies', row('%xi'));
            await page.keyboard.press('F10');
            await desk.sees('what the step computed', row('%axpy'));
            await desk.picture('debug');
            await toolbar.locator('.codicon-debug-step-back').click();
            await desk.sees('the line before', `.line-numbers.active-line-number:text-is("${line}")`);
            await desk.run('Debug: Stop');
            await toolbar.waitFor({ state: 'hidden' });
            await desk.goTo(line);
            await page.keyboard.press('F9');
            await page.locator('.codicon-debug-breakpoint').first().waitFor({ state: 'hidden' });
            await desk.run('View: Show Explorer');
        },
    },
];
