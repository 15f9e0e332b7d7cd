// Files for the server: in a browser the server has no file system, so it asks for the files of the workspace's folders.

import * as vscode from 'vscode';
import type { BaseLanguageClient, StaticFeature } from 'vscode-languageclient';
import { each, isFile, readFile, walk, type Search } from './walk';

interface FoundFile {
    uri: string;
    length: number;
    modified: number;
}

interface FoundFiles {
    files: FoundFile[];
    more: boolean;
}

/** Milliseconds after which the folders are opened while the search of VS Code has not answered. */
const SEARCH_HEAD_START = 2_000;

/** Announces that this client finds and reads files, and does so. */
export function supplyFiles(client: BaseLanguageClient): void {
    const feature: StaticFeature = {
        fillClientCapabilities(capabilities) {
            capabilities.experimental = { ...(capabilities.experimental as object | undefined), files: true };
        },
        initialize: () => undefined,
        getState: () => ({ kind: 'static' }),
        clear: () => undefined,
    };
    client.registerFeature(feature);
    client.onRequest('ptx-analyzer/findFiles', ({ folder, max }: { folder: string; max: number }, token: vscode.CancellationToken) =>
        findFiles(vscode.Uri.parse(folder, true), max, token),
    );
    client.onRequest('ptx-analyzer/readFile', async ({ uri, max }: { uri: string; max: number }) => {
        const file = vscode.Uri.parse(uri, true);
        // The server asks only for files that it was told of.
        const isOurs = vscode.workspace.getWorkspaceFolder(file) !== undefined;
        return { bytes: isOurs ? await readFile(vscode.workspace.fs, file, max) : null };
    });
}

async function findFiles(folder: vscode.Uri, max: number, token: vscode.CancellationToken): Promise<FoundFiles> {
    const ended = new vscode.CancellationTokenSource();
    const listening = token.onCancellationRequested(() => {
        ended.cancel();
    });
    try {
        const { uris, more } = await search(folder, max, ended.token);
        const files = await each(uris, async (uri): Promise<FoundFile | undefined> => {
            try {
                const { size, mtime, type } = await vscode.workspace.fs.stat(uri);
                return isFile(type) ? { uri: uri.toString(), length: size, modified: mtime } : undefined;
            } catch {
                return undefined;
            }
        });
        return { files: files.filter((file) => file !== undefined), more };
    } finally {
        listening.dispose();
        ended.cancel();
        ended.dispose();
    }
}

/**
 * Asks VS Code's search, which some file systems in browsers lack: then it finds nothing or does not answer. So the folders are
 * opened one after the other when it has not found anything within some time.
 */
async function search(folder: vscode.Uri, max: number, token: vscode.CancellationToken): Promise<Search> {
    const find = async (pattern: string, limit: number): Promise<vscode.Uri[]> =>
        vscode.workspace.findFiles(new vscode.RelativePattern(folder, pattern), '{**/.*,**/.*/**}', limit, token);
    const bySearch = async (): Promise<Search | undefined> => {
        const found = await find('**/*.[pP][tT][xX]', max + 1);
        // Where the search works it finds any file at all, unless the folder is empty.
        if (found.length === 0 && (await find('**/*', 1)).length === 0) return undefined;
        return { uris: found.slice(0, max), more: found.length > max };
    };
    const searched = bySearch().catch(() => undefined);
    const first = await Promise.race([searched, pause(SEARCH_HEAD_START)]);
    if (first) return first;
    const walked = walk(vscode.workspace.fs, folder, max, token);
    const answered = searched.then((found) => found ?? walked);
    return Promise.race([answered, walked]);
}

function pause(milliseconds: number): Promise<undefined> {
    return new Promise((resolve) => {
        setTimeout(() => {
            resolve(undefined);
        }, milliseconds);
    });
}
