// The indentation of lines that were typed, where VS Code left them too far left or right.
//
// VS Code applies the indentation rules of a language only to lines whose tokens are there, and copies the indentation of the line above
// otherwise. Its tokens come from a worker: on a busy machine they are late, and a parameter list or a block then stands at the wrong column.
// So as soon as the keyboard rests, and before a file is saved, the server says where these lines belong. Only white space in front of their
// first word changes, never on the line that is being written, and never where the user has indented by hand.

import * as vscode from 'vscode';
import { DocumentOnTypeFormattingRequest, DocumentRangeFormattingRequest, type FormattingOptions, type TextEdit } from 'vscode-languageclient/node';
import { SELECTOR, type Server } from './server';
import { TypedLines } from './typedLines';

/** So long without a change, in milliseconds, and the keyboard rests. */
const REST = 150;
/** So often the same text is tried: an editor that takes no edits, or a server that does not answer, is not asked for ever. */
const MOST_TRIES = 5;

interface Watched {
    lines: TypedLines;
    timer: NodeJS.Timeout | undefined;
    /** How often this text was tried in vain. */
    tries: number;
}

export class Indentation implements vscode.Disposable {
    readonly #documents = new Map<vscode.TextDocument, Watched>();
    readonly #subscriptions: vscode.Disposable[];

    constructor(private readonly server: Server) {
        this.#subscriptions = [
            vscode.workspace.onDidChangeTextDocument((event) => {
                this.#changed(event);
            }),
            vscode.workspace.onDidCloseTextDocument((document) => {
                clearTimeout(this.#documents.get(document)?.timer);
                this.#documents.delete(document);
            }),
            vscode.workspace.onWillSaveTextDocument((event) => {
                if (event.reason === vscode.TextDocumentSaveReason.Manual && this.#lines(event.document).length > 0) {
                    event.waitUntil(this.#corrections(event.document).then((edits) => edits ?? []));
                }
            }),
        ];
    }

    dispose(): void {
        for (const { timer } of this.#documents.values()) clearTimeout(timer);
        this.#documents.clear();
        this.#subscriptions.forEach((subscription) => {
            subscription.dispose();
        });
    }

    #changed({ document, contentChanges, reason }: vscode.TextDocumentChangeEvent): void {
        if (contentChanges.length === 0 || vscode.languages.match(SELECTOR, document) === 0) return;
        let watched = this.#documents.get(document);
        if (reason !== undefined) {
            // Undo and redo bring back what was wanted before.
            clearTimeout(watched?.timer);
            this.#documents.delete(document);
            return;
        }
        if (!watched) {
            watched = { lines: new TypedLines(), timer: undefined, tries: 0 };
            this.#documents.set(document, watched);
        }
        const { lines } = watched;
        lines.change(contentChanges, (line) => (line < document.lineCount ? document.lineAt(line).text : ''), Date.now());
        watched.tries = 0;
        this.#wait(document, watched);
    }

    #wait(document: vscode.TextDocument, watched: Watched): void {
        clearTimeout(watched.timer);
        if (watched.lines.lines.length > 0) watched.timer = setTimeout(() => void this.#correct(document), REST);
    }

    #lines(document: vscode.TextDocument): number[] {
        const lines = this.#documents.get(document)?.lines.lines ?? [];
        return lines.filter((line) => line < document.lineCount);
    }

    /** Applies the corrections. Where keys come first, the next rest does it. */
    async #correct(document: vscode.TextDocument): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        if (editor?.document !== document) return;
        const version = document.version;
        const edits = await this.#corrections(document);
        const watched = this.#documents.get(document);
        if (document.version !== version || !watched) return;
        if (edits !== undefined && (edits.length === 0 || (await apply(editor, edits)))) watched.lines.checked(Date.now());
        else if (++watched.tries < MOST_TRIES) this.#wait(document, watched);
    }

    /** Where the lines belong; nothing if the server did not say. */
    async #corrections(document: vscode.TextDocument): Promise<vscode.TextEdit[] | undefined> {
        const { client } = this.server;
        const lines = this.#lines(document);
        const [first, last] = [lines[0], lines.at(-1)];
        if (!client?.isRunning() || first === undefined || last === undefined) return [];
        if (!vscode.workspace.getConfiguration('ptx-analyzer', document).get<boolean>('formatting.onType', true)) return [];
        const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
        const cursors = editor?.selections.map(({ active }) => active) ?? [];
        const options: FormattingOptions = {
            tabSize: typeof editor?.options.tabSize === 'number' ? editor.options.tabSize : 4,
            insertSpaces: editor?.options.insertSpaces !== false,
        };
        const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri) };
        const wanted: TextEdit[] = [];
        try {
            const range = client.code2ProtocolConverter.asRange(new vscode.Range(first, 0, last, document.lineAt(last).text.length));
            const finished = await client.sendRequest(DocumentRangeFormattingRequest.type, { textDocument, range, options });
            const ends = (finished ?? []).filter(({ range: { start, end } }) => !cursors.some(({ line }) => start.line <= line && line <= end.line));
            wanted.push(...ends);
            for (const cursor of cursors) {
                // On a line without a word yet: where the next statement would begin.
                if (!lines.includes(cursor.line) || document.lineAt(cursor.line).text.trim() !== '') continue;
                const begun = await client.sendRequest(DocumentOnTypeFormattingRequest.type, { textDocument, position: cursor, ch: '\n', options });
                wanted.push(...(begun ?? []).filter(({ range: { start } }) => start.line === cursor.line));
            }
        } catch {
            // The server is stopping, or the text changed under the request.
            return undefined;
        }
        return wanted.flatMap((edit) => onlyIndentation(document, edit, lines));
    }
}

/** Whether VS Code took the edits: it refuses them where the text has changed meanwhile. */
async function apply(editor: vscode.TextEditor, edits: vscode.TextEdit[]): Promise<boolean> {
    return editor.edit(
        (builder) => {
            for (const { range, newText } of edits) {
                // An insertion moves a cursor that stands there, a replacement would not.
                if (range.isEmpty) builder.insert(range.start, newText);
                else builder.replace(range, newText);
            }
        },
        { undoStopBefore: false, undoStopAfter: false },
    );
}

/** The parts of an edit that move the first words of these lines, or empty those without one. */
function onlyIndentation(document: vscode.TextDocument, { range, newText }: TextEdit, lines: number[]): vscode.TextEdit[] {
    const wanted = newText.split(/\r?\n/);
    // An edit may reach over blank lines. Line ends neither come nor go.
    if (wanted.length !== range.end.line - range.start.line + 1) return [];
    return wanted.flatMap((blanks, i) => {
        const line = range.start.line + i;
        if (!lines.includes(line) || !/^[ \t]*$/.test(blanks)) return [];
        const { text, firstNonWhitespaceCharacterIndex: first } = document.lineAt(line);
        const from = i === 0 ? range.start.character : 0;
        const to = line === range.end.line ? range.end.character : text.length;
        if (to > first) return [];
        const before = text.slice(from, to);
        let same = 0;
        while (same < before.length && before[same] === blanks[same]) same++;
        if (same === before.length && same === blanks.length) return [];
        return [new vscode.TextEdit(new vscode.Range(line, from + same, line, to), blanks.slice(same))];
    });
}
