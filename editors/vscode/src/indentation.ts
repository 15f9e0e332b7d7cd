// Corrects the indentation of typed lines that VS Code indented before it had their tokens.
//
// VS Code applies a language's indentation rules only to lines that it has tokenized, and copies the indentation of the line above otherwise.
// A worker tokenizes: on a busy machine it is late, and a parameter list or a block then starts at the wrong column. When the keyboard
// rests, and before a file is saved, this class asks the server where those lines belong. It changes only white space in front of the first
// word. It leaves alone every line that the user has indented, and the line that the user is writing: VS Code loses characters that are typed
// into a line while an edit changes it (its EditContext learns of the edit a frame later).

import * as vscode from 'vscode';
import { DocumentRangeFormattingRequest, type FormattingOptions, type TextEdit } from 'vscode-languageclient';
import { indentationOfComment, isCommentAboveLabel, type Lines } from './comments';
import { PTX_SERVER, type Server } from './server';
import { TypedLines } from './typedLines';

/** A pause in typing begins after this time without a change, in milliseconds. */
const REST_DELAY = 150;
/**
 * Maximum number of attempts to correct the same text: the editor may refuse edits, and a busy server may not answer.
 * The delay doubles after each attempt, up to 5 s.
 */
const MAX_ATTEMPTS = 6;

/** The lines that a correction leaves unchanged: those with a cursor, or none. */
type Spared = 'cursors' | 'none';

interface Watched {
    lines: TypedLines;
    timer: ReturnType<typeof setTimeout> | undefined;
    /** The correction in progress. */
    running: Promise<void> | undefined;
    /** Number of failed attempts to correct the current text. */
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
                // VS Code applies the edits of this event to the text at that time, even if a key or a correction in
                // progress has changed it meanwhile. So the save only waits for the correction.
                if (event.reason === vscode.TextDocumentSaveReason.Manual && this.#lines(event.document).length > 0) event.waitUntil(this.#correct(event.document, 'none'));
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
        if (contentChanges.length === 0 || vscode.languages.match(PTX_SERVER.selector(), document) === 0) return;
        let watched = this.#documents.get(document);
        if (reason !== undefined) {
            // Undo and redo restore indentation that the user has already accepted.
            clearTimeout(watched?.timer);
            this.#documents.delete(document);
            return;
        }
        if (!watched) {
            watched = { lines: new TypedLines(), timer: undefined, running: undefined, failures: 0 };
            this.#documents.set(document, watched);
        }
        const { lines } = watched;
        lines.change(contentChanges, (line) => (line < document.lineCount ? document.lineAt(line).text : ''), Date.now());
        watched.failures = 0;
        this.#wait(document, watched);
    }

    #wait(document: vscode.TextDocument, watched: Watched): void {
        clearTimeout(watched.timer);
        if (watched.lines.lines.length > 0) watched.timer = setTimeout(() => void this.#correct(document, 'cursors'), REST_DELAY * 2 ** watched.failures);
    }

    #lines(document: vscode.TextDocument): number[] {
        const lines = this.#documents.get(document)?.lines.lines ?? [];
        return lines.filter((line) => line < document.lineCount);
    }

    /** Makes the necessary corrections one after the other: each must see the text after the previous one. */
    async #correct(document: vscode.TextDocument, spared: Spared): Promise<void> {
        const watched = this.#documents.get(document);
        if (!watched) return;
        const earlier = watched.running;
        const running = (async () => {
            await earlier;
            await this.#correctOnce(document, spared);
        })();
        watched.running = running;
        await running;
        if (watched.running === running) watched.running = undefined;
    }

    /** Applies the corrections. A key that arrives first postpones them to the next pause. */
    async #correctOnce(document: vscode.TextDocument, spared: Spared): Promise<void> {
        // The editor need not be active: a panel beside it may have the focus.
        const editor = vscode.window.visibleTextEditors.find((candidate) => candidate.document === document);
        if (!editor) return;
        const version = document.version;
        const edits = await this.#corrections(document, spared);
        const watched = this.#documents.get(document);
        if (document.version !== version || !watched) return;
        if (edits !== undefined && (edits.length === 0 || (await apply(editor, edits)))) watched.lines.checked(Date.now());
        else if (++watched.failures < MAX_ATTEMPTS) this.#wait(document, watched);
    }

    /**
     * The edits that the server proposes, except for lines with a cursor if these are spared. `undefined` if the
     * request failed.
     */
    async #corrections(document: vscode.TextDocument, spared: Spared): Promise<vscode.TextEdit[] | undefined> {
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
            const corrections = edits.flatMap((edit) => onlyIndentation(document, edit, lines));
            const corrected = linesAfter(document, corrections);
            const comments = lines.flatMap((line) => commentCorrection(document, corrected, line));
            const replaced = comments.map((edit) => edit.range.start.line);
            const others = corrections.filter((edit) => !replaced.includes(edit.range.start.line));
            return [...others, ...comments].filter((edit) => !cursors.includes(edit.range.start.line));
        } catch {
            // The server is stopping, or the text changed under the request.
            return undefined;
        }
    }
}

/** Applies edits. Returns false if VS Code refuses them because the text has changed meanwhile. */
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
        if (blanks.length < before.length && isCommentAboveLabel(linesOf(document), line)) return [];
        return [new vscode.TextEdit(new vscode.Range(line, from + same, line, to), blanks.slice(same))];
    });
}

function linesOf(document: vscode.TextDocument): Lines {
    return { count: document.lineCount, at: (line) => document.lineAt(line).text };
}

/** The lines after these edits, at most one per line. */
function linesAfter(document: vscode.TextDocument, edits: vscode.TextEdit[]): Lines {
    const changed = new Map(edits.map(({ range, newText }) => [range.start.line, { from: range.start.character, to: range.end.character, newText }]));
    const at = (line: number): string => {
        const { text } = document.lineAt(line);
        const edit = changed.get(line);
        return edit ? text.slice(0, edit.from) + edit.newText + text.slice(edit.to) : text;
    };
    return { count: document.lineCount, at };
}

/**
 * The server accepts two columns for a comment above a label. A comment typed there is aligned with the corrected
 * statement above it.
 */
function commentCorrection(document: vscode.TextDocument, corrected: Lines, line: number): vscode.TextEdit[] {
    const indentation = indentationOfComment(corrected, line);
    const { text, firstNonWhitespaceCharacterIndex: first } = document.lineAt(line);
    if (indentation === undefined || indentation === text.slice(0, first)) return [];
    return [new vscode.TextEdit(new vscode.Range(line, 0, line, first), indentation)];
}
