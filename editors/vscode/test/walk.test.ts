// Finding and reading files in a file system that only lists and reads, as in VS Code for the Web.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type * as vscode from 'vscode';
import { readFile, walk, type FileSystem } from '../src/web/walk';

const FILE = 1;
const FOLDER = 2;
const LINK = 64;

/** As much of a URI as is needed. */
function uriOf(path: string): vscode.Uri {
    return { path, with: ({ path: other }: { path: string }) => uriOf(other) } as unknown as vscode.Uri;
}

/** A file system with these entries: text, or the type of an entry without any. */
function system(entries: Record<string, string | Uint8Array | number>, onOpen: () => void = () => undefined): FileSystem {
    const bytesOf = (path: string): Uint8Array => {
        const entry = entries[path];
        if (entry === undefined || typeof entry === 'number') throw new Error(`${path} is not a file`);
        return typeof entry === 'string' ? new TextEncoder().encode(entry) : entry;
    };
    return {
        readDirectory: ({ path }) => {
            onOpen();
            if (entries[path] === 0) return Promise.reject(new Error('not readable'));
            const out = new Map<string, number>();
            const start = path.endsWith('/') ? path : `${path}/`;
            for (const [name, entry] of Object.entries(entries)) {
                if (!name.startsWith(start)) continue;
                const [first = '', ...rest] = name.slice(start.length).split('/');
                const type = typeof entry === 'number' ? entry : FILE;
                out.set(first, rest.length > 0 || type === 0 ? FOLDER : type);
            }
            return Promise.resolve([...out]);
        },
        readFile: ({ path }) => Promise.resolve(bytesOf(path)),
        stat: ({ path }) => Promise.resolve({ type: FILE, ctime: 0, mtime: 0, size: bytesOf(path).length }),
    };
}

const token = { isCancellationRequested: false };
const found = async (files: FileSystem, max = 100): Promise<[string[], boolean]> => {
    const { uris, more } = await walk(files, uriOf('/w'), max, token);
    return [uris.map(({ path }) => path).sort(), more];
};

test('PTX files of all folders are found, except hidden ones', async () => {
    const files = system({
        '/w/a.ptx': '', '/w/b.PTX': '', '/w/c.cu': '', '/w/.hidden.ptx': '', '/w/.git/d.ptx': '', '/w/deep/er/e.ptx': '', '/w/f.ptx': FOLDER,
        '/w/link': LINK | FOLDER, '/w/link.ptx': LINK | FILE, '/w/secret': 0, '/other/g.ptx': '',
    });
    assert.deepEqual(await found(files), [['/w/a.ptx', '/w/b.PTX', '/w/deep/er/e.ptx', '/w/link.ptx'], false]);
});

test('a search has limits', async () => {
    const many = system(Object.fromEntries(Array.from({ length: 30 }, (_, index) => [`/w/${index}.ptx`, ''])));
    assert.deepEqual((await found(many, 10)).map((part) => (Array.isArray(part) ? part.length : part)), [10, true]);
    assert.deepEqual((await found(many, 30)).map((part) => (Array.isArray(part) ? part.length : part)), [30, false]);
    // A folder that contains itself.
    let opened = 0;
    const endless = system({}, () => (opened += 1));
    endless.readDirectory = () => {
        opened += 1;
        return Promise.resolve([['again', FOLDER]]);
    };
    assert.deepEqual(await found(endless), [[], true]);
    assert.ok(opened >= 1_000 && opened <= 3_000, String(opened));
    const { more } = await walk(many, uriOf('/w'), 100, { isCancellationRequested: true });
    assert.equal(more, true);
});

test('each byte of a file is a character', async () => {
    const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => index % 256);
    const files = system({ '/w/a.ptx': bytes });
    const text = await readFile(files, uriOf('/w/a.ptx'), bytes.length);
    assert.deepEqual(Uint8Array.from(text ?? '', (character) => character.charCodeAt(0)), bytes);
    assert.equal(await readFile(files, uriOf('/w/a.ptx'), bytes.length - 1), null);
    assert.equal(await readFile(files, uriOf('/w/none.ptx'), 10), null);
});
