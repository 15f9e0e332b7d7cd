// Builds the parts of the extension into dist/: the extension for Node.js and for a browser, the worker with the
// server for browsers, and the page of the warp panel.
//
//   node esbuild.mjs [--dev] [--watch] [--meta] [--tests]
//
// --dev keeps names and makes source maps, --watch builds again after every change, --meta writes the contents of each
// bundle beside it, --tests builds test/**/*.test.ts into out/ instead.
import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { build, context } from 'esbuild';

const asked = new Set(process.argv.slice(2));
const dev = asked.has('--dev') || asked.has('--watch');

const common = { bundle: true, minify: !dev, sourcemap: dev, logLevel: 'info', legalComments: 'none' };

const extension = {
    ...common,
    entryPoints: ['src/node/main.ts'],
    outfile: 'dist/extension.js',
    platform: 'node',
    format: 'cjs',
    target: 'node20',
    external: ['vscode'],
};

const inBrowser = { ...common, platform: 'browser', target: 'es2022' };

// The extension for VS Code for the Web.
const browser = {
    ...inBrowser,
    entryPoints: ['src/web/main.ts'],
    outfile: 'dist/browser.js',
    format: 'cjs',
    external: ['vscode'],
};

// VS Code loads workers as classic scripts.
const worker = {
    ...inBrowser,
    entryPoints: ['src/web/worker.ts'],
    outfile: 'dist/worker.js',
    format: 'iife',
};

// esbuild bundles the stylesheet that main.ts imports into dist/webview.css.
const webview = {
    ...inBrowser,
    entryPoints: ['src/panel/webview/main.ts'],
    outfile: 'dist/webview.js',
    format: 'iife',
};

const testFiles = (folder) =>
    readdirSync(folder, { recursive: true })
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => join(folder, file));

const tests = () => ({
    ...common,
    minify: false,
    sourcemap: 'inline',
    entryPoints: testFiles('test'),
    outdir: 'out/test',
    outbase: 'test',
    platform: 'node',
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    target: 'node20',
    packages: 'external',
    logLevel: 'warning',
});

const options = asked.has('--tests') ? [tests()] : [extension, browser, worker, webview];
for (const one of options) {
    rmSync(one.outdir ?? join('dist', basename(one.outfile)), { recursive: true, force: true });
}
if (asked.has('--watch')) {
    for (const one of options) await (await context(one)).watch();
} else {
    for (const one of options) {
        const { metafile } = await build({ ...one, metafile: asked.has('--meta') });
        if (metafile) writeFileSync(`${one.outfile}.meta.json`, JSON.stringify(metafile));
    }
}
