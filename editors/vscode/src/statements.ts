// Statements with PTX as kernels of their own: read-only documents, which the server makes from files of other languages. They
// are never dirty and never saved. VS Code reads one again after its tab was closed, or the window was reloaded.

import * as vscode from 'vscode';
import { SERVER_COMMANDS } from './commandNames';
import { executeCommand } from './requests';
import { messageOf, plain, type Server } from './server';
import { STATEMENT_SCHEME, statementAddress, statementPlace } from './text';

interface StatementKernel {
    /** A name for the document: the file and the line of the statement. */
    name: string;
    text: string;
    /** The line of the statement's first instruction in the kernel, from 0. */
    line: number;
}

export interface StatementDocument {
    document: vscode.TextDocument;
    /** The line of the statement's first instruction, from 0. */
    line: number;
}

interface Text {
    bytes: Uint8Array;
    text: string;
    changed: number;
}

/** Milliseconds that VS Code may take to read a changed text. */
const READ_TIMEOUT = 5000;

/** A read-only file system whose files are statements. */
export class Statements implements vscode.FileSystemProvider, vscode.Disposable {
    /** The texts of open documents: a document stays the statement that it was, wherever that moves in its file. */
    readonly #texts = new Map<string, Text>();
    readonly #changed = new vscode.EventEmitter<vscode.FileChangeEvent[]>();
    // The registration reads it.
    readonly onDidChangeFile = this.#changed.event;
    readonly #disposables = [
        this.#changed,
        vscode.workspace.registerFileSystemProvider(STATEMENT_SCHEME, this, { isReadonly: true }),
        vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
    ];

    constructor(private readonly inline: Server) {}

    /** Makes a kernel of the statement at a line (from 0) of a document, and opens it without showing it. */
    async open(uri: string, line: number): Promise<StatementDocument> {
        const kernel = await this.#kernel(uri, line);
        const { path, query } = statementAddress(vscode.Uri.parse(uri).path, kernel.name, { uri, line });
        const address = vscode.Uri.from({ scheme: STATEMENT_SCHEME, path, query });
        this.#keep(address, kernel.text);
        // The document may be open with the text of an earlier evaluation.
        this.#changed.fire([{ type: vscode.FileChangeType.Changed, uri: address }]);
        const document = await vscode.workspace.openTextDocument(address);
        await hasText(document, kernel.text);
        return { document, line: kernel.line };
    }

    async stat(address: vscode.Uri): Promise<vscode.FileStat> {
        const { bytes, changed } = await this.#text(address);
        return { type: vscode.FileType.File, ctime: 0, mtime: changed, size: bytes.length, permissions: vscode.FilePermission.Readonly };
    }

    async readFile(address: vscode.Uri): Promise<Uint8Array> {
        return (await this.#text(address)).bytes;
    }

    watch(): vscode.Disposable {
        return new vscode.Disposable(() => undefined);
    }

    readDirectory(): [string, vscode.FileType][] {
        return [];
    }

    createDirectory(address: vscode.Uri): void {
        throw vscode.FileSystemError.NoPermissions(address);
    }

    writeFile(address: vscode.Uri): void {
        throw vscode.FileSystemError.NoPermissions(address);
    }

    delete(address: vscode.Uri): void {
        throw vscode.FileSystemError.NoPermissions(address);
    }

    rename(address: vscode.Uri): void {
        throw vscode.FileSystemError.NoPermissions(address);
    }

    #keep(address: vscode.Uri, text: string): Text {
        const key = address.toString();
        const before = this.#texts.get(key);
        if (before?.text === text) return before;
        const now = { text, bytes: new TextEncoder().encode(text), changed: Math.max(Date.now(), (before?.changed ?? 0) + 1) };
        this.#texts.set(key, now);
        return now;
    }

    /** The text of a document; made again if its tab was closed, or the window was reloaded. */
    async #text(address: vscode.Uri): Promise<Text> {
        const known = this.#texts.get(address.toString());
        if (known !== undefined) return known;
        const place = statementPlace(address.query);
        if (place === undefined) throw vscode.FileSystemError.FileNotFound(address);
        try {
            return this.#keep(address, (await this.#kernel(place.uri, place.line)).text);
        } catch (error) {
            throw vscode.FileSystemError.Unavailable(plain(messageOf(error)));
        }
    }

    async #kernel(uri: string, line: number): Promise<StatementKernel> {
        // The server knows only open documents.
        await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
        await this.inline.ensure();
        return executeCommand<StatementKernel>(this.inline.client, SERVER_COMMANDS.inlineKernel, [{ uri, line }]);
    }

    dispose(): void {
        this.#disposables.forEach((disposable) => {
            disposable.dispose();
        });
    }
}

/** Waits until a document has a text. */
async function hasText(document: vscode.TextDocument, text: string): Promise<void> {
    if (document.getText() === text) return;
    await new Promise<void>((resolve) => {
        const finish = (): void => {
            clearTimeout(timer);
            listening.dispose();
            resolve();
        };
        const timer = setTimeout(finish, READ_TIMEOUT);
        const listening = vscode.workspace.onDidChangeTextDocument((event) => {
            if (event.document === document && document.getText() === text) finish();
        });
    });
}
