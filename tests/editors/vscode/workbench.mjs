// VS Code as a server with a browser as its client: starts it with an installed extension, opens it, ends it.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';

const program = process.env.VSCODE_SERVER ?? 'vscode-server';

/** Settings that turn off animations, prompts and network access. */
const SETTINGS = {
    'workbench.startupEditor': 'none',
    'workbench.tips.enabled': false,
    'workbench.editor.useModal': 'off',
    'workbench.secondarySideBar.defaultVisibility': 'hidden',
    'workbench.reduceMotion': 'on',
    'telemetry.telemetryLevel': 'off',
    'extensions.autoCheckUpdates': false,
    'extensions.autoUpdate': 'off',
    'extensions.ignoreRecommendations': true,
    'update.mode': 'none',
    'chat.disableAIFeatures': true,
    'editor.minimap.enabled': false,
    'editor.cursorBlinking': 'solid',
    'editor.fontFamily': 'DejaVu Sans Mono',
    'editor.fontSize': 13,
    'files.autoSave': 'off',
    'files.hotExit': 'off',
    'git.enabled': false,
    'npm.autoDetect': 'off',
    'typescript.disableAutomaticTypeAcquisition': true,
};

const BROWSER = {
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--force-color-profile=srgb'],
};

export function launchBrowser() {
    return chromium.launch(BROWSER);
}

/** A browser with a profile that lets frames of other origins have service workers, which webviews need. */
export function launchProfile(folder, options) {
    mkdirSync(join(folder, 'Default'), { recursive: true });
    writeFileSync(join(folder, 'Default', 'Preferences'), JSON.stringify({ profile: { block_third_party_cookies: false, cookie_controls_mode: 0 } }));
    return chromium.launchPersistentContext(folder, { ...BROWSER, ...options });
}

export function freePort() {
    return new Promise((resolve, reject) => {
        const probe = createServer();
        probe.once('error', reject);
        probe.listen(0, '127.0.0.1', () => {
            const { port } = probe.address();
            probe.close(() => resolve(port));
        });
    });
}

export async function until(what, seconds, look) {
    const end = Date.now() + seconds * 1000;
    for (;;) {
        const found = await look();
        if (found) return found;
        if (Date.now() > end) throw new Error(`waited ${seconds} s for ${what}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
    }
}

/**
 * A fresh VS Code in its own folder, with a VSIX installed. `settings` are added to the user's. With `trust`, VS Code
 * asks whether the folder is trusted, which is its default. The driver of VS Code's own tests runs suites, and hides
 * messages.
 */
export async function startWorkbench({ data, vsix, settings = {}, trust = false, driver = false, env = {} }) {
    rmSync(data, { recursive: true, force: true });
    const extensions = join(data, 'extensions');
    for (const place of ['Machine', 'User']) {
        mkdirSync(join(data, 'data', place), { recursive: true });
        writeFileSync(join(data, 'data', place, 'settings.json'), JSON.stringify({ ...SETTINGS, ...settings }));
    }
    mkdirSync(extensions, { recursive: true });
    const common = ['--server-data-dir', data, '--extensions-dir', extensions];
    const { stdout } = await promisify(execFile)(program, [...common, '--install-extension', vsix, '--force'], { maxBuffer: 1 << 24 });
    if (!/successfully installed/.test(stdout)) throw new Error(`the VSIX was not installed: ${stdout}`);
    const port = await freePort();
    const flags = ['--without-connection-token', '--host', '127.0.0.1', '--port', String(port), ...(driver ? ['--enable-smoke-test-driver'] : [])];
    const child = spawn(program, [...common, ...flags, ...(trust ? [] : ['--disable-workspace-trust'])], {
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, ...env },
    });
    const said = [];
    child.stdout.on('data', (text) => said.push(String(text)));
    child.stderr.on('data', (text) => said.push(String(text)));
    const host = `127.0.0.1:${port}`;
    const stop = async () => {
        // Kill the whole process group: the extension host and the language server are children of VS Code.
        try {
            process.kill(-child.pid, 'SIGTERM');
            await Promise.race([new Promise((resolve) => child.once('exit', resolve)), new Promise((resolve) => setTimeout(resolve, 3000))]);
            process.kill(-child.pid, 'SIGKILL');
        } catch {
            // It has already ended.
        }
    };
    try {
        await until('VS Code to listen', 60, async () => {
            if (child.exitCode !== null) throw new Error(`VS Code ended: ${said.join('')}`);
            return fetch(`http://${host}/version`).then((answer) => answer.ok, () => false);
        });
    } catch (error) {
        await stop();
        throw error;
    }
    /** Changes settings while VS Code runs; VS Code detects the change. */
    const now = { ...SETTINGS, ...settings };
    const change = (changes) => {
        Object.assign(now, changes);
        writeFileSync(join(data, 'data', 'Machine', 'settings.json'), JSON.stringify(now));
    };
    return { host, stop, said, extensions, change };
}
