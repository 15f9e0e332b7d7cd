// One warp panel: forwards the page's requests to the server and the answers back, and performs the page's actions in
// the editor.

import * as vscode from 'vscode';
import { RequestRefused, type WarpApi } from '../../panelHost';
import type { Evaluation, ShowWarpArguments } from '../../protocol';
import { firstQuestion, fromPage, type Action, type FromHost, type FromPage, isRefusal, type Preferences, preferencesFrom, type Question, styleOfRows, type Timings, type WarpQuestion } from '../messages';
import { EditorView } from './editor';
import { launchEdit, statementText } from './launchEdit';
import { page } from './page';
import { makeRoom } from './room';

export const VIEW_TYPE = 'ptx-analyzer.warp';

/** The storage key of the preferences. */
const PREFERENCES = 'ptx-analyzer.warpPanel';
/**
 * Milliseconds without a step before the document shows the values of the new step: during fast stepping they cannot be
 * read.
 */
const FOCUS_PAUSE = 120;

export class Panel implements vscode.Disposable {
    kept = false;
    timings: Timings | undefined;
    private target: ShowWarpArguments | undefined;
    private entry: string | undefined;
    private shown: FromHost | undefined;
    private loaded = false;
    private isDisposed = false;
    private early: { key: string; answer: Promise<Evaluation> } | undefined;
    private warp: WarpQuestion = {};
    private focusing: ReturnType<typeof setTimeout> | undefined;
    private readonly editor = new EditorView();
    private readonly disposables: vscode.Disposable[] = [this.editor];
    private readonly disposed = new vscode.EventEmitter<void>();
    private readonly activated = new vscode.EventEmitter<void>();
    readonly onDidDispose = this.disposed.event;
    readonly onDidActivate = this.activated.event;

    constructor(
        private readonly view: vscode.WebviewPanel,
        private readonly context: vscode.ExtensionContext,
        private readonly api: WarpApi,
        /** True if the panel has its own editor group, which was created for it. */
        private readonly beside = false,
    ) {
        const { webview } = view;
        webview.options = { enableScripts: true, localResourceRoots: [] };
        this.disposables.push(
            webview.onDidReceiveMessage((message: unknown) => {
                const known = fromPage(message);
                if (known !== undefined) void this.take(known);
            }),
            view.onDidDispose(() => {
                this.gone();
            }),
            view.onDidChangeViewState(() => {
                if (view.active) this.activated.fire();
            }),
            api.onEvaluated((evaluated) => {
                if (evaluated.uri === this.uri) this.post({ type: 'evaluated', evaluated });
            }),
            api.onServerChanged(() => {
                this.early = undefined;
                this.post({ type: 'server', running: this.running() });
            }),
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                if (contentChanges.length === 0 || document.uri.toString() !== this.uri) return;
                this.early = undefined;
                this.post({ type: 'edited' });
            }),
            vscode.window.onDidChangeTextEditorSelection(({ textEditor, selections }) => {
                const line = selections[0]?.active.line;
                if (line !== undefined && textEditor.document.uri.toString() === this.uri) this.post({ type: 'cursor', line: line + 1 });
            }),
        );
        this.fill().catch((error: unknown) => {
            void vscode.window.showErrorMessage(`The page of the warp panel could not be read: ${error instanceof Error ? error.message : String(error)}`);
        });
    }

    private async fill(): Promise<void> {
        const html = await page(this.context.extensionUri);
        if (!this.isDisposed) this.view.webview.html = html;
    }

    get uri(): string | undefined {
        return this.target?.uri;
    }

    get active(): boolean {
        return this.view.active;
    }

    async show(args: ShowWarpArguments, step?: number): Promise<void> {
        const asked = Date.now();
        const uri = vscode.Uri.parse(args.uri).toString();
        this.target = { ...args, uri };
        this.entry = args.entry;
        this.warp = {};
        this.view.title = args.entry === undefined ? 'Warp' : `Warp: ${args.entry}`;
        if (!this.view.visible) this.view.reveal(undefined, false);
        this.shown = { type: 'show', target: this.target, file: vscode.workspace.asRelativePath(vscode.Uri.parse(uri)), preferences: this.preferences(), asked, step: step ?? null, cursor: this.cursorLine() };
        try {
            // The server knows only open documents.
            await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
            if (!this.loaded) this.askEarly();
        } catch {
            // The page sends its request again, and shows the server's error if the document is unknown.
        }
        if (this.loaded) this.post(this.shown);
    }

    act(action: Action): void {
        this.post({ type: 'act', action });
    }

    /** Goes to the next or the previous execution of the line of the cursor. */
    goToCursor(next: boolean): void {
        const editor = this.sourceEditor();
        if (editor !== undefined) this.post({ type: 'goTo', line: editor.selection.active.line + 1, next });
    }

    private sourceEditor(): vscode.TextEditor | undefined {
        return vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === this.uri);
    }

    /** The line of the cursor in the source, from 1. */
    private cursorLine(): number | null {
        const editor = this.sourceEditor();
        return editor === undefined ? null : editor.selection.active.line + 1;
    }

    private running(): boolean {
        return this.api.client()?.isRunning() === true;
    }

    private post(message: FromHost): void {
        if (this.loaded) void this.view.webview.postMessage(message);
    }

    /** Sends the page's first request before the page exists, so that the server works while the webview loads. */
    private askEarly(): void {
        if (this.target === undefined || !this.running()) return;
        const question = firstQuestion(styleOfRows(this.preferences(), this.entry ?? ''));
        const answer = this.evaluate(question);
        answer.catch(() => undefined);
        this.early = { key: JSON.stringify(question), answer };
    }

    private evaluate(question: WarpQuestion): Promise<Evaluation> {
        const { target } = this;
        if (target === undefined) return Promise.reject(new Error('There is nothing to evaluate yet.'));
        const where = this.entry === undefined ? (target.line === undefined ? {} : { line: target.line }) : { entry: this.entry };
        return this.api.evaluate({ uri: target.uri, ...where, ...question });
    }

    private async take(message: FromPage): Promise<void> {
        switch (message.type) {
            case 'ready':
                this.loaded = true;
                if (this.shown !== undefined) this.post(this.shown);
                if (this.beside) await makeRoom(message.width);
                break;
            case 'ask':
                await this.answer(message.id, message.question);
                break;
            case 'at':
                if (this.uri !== undefined) this.editor.mark(this.uri, message.line, message.reveal);
                this.focus(message.lane, message.step);
                break;
            case 'reveal':
                if (this.uri !== undefined) await this.editor.reveal(this.uri, message.line, message.column);
                break;
            case 'entry':
                this.entry = message.entry;
                this.view.title = `Warp: ${message.entry}`;
                break;
            case 'write':
                await this.write(message);
                break;
            case 'remember':
                await this.context.workspaceState.update(PREFERENCES, preferencesFrom(message.preferences));
                break;
            case 'timings':
                this.timings = message.timings;
                break;
            case 'copy':
                await vscode.env.clipboard.writeText(message.text);
                break;
            case 'keep':
                this.kept = true;
                this.view.title = `${this.view.title} (kept)`;
                break;
        }
    }

    private preferences(): Preferences {
        return preferencesFrom(this.context.workspaceState.get(PREFERENCES));
    }

    private async answer(id: number, question: Question): Promise<void> {
        try {
            const body = await this.ask(question);
            this.post({ type: 'answer', id, body });
        } catch (error) {
            const message = error instanceof Error ? error.message : String(error);
            const refusal = error instanceof RequestRefused && isRefusal(error.data) ? error.data : null;
            this.post({ type: 'failure', id, message, refusal });
        }
    }

    private async ask(question: Question): Promise<unknown> {
        const uri = this.uri ?? '';
        switch (question.kind) {
            case 'evaluate': {
                const { launch, number, cta, warp, focus } = question.arguments;
                // Other questions may be about another warp than the one that is shown.
                if (focus !== undefined) this.warp = { ...(launch === undefined ? {} : { launch }), ...(number === undefined ? {} : { number }), ...(cta === undefined ? {} : { cta }), ...(warp === undefined ? {} : { warp }) };
                const early = this.early;
                this.early = undefined;
                const answer = await (early?.key === JSON.stringify(question.arguments) ? early.answer : this.evaluate(question.arguments));
                if (this.entry === undefined) {
                    this.entry = answer.entry;
                    this.view.title = `Warp: ${answer.entry}${this.kept ? ' (kept)' : ''}`;
                }
                return answer;
            }
            case 'launches':
                return this.api.launches({ uri });
            case 'statements': {
                const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
                const source = document.getText().split(/\r?\n/);
                return { texts: question.places.map(({ line, column }) => statementText(source, line, column)) };
            }
        }
    }

    /** Shows the values of a lane in the document after a pause in stepping. */
    private focus(lane: number, step: number): void {
        clearTimeout(this.focusing);
        this.focusing = setTimeout(() => {
            if (!this.running()) return;
            this.evaluate({ ...this.warp, count: 0, focus: { lane, step } }).catch(() => {
                // Ignore the error: the page got the same one and shows it.
            });
        }, FOCUS_PAUSE);
    }

    private async write({ lines, replaces, above }: Extract<FromPage, { type: 'write' }>): Promise<void> {
        if (this.uri === undefined) return;
        const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(this.uri));
        if (vscode.workspace.fs.isWritableFileSystem(document.uri.scheme) === false) {
            void vscode.window.showWarningMessage('This kernel is read-only. Its launch stays in the panel.');
            return;
        }
        const edit = launchEdit(document.getText().split(/\r?\n/), lines, replaces, above);
        if (edit === undefined) {
            void vscode.window.showWarningMessage('The launch in the file has changed since it was read. Nothing was written.');
            return;
        }
        const ends = document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n';
        const change = new vscode.WorkspaceEdit();
        const range = new vscode.Range(edit.from, 0, edit.to, 0);
        change.replace(document.uri, range, edit.lines.map((line) => `${line}${ends}`).join(''));
        if (!(await vscode.workspace.applyEdit(change))) void vscode.window.showWarningMessage('The launch could not be written into the file.');
    }

    private gone(): void {
        this.isDisposed = true;
        clearTimeout(this.focusing);
        for (const one of this.disposables) one.dispose();
        this.disposed.fire();
        this.disposed.dispose();
        this.activated.dispose();
    }

    dispose(): void {
        this.view.dispose();
    }
}
