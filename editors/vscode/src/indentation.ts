// Corrects the indentation of typed lines that VS Code indented before it had their tokens.
//
// VS Code applies a language's indentation rules only to lines that it has tokenized, and copies the indentation of the line above otherwise.
// A worker tokenizes: on a busy machine it is late, and a parameter list or a block then starts at the wrong column. When the keyboard
// rests, and before a file is saved, this class asks the server where those lines belong. It changes only white space in front of the first
// word. It leaves alone every line that the user has indented, and the line that the user is writing: VS Code loses characters that are typed
// into a line while an edit changes it (its EditContext learns of the edit a frame later).

import * as vscode from 'vscode';
import { DocumentRangeFormattingRequest, type FormattingOptions, type TextEdit } from 'vscode-languageclient/node';
import { SELECTOR, type Server } from './server';
import { TypedLines } from './typedLines';

/** The keyboard rests after this time without a change, in milliseconds. */
const REST_DELAY = 150;
/** Attempts to correct the same text: the editor may refuse edits, and the server may not answer. */
const MAX_ATTEMPTS = 5;

interface Watched {
    lines: TypedLines;
    timer: NodeJS.Timeout | undefined;
    /** Failed attempts to correct the present text. */
    failures: number;
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
                    event.waitUntil(this.#corrections(event.document, 'none').then((edits) => edits ?? []));
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
            // Undo and redo restore indentation that the user has accepted before.
            clearTimeout(watched?.timer);
            this.#documents.delete(document);
            return;
        }
        if (!watched) {
            watched = { lines: new TypedLines(), timer: undefined, failures: 0 };
            this.#documents.set(document, watched);
        }
        const { lines } = watched;
        lines.change(contentChanges, (line) => (line < document.lineCount ? document.lineAt(line).text : ''), Date.now());
        watched.failures = 0;
        this.#wait(document, watched);
    }

    #wait(document: vscode.TextDocument, watched: Watched): void {
        clearTimeout(watched.timer);
        if (watched.lines.lines.length > 0) watched.timer = setTimeout(() => void this.#correct(document), REST_DELAY);
    }

    #lines(document: vscode.TextDocument): number[] {
        const lines = this.#documents.get(document)?.lines.lines ?? [];
        return lines.filter((line) => line < document.lineCount);
    }

    /** Applies the corrections. A key that arrives first postpones them to the next rest. */
    async #correct(document: vscode.TextDocument): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        if (editor?.document !== document) return;
        const version = document.version;
        const edits = await this.#corrections(document, 'cursors');
        const watched = this.#documents.get(document);
        if (document.version !== version || !watched) return;
        if (edits !== undefined && (edits.length === 0 || (await apply(editor, edits)))) watched.lines.checked(Date.now());
        else if (++watched.failures < MAX_ATTEMPTS) this.#wait(document, watched);
    }

    /** The edits that the server wants, but for the lines with a cursor where those are spared; `undefined` if the request failed. */
    async #corrections(document: vscode.TextDocument, spared: 'cursors' | 'none'): Promise<vscode.TextEdit[] | undefined> {
        const { client } = this.server;
        const lines = this.#lines(document);
        const [first, last] = [lines[0], lines.at(-1)];
        if (!client?.isRunning() || first === undefined || last === undefined) return [];
        if (!vscode.workspace.getConfiguration('ptx-analyzer', document).get<boolean>('formatting.onType', true)) return [];
        const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
        const cursors = spared === 'cursors' ? (editor?.selections.map(({ active }) => active.line) ?? []) : [];
        const options: FormattingOptions = {
            tabSize: typeof editor?.options.tabSize === 'number' ? editor.options.tabSize : 4,
            insertSpaces: editor?.options.insertSpaces !== false,
        };
        const textDocument = { uri: client.code2ProtocolConverter.asUri(document.uri) };
        const range = client.code2ProtocolConverter.asRange(new vscode.Range(first, 0, last, document.lineAt(last).text.length));
        try {
            const edits = (await client.sendRequest(DocumentRangeFormattingRequest.type, { textDocument, range, options })) ?? [];
            return edits.flatMap((edit) => onlyIndentation(document, edit, lines)).filter((edit) => !cursors.includes(edit.range.start.line));
        } catch {
            // The server is stopping, or the text changed under the request.
            return undefined;
        }
    }
}

/** Applies edits; false if the text has changed meanwhile, for then VS Code refuses them. */
async function apply(editor: vscode.TextEditor, edits: vscode.TextEdit[]): Promise<boolean> {
    return editor.edit(
        (builder) => {
            for (const { range, newText } of edits) builder.replace(range, newText);
        },
        { undoStopBefore: false, undoStopAfter: false },
    );
}

/** The parts of an edit that change the indentation of these lines. */
function onlyIndentation(document: vscode.TextDocument, { range, newText }: TextEdit, lines: number[]): vscode.TextEdit[] {
    const wanted = newText.split(/\r?\n/);
    // An edit may span blank lines, but it must not add or remove a line.
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
        if (blanks.length < before.length && isCommentAboveLabel(document, line)) return [];
        return [new vscode.TextEdit(new vscode.Range(line, from + same, line, to), blanks.slice(same))];
    });
}

/**
 * Whether a line is a comment above a label or a guard. Such a comment may stand at the column of statements or at that of labels; the formatter
 * moves it with a label that has not been moved yet.
 */
function isCommentAboveLabel(document: vscode.TextDocument, line: number): boolean {
    const isComment = (text: string): boolean => /^\s*\/\//.test(text);
    if (!isComment(document.lineAt(line).text)) return false;
    let next = line + 1;
    while (next < document.lineCount && isComment(document.lineAt(next).text)) next++;
    return next < document.lineCount && /^\s*(?:@(?!@)|[A-Za-z_$%][\w$]*\s*:(?!:))/.test(document.lineAt(next).text);
}
