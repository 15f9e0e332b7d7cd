// Compares package.json with the rest of the repository: duplicated information must agree.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { COMMANDS } from '../src/commandNames';
import { ACTIONS } from '../src/panel/messages';
import { UNAVAILABLE } from '../src/web/unavailable';
import { repository } from './lsp';

interface Manifest {
    version: string;
    contributes: {
        commands: { command: string }[];
        menus: Record<string, { command: string; when: string }[]>;
        debuggers: { when: string }[];
        keybindings: { command: string; when?: string }[];
        configuration: { properties: Record<string, { scope?: string }> }[];
        semanticTokenTypes: { id: string }[];
        semanticTokenModifiers: { id: string }[];
        semanticTokenScopes: { scopes: Record<string, string[]> }[];
        walkthroughs: { steps: { description: string; media: { image?: string; markdown?: string } }[] }[];
    };
    capabilities: { untrustedWorkspaces: { restrictedConfigurations: string[] } };
}

const text = readFileSync('package.json', 'utf8');
const manifest = JSON.parse(text) as Manifest;
const { contributes } = manifest;
const settings = Object.assign({}, ...contributes.configuration.map(({ properties }) => properties)) as Record<string, { scope?: string }>;

test('the settings are those of docs/settings.schema.json', () => {
    execFileSync(process.execPath, ['scripts/settings.mjs', '--check'], { stdio: 'pipe' });
    const schema = JSON.parse(readFileSync(join(repository, 'docs/settings.schema.json'), 'utf8')) as { properties: object };
    for (const name of Object.keys(schema.properties)) assert.ok(name in settings, name);
});

test('a project cannot choose which program runs', () => {
    const programs = Object.keys(settings).filter((name) => /^ptx-analyzer\.(?:server|ptxas|nvdisasm)\./.test(name));
    assert.ok(programs.length >= 5);
    assert.deepEqual([...manifest.capabilities.untrustedWorkspaces.restrictedConfigurations].sort(), programs.sort());
    for (const name of programs) assert.equal(settings[name]?.scope, 'machine', name);
});

test('every command that is contributed or bound exists, and every one that a user may run is contributed', () => {
    const panel = [...ACTIONS, 'nextAtCursor', 'previousAtCursor'].map((action) => `ptx.warp.${action}`);
    const known = new Set<string>([...Object.values(COMMANDS), ...panel]);
    const contributed = new Set(contributes.commands.map(({ command }) => command));
    const mentioned = [...Object.values(contributes.menus).flat(), ...contributes.keybindings];
    // Tab in the suggestion list is a command of the editor itself.
    const own = new Set([...contributed, 'focusAndAcceptSuggestion']);
    for (const { command } of mentioned) assert.ok(own.has(command), `${command} is not contributed`);
    for (const command of contributed) assert.ok(known.has(command), `${command} is not in commandNames.ts`);
    for (const command of known) {
        if (command.startsWith('ptx.')) assert.ok(contributed.has(command), `${command} cannot be found by a user`);
    }
});

test('a browser shows no command that does not work there', () => {
    const elsewhere = /^false$|\(!isWeb \|\| remoteName\)$/;
    for (const command of Object.keys(UNAVAILABLE)) {
        assert.ok(contributes.menus['commandPalette']?.some((item) => item.command === command), `the palette always shows ${command}`);
    }
    for (const { command, when } of Object.values(contributes.menus).flat()) {
        if (command in UNAVAILABLE) assert.match(when, elsewhere, command);
        else assert.doesNotMatch(when, /isWeb/, command);
    }
    for (const { when } of contributes.debuggers) assert.match(when, elsewhere);
});

test('no key is taken from other languages', () => {
    for (const { when } of contributes.keybindings) assert.match(when ?? '', /editorLangId == ptx|[Pp]tx/);
});

test('semantic tokens that the protocol does not know are declared and have scopes', () => {
    const page = readFileSync(join(repository, 'docs/semantic-tokens.md'), 'utf8');
    const own = [...page.matchAll(/^\| \*\*`(\w+)`\*\*/gm)].map(([, kind]) => kind);
    assert.ok(own.length > 0);
    assert.deepEqual(contributes.semanticTokenTypes.map(({ id }) => id).sort(), own.sort());
    const scopes = contributes.semanticTokenScopes[0]?.scopes ?? {};
    for (const kind of own) assert.ok(kind !== undefined && kind in scopes, kind);
    const modifiers = page.slice(page.indexOf('| modifier |'));
    for (const { id } of contributes.semanticTokenModifiers) assert.ok(modifiers.includes(`\`${id}\``), id);
});

test('the walkthrough names files and commands that are there', () => {
    for (const { steps } of contributes.walkthroughs) {
        for (const { media, description } of steps) {
            // Packaging copies pictures from the documentation.
            const picture = media.image?.replace('walkthrough/', join(repository, 'docs/editors/pictures/vscode-'));
            const file = picture ?? media.markdown;
            assert.ok(file !== undefined && existsSync(file), file);
            for (const [, command] of description.matchAll(/\(command:(ptx\.\w+)\)/g)) {
                assert.ok((Object.values(COMMANDS) as string[]).includes(command ?? ''), command);
            }
        }
    }
});

test('the lock file names no registry but the public one', () => {
    const lock = readFileSync('package-lock.json', 'utf8');
    for (const [, host] of lock.matchAll(/"resolved": "https?:\/\/([^/"]+)/g)) assert.equal(host, 'registry.npmjs.org');
});

test('extension and server are of one version', () => {
    const cargo = readFileSync(join(repository, 'Cargo.toml'), 'utf8');
    assert.equal(manifest.version, /^version = "([^"]+)"/m.exec(cargo)?.[1]);
});
