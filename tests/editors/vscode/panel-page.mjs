// The warp panel in a browser without VS Code. Builds the page, serves it with the extension's content policy and the
// variables of VS Code's own themes, and plays the host.

import { createRequire } from 'node:module';
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

export const EXTENSION = fileURLToPath(new URL('../../../editors/vscode/', import.meta.url));
const require = createRequire(`${EXTENSION}package.json`);
const { build } = require('esbuild');

const COMMON = {
    '--vscode-font-family': 'system-ui, "DejaVu Sans", sans-serif', '--vscode-font-size': '13px',
    '--vscode-editor-font-family': '"DejaVu Sans Mono", monospace', '--vscode-editor-font-size': '13px',
};

/** Theme variables of VS Code's default themes, as a webview receives them. */
export const THEMES = {
    dark: {
        class: 'vscode-dark',
        variables: {
            ...COMMON, '--vscode-editor-background': '#1f1f1f', '--vscode-editor-foreground': '#cccccc', '--vscode-descriptionForeground': '#9d9d9d',
            '--vscode-panel-border': '#2b2b2b', '--vscode-focusBorder': '#0078d4', '--vscode-errorForeground': '#f85149', '--vscode-editorError-foreground': '#f14c4c',
            '--vscode-editorWarning-foreground': '#cca700', '--vscode-textLink-foreground': '#4daafc', '--vscode-button-background': '#0078d4', '--vscode-button-foreground': '#ffffff',
            '--vscode-button-secondaryBackground': '#313131', '--vscode-button-secondaryForeground': '#cccccc', '--vscode-input-background': '#313131', '--vscode-input-foreground': '#cccccc',
            '--vscode-input-border': '#3c3c3c', '--vscode-input-placeholderForeground': '#989898', '--vscode-dropdown-background': '#313131', '--vscode-dropdown-foreground': '#cccccc',
            '--vscode-dropdown-border': '#3c3c3c', '--vscode-list-hoverBackground': '#2a2d2e', '--vscode-toolbar-hoverBackground': '#5a5d5e50',
            '--vscode-inputOption-activeBackground': '#2489db82', '--vscode-inputOption-activeForeground': '#ffffff', '--vscode-inputOption-activeBorder': '#2488db',
            '--vscode-charts-blue': '#3794ff', '--vscode-charts-green': '#89d185', '--vscode-charts-yellow': '#cca700', '--vscode-charts-orange': '#d18616', '--vscode-charts-purple': '#b180d7',
            '--vscode-editorGutter-modifiedBackground': '#0078d4', '--vscode-editorHoverWidget-background': '#202020', '--vscode-editorHoverWidget-foreground': '#cccccc',
            '--vscode-editorHoverWidget-border': '#454545', '--vscode-menu-background': '#1f1f1f', '--vscode-menu-foreground': '#cccccc', '--vscode-menu-selectionBackground': '#0078d4',
            '--vscode-menu-selectionForeground': '#ffffff', '--vscode-widget-shadow': '#0000005c', '--vscode-scrollbarSlider-background': '#79797966',
        },
    },
    light: {
        class: 'vscode-light',
        variables: {
            ...COMMON, '--vscode-editor-background': '#ffffff', '--vscode-editor-foreground': '#3b3b3b', '--vscode-descriptionForeground': '#3b3b3b',
            '--vscode-panel-border': '#e5e5e5', '--vscode-focusBorder': '#005fb8', '--vscode-errorForeground': '#c72e0f', '--vscode-editorError-foreground': '#e51400',
            '--vscode-editorWarning-foreground': '#bf8803', '--vscode-textLink-foreground': '#005fb8', '--vscode-button-background': '#005fb8', '--vscode-button-foreground': '#ffffff',
            '--vscode-button-secondaryBackground': '#e5e5e5', '--vscode-button-secondaryForeground': '#3b3b3b', '--vscode-input-background': '#ffffff', '--vscode-input-foreground': '#3b3b3b',
            '--vscode-input-border': '#cecece', '--vscode-input-placeholderForeground': '#767676', '--vscode-dropdown-background': '#ffffff', '--vscode-dropdown-foreground': '#3b3b3b',
            '--vscode-dropdown-border': '#cecece', '--vscode-list-hoverBackground': '#f2f2f2', '--vscode-toolbar-hoverBackground': '#b8b8b850',
            '--vscode-inputOption-activeBackground': '#bed6ed', '--vscode-inputOption-activeForeground': '#000000', '--vscode-inputOption-activeBorder': '#005fb8',
            '--vscode-charts-blue': '#1a85ff', '--vscode-charts-green': '#388a34', '--vscode-charts-yellow': '#bf8803', '--vscode-charts-orange': '#d18616', '--vscode-charts-purple': '#652d90',
            '--vscode-editorGutter-modifiedBackground': '#005fb8', '--vscode-editorHoverWidget-background': '#f8f8f8', '--vscode-editorHoverWidget-foreground': '#3b3b3b',
            '--vscode-editorHoverWidget-border': '#c8c8c8', '--vscode-menu-background': '#ffffff', '--vscode-menu-foreground': '#3b3b3b', '--vscode-menu-selectionBackground': '#005fb8',
            '--vscode-menu-selectionForeground': '#ffffff', '--vscode-widget-shadow': '#00000029', '--vscode-scrollbarSlider-background': '#64646466',
        },
    },
    contrast: {
        class: 'vscode-high-contrast',
        variables: {
            ...COMMON, '--vscode-editor-background': '#000000', '--vscode-editor-foreground': '#ffffff', '--vscode-descriptionForeground': '#ffffff', '--vscode-panel-border': '#6fc3df',
            '--vscode-contrastBorder': '#6fc3df', '--vscode-contrastActiveBorder': '#f38518', '--vscode-focusBorder': '#f38518', '--vscode-errorForeground': '#f48771', '--vscode-editorError-foreground': '#f48771',
            '--vscode-editorWarning-foreground': '#ffd370', '--vscode-textLink-foreground': '#21a6ff', '--vscode-button-background': '#000000', '--vscode-button-foreground': '#ffffff', '--vscode-button-border': '#6fc3df',
            '--vscode-button-secondaryBackground': '#000000', '--vscode-button-secondaryForeground': '#ffffff', '--vscode-input-background': '#000000', '--vscode-input-foreground': '#ffffff', '--vscode-input-border': '#6fc3df',
            '--vscode-input-placeholderForeground': '#c0c0c0', '--vscode-dropdown-background': '#000000', '--vscode-dropdown-foreground': '#ffffff', '--vscode-dropdown-border': '#6fc3df',
            '--vscode-charts-blue': '#21a6ff', '--vscode-charts-green': '#89d185', '--vscode-charts-yellow': '#ffd370', '--vscode-charts-orange': '#d18616', '--vscode-charts-purple': '#b180d7',
            '--vscode-editorHoverWidget-background': '#0c141f', '--vscode-editorHoverWidget-foreground': '#ffffff', '--vscode-editorHoverWidget-border': '#6fc3df',
            '--vscode-menu-background': '#000000', '--vscode-menu-foreground': '#ffffff', '--vscode-menu-border': '#6fc3df', '--vscode-inputOption-activeBorder': '#f38518', '--vscode-scrollbarSlider-background': '#6fc3df99',
        },
    },
};

let built;

/** The script and the stylesheet, built as in the extension's own build. */
async function buildPage() {
    built ??= build({
        absWorkingDir: EXTENSION, entryPoints: ['src/panel/webview/main.ts'], outfile: 'dist/webview.js', bundle: true, minify: true, platform: 'browser', format: 'iife',
        target: 'es2022', write: false, logLevel: 'silent',
    }).then(({ outputFiles }) => Object.fromEntries(outputFiles.map((file) => [file.path.split('.').at(-1), file.text])));
    return built;
}

function html(theme) {
    const { variables, class: class_ } = THEMES[theme];
    const style = Object.entries(variables).map(([name, value]) => `${name}: ${value}`).join('; ');
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>Warp</title>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'nonce-page'; script-src 'nonce-page'">
<style nonce="page">html { ${style} }</style><link rel="stylesheet" nonce="page" href="/webview.css">
<script nonce="page">window.sent = []; window.acquireVsCodeApi = () => ({ postMessage: (message) => { window.sent.push(message); void window.toHost(JSON.stringify(message)); }, setState: (state) => { window.kept = state; } });</script>
</head><body class="${class_}"><div id="root"></div><script nonce="page" src="/webview.js"></script></body></html>`;
}

/** Serves the page, and nothing else, on a free port. */
async function serve() {
    const { js, css } = await buildPage();
    const server = createServer((request, response) => {
        const path = new URL(request.url, 'http://localhost').pathname;
        const [type, body] = path === '/webview.js' ? ['text/javascript', js] : path === '/webview.css' ? ['text/css', css] : ['text/html', html(path.slice(1) || 'dark')];
        response.writeHead(200, { 'content-type': `${type}; charset=utf-8` });
        response.end(body);
    });
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    return server;
}

export async function launchBrowser() {
    const browser = await chromium.launch({
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', headless: true,
        args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
    });
    const server = await serve();
    return { browser, url: `http://127.0.0.1:${server.address().port}`, close: async () => { await browser.close(); server.close(); } };
}

/**
 * A page of the panel for a kernel of a document (`panel-server.mjs`). `answer(question, ask)` changes what the server
 * says: `ask` asks it. `tell(message)` sends a message of the host, `sent(type)` returns messages of the page. The panel
 * opens at the first step with columns of a fixed width, unless `step` or `preferences` say otherwise. With `step: null`
 * the panel chooses the step, with the editor's cursor in the line `cursor`.
 */
export async function openPanel(at, { document, entry, theme = 'dark', width = 1280, height = 860, answer = (question, ask) => ask(question), show = true, preferences = { width: 'normal' }, target = {}, forcedColors, step = 0, cursor = null, file = 'kernels/panel.ptx' }) {
    const context = await at.browser.newContext({ viewport: { width, height }, reducedMotion: 'reduce', ...(forcedColors ? { forcedColors: 'active' } : {}) });
    const page = await context.newPage();
    const errors = [];
    page.on('pageerror', (error) => errors.push(String(error)));
    page.on('console', (message) => {
        if (message.type() === 'error') errors.push(message.text());
    });
    const tell = (message) => page.evaluate((own) => { window.postMessage(own, '*'); }, message);
    const questions = [];
    let answering = answer;
    let open = true;
    let kernel = entry;
    const ask = (question) => document.answer(question, kernel);
    // The page may be closed while the server works.
    const reply = (message) => (open ? tell(message) : undefined);
    await page.exposeFunction('toHost', async (text) => {
        const message = JSON.parse(text);
        if (message.type === 'entry') kernel = message.entry;
        if (message.type !== 'ask') return;
        questions.push(message.question);
        try {
            await reply({ type: 'answer', id: message.id, body: (await answering(message.question, ask)) ?? null });
        } catch (refused) {
            await reply({ type: 'failure', id: message.id, message: refused.message, refusal: refused.refusal ?? null });
        }
    });
    document.onEvaluated((evaluated) => reply({ type: 'evaluated', evaluated }));
    await page.goto(`${at.url}/${theme}`);
    const panel = {
        page, errors, questions, tell,
        answerWith: (other) => { answering = other; },
        sent: (type) => page.evaluate((own) => window.sent.filter((message) => message.type === own), type),
        show: (own = {}) => tell({ type: 'show', target: { uri: document.uri, entry, ...target, ...own }, file, preferences, asked: Date.now(), step, cursor }),
        ready: () => page.waitForSelector('.row .cell'),
        /** Edits the document, of which the host tells the page. */
        edit: async (text) => {
            await tell({ type: 'edited' });
            await document.edit(text);
        },
        close: async () => {
            open = false;
            await context.close();
        },
    };
    if (show) {
        await panel.show();
        await panel.ready();
    }
    return panel;
}

export const axeSource = () => readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
