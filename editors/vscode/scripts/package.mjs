// Makes a package (VSIX) of the extension.
//
//   npm run package                             without a server: it is looked for on PATH, or named by a setting
//   npm run package -- --target linux-x64       with the server for that platform: PTX_ANALYZER, or target/release/ptx-analyzer
//   npm run package -- --target web             for VS Code for the Web, with the server of server/web/dist
//   npm run package -- … --out FILE             under another name
import { spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { EXECUTABLE_KINDS, executableKind } from './executable.mjs';

const here = fileURLToPath(new URL('..', import.meta.url));
const repository = resolve(here, '../..');
process.chdir(here);

const { values } = parseArgs({ options: { target: { type: 'string' }, out: { type: 'string' } } });
const manifest = JSON.parse(readFileSync('package.json', 'utf8'));
const name = ['ptx-analyzer', values.target, manifest.version].filter(Boolean).join('-');
const out = resolve(values.out ?? `${name}.vsix`);

function fail(message) {
    console.error(`package: ${message}`);
    process.exit(1);
}

function run(file, args) {
    const { status } = spawnSync(process.execPath, [file, ...args], { stdio: 'inherit' });
    if (status !== 0) fail(`${file} failed`);
}

function addServer(target) {
    const windows = target.startsWith('win32');
    const file = process.env.PTX_ANALYZER ?? join(repository, 'target/release', windows ? 'ptx-analyzer.exe' : 'ptx-analyzer');
    if (!existsSync(file)) fail(`there is no server at ${file}: cargo build --release, or set PTX_ANALYZER`);
    const kind = executableKind(readFileSync(file));
    if (kind !== EXECUTABLE_KINDS[target]) fail(`${file} is ${kind ? `a program for ${kind}` : 'no program that VS Code runs'}, not one for ${target}`);
    const copy = join('server', windows ? 'ptx-analyzer.exe' : 'ptx-analyzer');
    mkdirSync('server', { recursive: true });
    copyFileSync(file, copy);
    chmodSync(copy, 0o755);
    // Symbols are useless to users. Programs built by server/cli/dist have none. If `strip` is missing or is for
    // another platform, they stay.
    if (target.startsWith('linux')) spawnSync('strip', [copy], { stdio: 'ignore' });
}

/** Adds the server for browsers. */
function addModule() {
    const file = join(repository, 'server/web/dist/ptx-analyzer.wasm');
    if (!existsSync(file)) fail(`there is no server at ${file}: server/web/build.sh`);
    if (readFileSync(file).subarray(0, 4).toString('hex') !== '0061736d') fail(`${file} is not a WebAssembly module`);
    mkdirSync('server', { recursive: true });
    copyFileSync(file, 'server/ptx-analyzer.wasm');
}

/** The Rust target of each VS Code platform; it determines which crates are in the server. */
const TRIPLES = {
    'linux-x64': 'x86_64-unknown-linux-gnu',
    'linux-arm64': 'aarch64-unknown-linux-gnu',
    'alpine-x64': 'x86_64-unknown-linux-musl',
    'alpine-arm64': 'aarch64-unknown-linux-musl',
    'darwin-x64': 'x86_64-apple-darwin',
    'darwin-arm64': 'aarch64-apple-darwin',
    'win32-x64': 'x86_64-pc-windows-msvc',
    'win32-arm64': 'aarch64-pc-windows-msvc',
    web: 'wasm32-unknown-unknown',
};

/** The licences of the crates in the server. */
function crates(target) {
    if (!TRIPLES[target]) fail(`there is no platform ${target}; they are ${Object.keys(TRIPLES).join(', ')}`);
    const script = join(repository, 'server/cli/dist/third_parties.py');
    const { status, stdout, error } = spawnSync(process.platform === 'win32' ? 'python' : 'python3', [script, ...(target === 'web' ? ['--package', 'ptx-web'] : []), TRIPLES[target]], {
        encoding: 'utf8',
        maxBuffer: 1 << 26,
        stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (status !== 0) fail(`${script} failed: ${error ?? `status ${status}`}`);
    return stdout;
}

/** The licences of the packages in the bundles and in the server, as these licences require. */
function thirdParties(target) {
    const packages = new Set();
    for (const meta of readdirSync('dist').filter((file) => file.endsWith('.meta.json'))) {
        for (const input of Object.keys(JSON.parse(readFileSync(join('dist', meta), 'utf8')).inputs)) {
            const found = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(input);
            if (found) packages.add(found[1]);
        }
        rmSync(join('dist', meta));
    }
    const parts = [...packages].sort().map((folder) => {
        const { name: of, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
        const text = readdirSync(folder).find((file) => /^licen[cs]e/i.test(file));
        if (!text) fail(`${folder} has no licence to pass on`);
        return `${of} ${version} (${license})\n\n${readFileSync(join(folder, text), 'utf8').trim()}\n`;
    });
    const text = `This extension contains:\n\n${parts.join(`\n${'-'.repeat(78)}\n\n`)}`;
    writeFileSync('THIRD-PARTY.txt', target ? `${text}\n${'='.repeat(78)}\n\n${crates(target)}` : text);
}

/** Copies the pictures of the walkthrough from the documentation; the tests generate them. */
function pictures() {
    const images = manifest.contributes.walkthroughs.flatMap(({ steps }) => steps.flatMap(({ media }) => media.image ?? []));
    for (const image of images) copyFileSync(join(repository, 'docs/editors/pictures', `vscode-${basename(image)}`), image);
}

rmSync('dist', { recursive: true, force: true });
rmSync('server', { recursive: true, force: true });
run('esbuild.mjs', ['--meta']);
thirdParties(values.target);
writeFileSync('LICENSE.txt', ['LICENSE-MIT', 'LICENSE-APACHE'].map((file) => readFileSync(join(repository, file), 'utf8')).join(`\n${'-'.repeat(78)}\n\n`));
pictures();
if (values.target === 'web') addModule();
else if (values.target) addServer(values.target);
// Without the module, the worker is useless.
if (values.target !== 'web') rmSync('dist/worker.js');
const vsce = join(dirname(createRequire(import.meta.url).resolve('@vscode/vsce/package.json')), 'vsce');
run(vsce, ['package', '--no-dependencies', ...(values.target ? ['--target', values.target] : []), '--out', out]);
console.log(`${out}: ${(statSync(out).size / 1024 / 1024).toFixed(1)} MB`);
