// Runs suite/ in VS Code's own extension host, with an installed VSIX.
//
//   host.mjs VSIX PROJECT DATA
//
// PTX_TEST_GREP  only tests whose name contains this
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { launchBrowser, startWorkbench } from './workbench.mjs';

const [vsix, project, data] = process.argv.slice(2).map((path) => resolve(path));
const suite = fileURLToPath(new URL('suite', import.meta.url));
const report = join(data, 'mocha.json');
const minutes = 4;

// Programs that pose as NVIDIA's, see fake_ptxas in lib.sh.
const tools = process.env.PTX_TEST_TOOLS;
const settings = tools ? { 'ptx-analyzer.ptxas.path': join(tools, 'ptxas'), 'ptx-analyzer.nvdisasm.path': join(tools, 'nvdisasm') } : {};
const workbench = await startWorkbench({ data, vsix, driver: true, settings, env: { PTX_TEST_REPORT: report, PTX_TEST_EXTENSIONS: join(data, 'extensions'), PTX_TEST_PATH: process.env.PATH } });
const browser = await launchBrowser();
let failed = true;
try {
    rmSync(report, { force: true });
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    const noted = [];
    page.on('console', (message) => noted.push(message.text()));
    const ended = new Promise((finish) => {
        void page.exposeFunction('codeAutomationLog', (_kind, words) => noted.push(words.join(' ')));
        void page.exposeFunction('codeAutomationExit', (code) => finish(code));
    });
    const address = `vscode-remote://${workbench.host}`;
    const payload = [
        ['extensionDevelopmentPath', `${address}${suite}`],
        ['extensionTestsPath', `${address}${join(suite, 'index.js')}`],
        ['skipWelcome', 'true'],
        ['skipReleaseNotes', 'true'],
    ];
    await page.goto(`http://${workbench.host}/?folder=${project}&payload=${encodeURIComponent(JSON.stringify(payload))}`, { timeout: 120_000 });
    const code = await Promise.race([ended, new Promise((finish) => setTimeout(() => finish(`nothing after ${minutes} minutes`), minutes * 60_000))]);
    if (existsSync(report)) {
        const { tests, stats, failures } = JSON.parse(readFileSync(report, 'utf8'));
        for (const { title, err, duration } of tests) {
            if (err?.message === undefined) console.log(`ok   host: ${title}${duration > 1000 ? ` (${(duration / 1000).toFixed(1)} s)` : ''}`);
            else console.log(`FAIL host: ${title}\n  ${err.message}\n${err.stack ?? ''}`);
        }
        // A hook that fails is not a test.
        for (const { title, err } of failures.filter(({ title }) => /^"(?:before|after)/.test(title))) console.log(`FAIL host: ${title}\n  ${err.message}`);
        failed = code !== 0 || stats.failures > 0 || stats.tests === 0;
    } else {
        console.log(`FAIL host: the suite did not report (${String(code)})\n${noted.slice(-30).join('\n')}`);
        await page.screenshot({ path: join(data, 'host.png') });
    }
} finally {
    await browser.close();
    await workbench.stop();
}
process.exit(failed ? 1 : 0);
