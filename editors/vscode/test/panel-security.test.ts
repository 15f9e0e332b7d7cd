// The permissions of the panel's page. It must not parse any text as HTML or as a script, because names, values and
// messages come from documents.
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

function sources(folder: string): [string, string][] {
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
    return files.map((name) => [join(folder, name), readFileSync(join(folder, name), 'utf8')]);
}

test('the content policy allows what has its nonce, and nothing else', () => {
    const page = readFileSync('src/panel/host/page.ts', 'utf8');
    const policy = /const policy = `([^`]*)`/.exec(page)?.[1];
    assert.ok(policy !== undefined);
    const directives = policy.split(';').map((part) => part.trim()).filter((part) => part !== '');
    const nonce = "'nonce-${nonce}'";
    assert.deepEqual(directives.sort(), ["base-uri 'none'", "default-src 'none'", "form-action 'none'", `script-src ${nonce}`, `style-src ${nonce}`]);
    assert.match(page, /const nonce = randomName\(\)/);
    assert.match(page, /crypto\.getRandomValues\(new Uint8Array\(16\)\)/);
    assert.match(page, /<meta http-equiv="Content-Security-Policy" content="\$\{policy\}">/);
    // Each page has a new nonce, so the function that creates the page must create it.
    assert.ok(page.indexOf('const nonce = randomName()') > page.indexOf('export async function page('));
    // Every script and stylesheet of the page has the nonce, and no element has an inline handler or style.
    assert.equal([...page.matchAll(/<(script|style)\b/g)].length, [...page.matchAll(/<(script|style) nonce="\$\{nonce\}">/g)].length);
    assert.doesNotMatch(page, /\s(on\w+|style)=|https?:\/\//);
});

test('the page reaches no file of the computer', () => {
    const host = sources('src/panel/host').map(([, text]) => text).join('\n');
    assert.match(host, /localResourceRoots: \[\]/);
    assert.doesNotMatch(host, /asWebviewUri|enableCommandUris/);
});

test('no text becomes HTML or a script', () => {
    const sinks = /\b(innerHTML|outerHTML|insertAdjacentHTML|srcdoc|DOMParser|createContextualFragment|setHTMLUnsafe|parseHTMLUnsafe|importScripts)\b|document\.write|\beval\(|new Function\b|setAttribute\(\s*'(on|style|href|src)|set(Timeout|Interval)\(\s*['"`]/;
    const found = sources('src/panel');
    assert.ok(found.length > 10, String(found.length));
    for (const [name, text] of found) assert.doesNotMatch(text, sinks, name);
});

test('Markdown that the extension shows runs no command but Explain and holds no HTML', () => {
    const allowed = 'isTrusted: { enabledCommands: [SERVER_COMMANDS.explain] }';
    for (const [name, text] of sources('src')) {
        assert.doesNotMatch(text.replace(allowed, ''), /\.isTrusted = |isTrusted: (true|\{)|supportHtml/, name);
    }
});
