// Files of a folder by the file system of VS Code alone, within limits.

import type * as vscode from 'vscode';

/** The file system of VS Code, as far as it is used here. */
export type FileSystem = Pick<vscode.FileSystem, 'readDirectory' | 'readFile' | 'stat'>;

/** Limits of a search that opens one folder after the other. */
const MAX_FOLDERS = 2_000;
const MAX_SEARCH_TIME = 20_000;

/** The number of questions to the file system at a time. */
const PARALLEL = 8;

/** The number of arguments that a function call takes for sure. */
const MAX_ARGUMENTS = 8_192;

/** The files that a search has found. */
export interface Search {
    uris: vscode.Uri[];
    /** Whether there may be more. */
    more: boolean;
}

/** Opens the folders one after the other. Hidden ones and links to folders are left out. */
export async function walk(system: FileSystem, root: vscode.Uri, max: number, token: Pick<vscode.CancellationToken, 'isCancellationRequested'>): Promise<Search> {
    const end = Date.now() + MAX_SEARCH_TIME;
    const out: vscode.Uri[] = [];
    let folders = [root];
    for (let opened = 0; folders.length > 0; ) {
        const isOver = token.isCancellationRequested || Date.now() > end || out.length > max || opened >= MAX_FOLDERS;
        if (isOver) return { uris: out.slice(0, max), more: true };
        const next = folders.slice(0, PARALLEL);
        folders = folders.slice(PARALLEL);
        opened += next.length;
        const contents = await Promise.all(next.map(async (folder) => ({ folder, entries: await entriesOf(system, folder) })));
        for (const { folder, entries } of contents) {
            for (const [name, type] of entries) {
                if (name.startsWith('.')) continue;
                const uri = folder.with({ path: `${folder.path.replace(/\/$/, '')}/${name}` });
                if (isFile(type) && /\.ptx$/i.test(name)) out.push(uri);
                else if (isFolder(type)) folders.push(uri);
            }
        }
    }
    return { uris: out.slice(0, max), more: out.length > max };
}

/** `vscode.FileType.File`, `Directory`: as numbers, so that tests without VS Code can import this file. */
const FILE = 1;
const FOLDER = 2;

/** Whether it is a file, or a link to one. */
export function isFile(type: vscode.FileType): boolean {
    return (type & FILE) !== 0;
}

function isFolder(type: number): boolean {
    return type === FOLDER;
}

async function entriesOf(system: FileSystem, folder: vscode.Uri): Promise<[string, vscode.FileType][]> {
    try {
        return await system.readDirectory(folder);
    } catch {
        // It vanished, or may not be read.
        return [];
    }
}

/** Returns the bytes of a file as characters, `null` if it cannot be read or has more than `max` bytes. */
export async function readFile(system: FileSystem, uri: vscode.Uri, max: number): Promise<string | null> {
    try {
        if ((await system.stat(uri)).size > max) return null;
        const bytes = await system.readFile(uri);
        return bytes.length > max ? null : characters(bytes);
    } catch {
        return null;
    }
}

/** A character from U+0000 to U+00FF for each byte: the server decodes the text as it decodes files elsewhere. */
function characters(bytes: Uint8Array): string {
    const parts: string[] = [];
    for (let start = 0; start < bytes.length; start += MAX_ARGUMENTS) parts.push(String.fromCharCode(...bytes.subarray(start, start + MAX_ARGUMENTS)));
    return parts.join('');
}

/** Does work for each item, some at a time. */
export async function each<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
    const out: R[] = [];
    for (let start = 0; start < items.length; start += PARALLEL) out.push(...(await Promise.all(items.slice(start, start + PARALLEL).map(work))));
    return out;
}
