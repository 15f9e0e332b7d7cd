// The tree of the Test Explorer: files, their kernels, and the launches with expectations. The server lists the
// launches of a document; files of the workspace are only searched for the word, and opened when their tests are
// needed.

import * as vscode from 'vscode';
import { SERVER_COMMANDS } from '../commandNames';
import type { EntryLaunches, Launches, LaunchText } from '../protocol';
import { executeCommand } from '../requests';
import { schemes, type Server } from '../server';

/** A launch with expectations, as a test. */
export interface LaunchTest {
    entry: string;
    /** Index of the launch above the kernel. */
    number: number;
    /** The line of the first expectation, from 0. */
    line: number;
}

/** What a file with tests contains in any case. The server reads the lines. */
const EXPECTS = /\/\/!\s*expect\s*:/;
/** VS Code opens no document for extensions that is larger than this number of bytes. */
const MAX_BYTES = 50 << 20;
const MAX_FILES = 5000;
/** Milliseconds after an edit before the launches are requested again. */
const PAUSE = 400;

export class TestTree implements vscode.Disposable {
    readonly #launches = new WeakMap<vscode.TestItem, LaunchTest>();
    readonly #timers = new Map<string, ReturnType<typeof setTimeout>>();
    /** The number of the last request for each file, because answers may arrive late. */
    readonly #requests = new Map<string, number>();
    readonly #disposables: vscode.Disposable[];
    #watcher: vscode.FileSystemWatcher | undefined;

    constructor(
        private readonly controller: vscode.TestController,
        private readonly server: Server,
    ) {
        this.#disposables = [
            vscode.workspace.onDidOpenTextDocument((document) => void this.#update(document)),
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                if (contentChanges.length > 0 && served(document)) this.#edited(document);
            }),
            vscode.workspace.onDidCloseTextDocument(({ uri }) => {
                if (!vscode.workspace.getWorkspaceFolder(uri)) this.#remove(uri);
            }),
            server.onDidChangeState(({ kind }) => {
                if (kind === 'running') this.updateOpen();
            }),
        ];
        controller.resolveHandler = async (item) => {
            if (item?.uri) await this.update(item.uri);
            else await this.findFiles();
        };
        controller.refreshHandler = async (token) => {
            await this.findFiles(token);
            this.updateOpen();
        };
    }

    dispose(): void {
        this.#timers.forEach((timer) => {
            clearTimeout(timer);
        });
        vscode.Disposable.from(...this.#disposables).dispose();
        this.#watcher?.dispose();
    }

    /** The launch of an item; undefined for files and kernels. */
    launch(item: vscode.TestItem): LaunchTest | undefined {
        return this.#launches.get(item);
    }

    updateOpen(): void {
        vscode.workspace.textDocuments.forEach((document) => void this.#update(document));
    }

    /** Lists the files of the workspace that contain expectations, and watches for more. */
    async findFiles(token?: vscode.CancellationToken): Promise<void> {
        this.#watch();
        const found = await vscode.workspace.findFiles('**/*.ptx', undefined, MAX_FILES, token);
        for (const uri of found) {
            if (token?.isCancellationRequested) return;
            await this.#look(uri);
        }
    }

    /** Requests the launches of a file. Opens it if necessary, because the server reads open documents only. */
    async update(uri: vscode.Uri): Promise<vscode.TestItem | undefined> {
        const document = await vscode.workspace.openTextDocument(uri).then(
            (opened) => opened,
            () => undefined,
        );
        if (document) return this.#update(document);
        this.#remove(uri);
        return undefined;
    }

    #watch(): void {
        if (this.#watcher) return;
        this.#watcher = vscode.workspace.createFileSystemWatcher('**/*.ptx');
        this.#watcher.onDidCreate((uri) => this.#look(uri));
        this.#watcher.onDidChange((uri) => this.#look(uri));
        this.#watcher.onDidDelete((uri) => {
            this.#remove(uri);
        });
    }

    /** Adds or removes a file after a look at its text on disk. Its launches are found when they are needed. */
    async #look(uri: vscode.Uri): Promise<void> {
        if (vscode.workspace.textDocuments.some((document) => served(document) && document.uri.toString() === uri.toString())) return;
        try {
            const { size } = await vscode.workspace.fs.stat(uri);
            const text = size > MAX_BYTES ? '' : new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
            if (!EXPECTS.test(text)) this.#remove(uri);
            else if (this.controller.items.get(uri.toString())?.children.size) await this.update(uri);
            else this.#file(uri);
        } catch {
            // It has disappeared.
            this.#remove(uri);
        }
    }

    #edited(document: vscode.TextDocument): void {
        const key = document.uri.toString();
        clearTimeout(this.#timers.get(key));
        this.#timers.set(
            key,
            setTimeout(() => {
                this.#timers.delete(key);
                const item = this.controller.items.get(key);
                if (item) this.controller.invalidateTestResults(item);
                void this.#update(document);
            }, PAUSE),
        );
    }

    async #update(document: vscode.TextDocument): Promise<vscode.TestItem | undefined> {
        if (!served(document) || document.isClosed) return undefined;
        const { uri } = document;
        const key = uri.toString();
        const request = (this.#requests.get(key) ?? 0) + 1;
        this.#requests.set(key, request);
        if (!EXPECTS.test(document.getText())) {
            this.#remove(uri);
            return undefined;
        }
        if (this.server.state.kind !== 'running') return this.controller.items.get(key);
        try {
            const { entries } = await executeCommand<Launches>(this.server.client, SERVER_COMMANDS.launches, [{ uri: key }]);
            if (this.#requests.get(key) === request) this.#fill(uri, entries);
        } catch (error) {
            this.server.log.debug(`The launches of ${key}: ${String(error)}`);
        }
        return this.controller.items.get(key);
    }

    #fill(uri: vscode.Uri, entries: EntryLaunches[]): void {
        const kernels = entries.flatMap((entry) => {
            const launches = entry.launches.flatMap((launch, number) => (launch.expect.length > 0 ? [{ launch, number }] : []));
            return launches.length > 0 ? [{ entry, launches }] : [];
        });
        if (kernels.length === 0) {
            this.#remove(uri);
            return;
        }
        const file = this.#file(uri);
        file.canResolveChildren = false;
        file.children.replace(
            kernels.map(({ entry, launches }) => {
                const kernel = this.#child(file, entry.name, entry.name, entry.line, entry.line);
                kernel.children.replace(launches.map(({ launch, number }) => this.#launchItem(kernel, entry.name, launch, number)));
                return kernel;
            }),
        );
    }

    #file(uri: vscode.Uri): vscode.TestItem {
        const known = this.controller.items.get(uri.toString());
        if (known) return known;
        const item = this.controller.createTestItem(uri.toString(), vscode.workspace.asRelativePath(uri), uri);
        item.canResolveChildren = true;
        this.controller.items.add(item);
        return item;
    }

    #launchItem(kernel: vscode.TestItem, entry: string, { line, end_line, expect, text }: LaunchText, number: number): vscode.TestItem {
        const item = this.#child(kernel, `launch ${number}`, text === '' ? 'guessed launch' : text, line, end_line);
        item.description = `line ${line}`;
        this.#launches.set(item, { entry, number, line: (expect[0] ?? line) - 1 });
        return item;
    }

    /** A child of an item; an existing one is changed, so that it keeps its result. Lines count from 1. */
    #child(parent: vscode.TestItem, name: string, label: string, line: number, lastLine: number): vscode.TestItem {
        const id = `${parent.id} ${name}`;
        const item = parent.children.get(id) ?? this.controller.createTestItem(id, label, parent.uri);
        item.label = label;
        item.sortText = String(line).padStart(9, '0');
        item.range = new vscode.Range(line - 1, 0, lastLine - 1, 0);
        return item;
    }

    #remove(uri: vscode.Uri): void {
        this.controller.items.delete(uri.toString());
    }
}

/** Whether the server receives a document. */
function served({ languageId, uri }: vscode.TextDocument): boolean {
    return languageId === 'ptx' && schemes().includes(uri.scheme);
}
