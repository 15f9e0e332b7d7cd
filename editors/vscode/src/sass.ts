// Machine code beside PTX: a read-only text with the instructions that NVIDIA's assembler made, tied to the lines of the
// source by colour and by the cursor, in both directions. A text document scrolls, searches and folds as any other, also
// with tens of thousands of lines; decorations are set for its visible part only.

import * as vscode from 'vscode';
import { COMMANDS, SERVER_COMMANDS } from './commandNames';
import type { Sass, SassArguments, SourcePlace } from './protocol';
import { executeCommand, RequestRefused } from './requests';
import { counterpart, foldsOf, movedLine, tiesOf, type LineTie, type Ties } from './sassTies';
import { messageOf, type Server } from './server';
import { entryAround } from './text';

export const SASS_SCHEME = 'ptx-sass';
/** Milliseconds after the last key before the machine code is requested again. */
const PAUSE = 500;
/** Milliseconds for which an editor that was scrolled to a tied line does not scroll the other one in turn. */
const SETTLED = 300;
/** Number of lines above and below the visible part that are coloured too. */
const AROUND = 100;
/** Background colours for a dark and a light theme; their number is that of the colours that tie lines. */
const COLOURS: [dark: string, light: string][] = [
    ['#3b82f624', '#3b82f61f'],
    ['#a855f724', '#a855f71f'],
    ['#22c55e1f', '#22c55e1f'],
    ['#f59e0b1f', '#f59e0b24'],
    ['#14b8a624', '#14b8a624'],
    ['#ec48991f', '#ec48991f'],
];

interface View {
    source: vscode.Uri;
    uri: vscode.Uri;
    entry: string | undefined;
    target: string | undefined;
    text: string;
    ties: Ties;
    /** Why the text is older than the source; undefined if it is not. */
    older: string | undefined;
    timer?: ReturnType<typeof setTimeout>;
    request?: vscode.CancellationTokenSource;
}

export class SassView implements vscode.TextDocumentContentProvider, vscode.FoldingRangeProvider, vscode.DefinitionProvider, vscode.Disposable {
    readonly #changed = new vscode.EventEmitter<vscode.Uri>();
    readonly #views = new Map<string, View>();
    readonly #colours = COLOURS.map(([dark, light]) =>
        vscode.window.createTextEditorDecorationType({
            isWholeLine: true,
            dark: { backgroundColor: dark },
            light: { backgroundColor: light },
        }),
    );
    readonly #tied = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('editor.selectionHighlightBackground'),
        overviewRulerColor: new vscode.ThemeColor('editorOverviewRuler.findMatchForeground'),
        overviewRulerLane: vscode.OverviewRulerLane.Center,
    });
    readonly #note = vscode.window.createTextEditorDecorationType({
        after: { color: new vscode.ThemeColor('editorCodeLens.foreground'), margin: '0 0 0 2em', fontStyle: 'italic' },
    });
    readonly #older = vscode.window.createTextEditorDecorationType({
        isWholeLine: true,
        backgroundColor: new vscode.ThemeColor('inputValidation.warningBackground'),
        after: { color: new vscode.ThemeColor('editorWarning.foreground'), margin: '0 0 0 2em' },
    });
    /** When an editor was last scrolled to a tied line, by its URI. */
    readonly #revealed = new Map<string, number>();
    readonly #disposables: vscode.Disposable[];

    readonly onDidChange = this.#changed.event;

    constructor(private readonly server: Server) {
        const selector = { scheme: SASS_SCHEME };
        this.#disposables = [
            this.#changed,
            ...this.#colours,
            this.#tied,
            this.#note,
            this.#older,
            vscode.workspace.registerTextDocumentContentProvider(SASS_SCHEME, this),
            vscode.languages.registerFoldingRangeProvider(selector, this),
            vscode.languages.registerDefinitionProvider(selector, this),
            vscode.window.onDidChangeTextEditorSelection(({ textEditor, kind }) => {
                this.#follow(textEditor, kind !== undefined);
            }),
            vscode.window.onDidChangeTextEditorVisibleRanges(({ textEditor }) => {
                this.#colour(textEditor);
                this.#scrolled(textEditor);
            }),
            vscode.window.onDidChangeVisibleTextEditors((editors) => {
                editors.forEach((editor) => {
                    this.#colour(editor);
                });
            }),
            vscode.workspace.onDidChangeTextDocument((event) => {
                this.#edited(event);
            }),
            vscode.workspace.onDidCloseTextDocument(({ uri }) => {
                this.#close(uri);
            }),
        ];
    }

    /** Shows the machine code of the kernel at the cursor, or of the whole module where there is none. */
    async show(given?: SassArguments): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        const again = editor && this.#views.get(editor.document.uri.toString());
        const source = given?.uri !== undefined ? vscode.Uri.parse(given.uri) : (again?.source ?? editor?.document.uri);
        if (!source) throw new Error('Open a PTX file first.');
        const document = await vscode.workspace.openTextDocument(source);
        const line = editor?.document.uri.toString() === source.toString() ? editor.selection.active.line : undefined;
        const entry = given?.entry ?? again?.entry ?? (line === undefined ? undefined : entryAround(document.getText(), line)?.name);
        const target = given?.target ?? again?.target;
        // The last part of the path is the title of the tab.
        const title = `${entry ?? source.path.split('/').at(-1) ?? 'module'}${target === undefined ? '' : ` ${target}`}.ptxsass`;
        const uri = vscode.Uri.from({ scheme: SASS_SCHEME, path: `/${title}`, query: source.toString() });
        const known = this.#views.get(uri.toString());
        const view: View = known ?? { source, uri, entry, target, text: '', ties: tiesOf(undefined), older: undefined };
        this.#views.set(uri.toString(), view);
        await vscode.window.withProgress(
            { location: vscode.ProgressLocation.Notification, title: 'Asking ptxas', cancellable: true },
            (_progress, token) => this.#ask(view, token),
        );
        if (view.text === '') {
            this.#views.delete(uri.toString());
            if (view.older !== undefined) throw new Error(view.older);
            return;
        }
        const shown = await vscode.window.showTextDocument(uri, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
        this.#colour(shown);
        if (editor) this.#follow(editor, true);
    }

    /** Opens the source line that the PTX line at the cursor comes from. */
    async goToSource(): Promise<void> {
        const editor = vscode.window.activeTextEditor;
        if (!editor) return;
        const view = this.#views.get(editor.document.uri.toString());
        const line = view ? (view.ties.source[editor.selection.active.line] ?? 0) : editor.selection.active.line + 1;
        const found = line > 0 ? await this.#sourceOf(view?.source ?? editor.document.uri, line) : undefined;
        if (!found) {
            void vscode.window.showInformationMessage('No .loc names a file that exists for this line.');
            return;
        }
        const at = new vscode.Position(found.line - 1, found.column - 1);
        await vscode.window.showTextDocument(vscode.Uri.parse(found.uri), { selection: new vscode.Range(at, at), viewColumn: vscode.ViewColumn.One });
    }

    provideTextDocumentContent(uri: vscode.Uri): string {
        return this.#views.get(uri.toString())?.text ?? '';
    }

    provideFoldingRanges(document: vscode.TextDocument): vscode.FoldingRange[] {
        return foldsOf(document.getText().split('\n')).map(([first, last]) => new vscode.FoldingRange(first, last));
    }

    /** The PTX line of an instruction, and its line in the source file. */
    async provideDefinition(document: vscode.TextDocument, position: vscode.Position): Promise<vscode.Location[]> {
        const view = this.#views.get(document.uri.toString());
        const line = view?.ties.source[position.line] ?? 0;
        if (!view || line === 0) return [];
        const out = [new vscode.Location(view.source, new vscode.Position(line - 1, 0))];
        const found = await this.#sourceOf(view.source, line);
        if (found) out.push(new vscode.Location(vscode.Uri.parse(found.uri), new vscode.Position(found.line - 1, found.column - 1)));
        return out;
    }

    /** What is shown, for tests: the lines tied to the cursor, the note, and the reason why the text is older. */
    state(): { text: string; tied: number[]; note: string | undefined; older: string | undefined }[] {
        return [...this.#views.values()].map(({ text, older, ties }) => ({ text, tied: ties.shown, note: ties.note, older }));
    }

    dispose(): void {
        for (const view of this.#views.values()) {
            clearTimeout(view.timer);
            view.request?.cancel();
        }
        this.#disposables.forEach((disposable) => {
            disposable.dispose();
        });
    }

    #sourceOf(source: vscode.Uri, line: number): Promise<SourcePlace | null> {
        return executeCommand<SourcePlace | null>(this.server.client, SERVER_COMMANDS.sourceOf, [{ uri: source.toString(), line }]);
    }

    /**
     * Requests machine code. The first answer has no numbers of live registers, which take longer for a long kernel; a second
     * one follows with them.
     */
    async #ask(view: View, token?: vscode.CancellationToken, live = false): Promise<void> {
        view.request?.cancel();
        const request = new vscode.CancellationTokenSource();
        view.request = request;
        token?.onCancellationRequested(() => {
            request.cancel();
        });
        const version = (): number | undefined => vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === view.source.toString())?.version;
        const before = version();
        const { entry, target } = view;
        const argument = { uri: view.source.toString(), live, ...(entry !== undefined && { entry }), ...(target !== undefined && { target }) } satisfies SassArguments;
        try {
            const answer = await executeCommand<Sass>(this.server.client, SERVER_COMMANDS.sass, [argument], request.token);
            // An outdated answer is ignored: another request follows.
            if (request.token.isCancellationRequested || version() !== before) return;
            if (answer.text === null) {
                const first = answer.errors[0];
                const line = typeof first?.line === 'number' ? ` on line ${first.line}` : '';
                view.older = `ptxas refuses the module${line}: ${first?.message ?? 'there is no machine code'}`;
            } else {
                view.older = undefined;
                view.text = answer.text.trimEnd();
                view.ties = tiesOf(answer);
                this.#changed.fire(view.uri);
                if (!answer.live) void this.#ask(view, undefined, true);
            }
        } catch (error) {
            if (request.token.isCancellationRequested) return;
            if (view.text === '' && error instanceof RequestRefused) throw error;
            view.older = messageOf(error);
        }
        this.#refresh(view);
    }

    #edited({ document, contentChanges }: vscode.TextDocumentChangeEvent): void {
        const key = document.uri.toString();
        // The view itself has a new text: its decorations move to it.
        const own = this.#views.get(key);
        if (own) this.#refresh(own);
        if (contentChanges.length === 0) return;
        for (const view of this.#views.values()) {
            if (view.source.toString() !== key) continue;
            for (const { range, text } of contentChanges) {
                movedLine(view.ties, range.start.line, range.end.line, text.split('\n').length - 1);
            }
            view.older ??= 'the PTX has changed';
            this.#refresh(view);
            clearTimeout(view.timer);
            view.timer = setTimeout(() => void this.#ask(view), PAUSE);
        }
    }

    #close(uri: vscode.Uri): void {
        for (const [key, view] of this.#views) {
            if (key !== uri.toString() && view.source.toString() !== uri.toString()) continue;
            clearTimeout(view.timer);
            view.request?.cancel();
            this.#views.delete(key);
            this.#revealed.delete(key);
            for (const editor of vscode.window.visibleTextEditors) this.#clear(editor);
        }
    }

    #clear(editor: vscode.TextEditor): void {
        for (const type of [...this.#colours, this.#tied, this.#note, this.#older]) editor.setDecorations(type, []);
    }

    #refresh(view: View): void {
        for (const editor of vscode.window.visibleTextEditors) {
            const uri = editor.document.uri.toString();
            if (uri !== view.uri.toString() && uri !== view.source.toString()) continue;
            this.#colour(editor);
            if (editor === vscode.window.activeTextEditor) this.#follow(editor, false);
        }
    }

    /** The view of an editor, and whether the editor shows its PTX. */
    #viewOf(editor: vscode.TextEditor): { view: View; isSource: boolean } | undefined {
        const uri = editor.document.uri.toString();
        const own = this.#views.get(uri);
        if (own) return { view: own, isSource: false };
        const view = [...this.#views.values()].findLast(({ source, text }) => source.toString() === uri && text !== '');
        return view && { view, isSource: true };
    }

    /** Colours the visible lines of an editor. */
    #colour(editor: vscode.TextEditor): void {
        const found = this.#viewOf(editor);
        if (!found) return;
        const { view, isSource } = found;
        const ranges: vscode.Range[][] = COLOURS.map(() => []);
        for (const { start, end } of editor.visibleRanges) {
            const last = Math.min(end.line + AROUND, editor.document.lineCount - 1);
            for (let line = Math.max(start.line - AROUND, 0); line <= last; line++) {
                const tie = view.ties.lines.get(isSource ? line + 1 : (view.ties.source[line] ?? 0));
                if (tie?.colour !== undefined) ranges[tie.colour % COLOURS.length]?.push(new vscode.Range(line, 0, line, 0));
            }
        }
        this.#colours.forEach((type, index) => {
            editor.setDecorations(type, ranges[index] ?? []);
        });
        if (isSource) return;
        const first = new vscode.Range(0, 0, 0, Number.MAX_SAFE_INTEGER);
        const older = view.older === undefined ? [] : [{ range: first, renderOptions: { after: { contentText: `older text: ${view.older}` } } }];
        editor.setDecorations(this.#older, older);
    }

    /** Shows in both editors what the line of the cursor is tied to. */
    #follow(editor: vscode.TextEditor, scrolls: boolean): void {
        const found = this.#viewOf(editor);
        if (!found || editor !== vscode.window.activeTextEditor) return;
        const { view, isSource } = found;
        const here = editor.selection.active.line;
        const line = isSource ? here + 1 : (view.ties.source[here] ?? 0);
        const tie = view.ties.lines.get(line);
        view.ties.shown = tie?.rows ?? [];
        view.ties.note = tie?.words;
        for (const other of vscode.window.visibleTextEditors) {
            const uri = other.document.uri.toString();
            if (uri === view.uri.toString()) this.#mark(other, (tie?.rows ?? []).map((row) => row - 1), scrolls && isSource);
            if (uri === view.source.toString()) {
                this.#mark(other, line > 0 && (tie || !isSource) ? [line - 1] : [], scrolls && !isSource);
                this.#say(other, line - 1, tie);
            }
        }
    }

    #mark(editor: vscode.TextEditor, lines: number[], reveals: boolean): void {
        const ranges = lines.filter((line) => line < editor.document.lineCount).map((line) => new vscode.Range(line, 0, line, 0));
        editor.setDecorations(this.#tied, ranges);
        const first = ranges[0];
        if (reveals && first) this.#reveal(editor, first);
    }

    #reveal(editor: vscode.TextEditor, range: vscode.Range): void {
        this.#revealed.set(editor.document.uri.toString(), Date.now());
        editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    }

    /** An editor was scrolled: shows what its middle is tied to in the other one. As long as the cursor is in view, it decides. */
    #scrolled(editor: vscode.TextEditor): void {
        const found = this.#viewOf(editor);
        if (!found || Date.now() - (this.#revealed.get(editor.document.uri.toString()) ?? 0) < SETTLED) return;
        if (editor === vscode.window.activeTextEditor && editor.visibleRanges.some((range) => range.contains(editor.selection.active))) return;
        const { view, isSource } = found;
        const rows = editor.visibleRanges.flatMap(({ start, end }) => Array.from({ length: end.line - start.line + 1 }, (_, index) => start.line + index));
        const tied = counterpart(view.ties, isSource, rows);
        const wanted = (isSource ? view.uri : view.source).toString();
        const other = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === wanted);
        if (other && tied !== undefined && tied <= other.document.lineCount) this.#reveal(other, new vscode.Range(tied - 1, 0, tied - 1, 0));
    }

    #say(editor: vscode.TextEditor, line: number, tie: LineTie | undefined): void {
        const range = tie && line >= 0 && line < editor.document.lineCount ? editor.document.lineAt(line).range : undefined;
        editor.setDecorations(this.#note, range && tie ? [{ range, renderOptions: { after: { contentText: `→ ${tie.words}` } } }] : []);
    }
}

/** The command, with a hint where a program is not set. */
export async function showSass(view: SassView, given?: SassArguments): Promise<void> {
    const settings = vscode.workspace.getConfiguration('ptx-analyzer');
    if (!vscode.workspace.isTrusted) {
        const manage = 'Manage Trust';
        const chosen = await vscode.window.showWarningMessage("NVIDIA's programs are run in trusted workspaces only.", manage);
        if (chosen === manage) await vscode.commands.executeCommand('workbench.trust.manage');
        return;
    }
    const missing = ['ptxas.path', 'nvdisasm.path'].find((name) => settings.get<string>(name, '') === '');
    if (missing === undefined) {
        await view.show(given);
        return;
    }
    const open = 'Open Settings';
    const chosen = await vscode.window.showInformationMessage(
        `Machine code needs NVIDIA's ptxas and nvdisasm, and none is looked for. Set ptx-analyzer.${missing}.`,
        open,
    );
    if (chosen === open) await vscode.commands.executeCommand('workbench.action.openSettings', `ptx-analyzer.${missing}`);
}

/** The names under which the commands are registered. */
export function sassCommands(view: SassView): Record<string, (...args: never[]) => unknown> {
    return {
        [COMMANDS.showSass]: (given?: unknown) => showSass(view, isArguments(given) ? given : undefined),
        [COMMANDS.goToSource]: () => view.goToSource(),
    };
}

/** Menus pass a URI, which is not meant. */
function isArguments(given: unknown): given is SassArguments {
    return typeof given === 'object' && given !== null && 'uri' in given && typeof given.uri === 'string';
}
