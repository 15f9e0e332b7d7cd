// Launches with expectations in the gutter and in the Test Explorer.
import { readFileSync } from 'node:fs';

const TEXT = readFileSync(new URL('../fixture/tests.ptx', import.meta.url), 'utf8');

export const scenes = [
    {
        name: 'tests',
        title: 'launches run from the gutter and from the Test Explorer',
        async run(desk) {
            const { page } = desk;
            desk.write('tests.ptx', TEXT);
            await desk.open('tests.ptx');
            await desk.sees('the icons beside launches', '.testing-run-glyph', 40);
            await desk.goToText(TEXT, 'grid=1 block=4');
            await page.keyboard.press('Control+;');
            await page.keyboard.press('c');
            await desk.sees('the failed expectation', '.monaco-editor .test-error-content-widget, .peekview-widget, .testing-peek-view, .monaco-editor .testing-inline-message-severity-0', 30);
            await page.keyboard.press('Escape');
            await page.keyboard.press('Control+;');
            await page.keyboard.press('f');
            await desk.run('Testing: Focus on Test Explorer View');
            const row = (text) => page.locator(`.test-explorer .monaco-list-row:has-text("${text}")`).first();
            await desk.sees('the file', row('tests.ptx'));
            await desk.sees('the count', '.test-explorer :text("2/4")', 20);
            await row('tests.ptx').click();
            await page.keyboard.press('ArrowRight');
            await desk.sees('the kernel', row('count'));
            for (const kernel of ['count', 'raced']) {
                await row(kernel).click();
                await page.keyboard.press('ArrowRight');
            }
            await desk.sees('a launch', row('grid=1 block=8'));
            await desk.picture('tests');
        },
    },
];
