// The register view: a tree with the number of registers of each function, and the registers that are live at the
// cursor.

import * as vscode from 'vscode';
import { COMMANDS, SERVER_COMMANDS } from './commandNames';
import type { FunctionPressure, LiveRegister, Pressure, PressureArguments } from './protocol';
import { executeCommand } from './requests';
import { count, held, nothingKnown, registersOf, sharedMemory, withFewer } from './registerWords';
import { messageOf, type Server } from './server';
import { entries } from './text';

type Node =
    | { kind: 'function'; of: FunctionPressure; here: boolean }
    | { kind: 'fact'; label: string; detail: string; icon: string; line?: number; tooltip?: string }
    | { kind: 'live'; children: LiveRegister[]; line: number; of: FunctionPressure }
    | { kind: 'register'; of: LiveRegister };

/** Milliseconds after the last cursor movement or key before the view is updated. */
const QUIET = 120;
/**
 * In files with more lines, only the function at the cursor is requested: the answer for all has an element per line.
 */
const LONG = 20_000;
/** Milliseconds before an incomplete answer of the server is requested again. */
const AGAIN = 700;

export class RegistersView implements vscode.TreeDataProvider<Node>, vscode.Disposable {
    readonly #changed = new vscode.EventEmitter<undefined>();
    readonly #view: vscode.TreeView<Node>;
    readonly #disposables: vscode.Disposable[];
    #roots: Node[] = [];
    #uri: vscode.Uri | undefined;
    #timer: ReturnType<typeof setTimeout> | undefined;
    /** All functions of one version of a document. */
    #all: { key: string; functions: FunctionPressure[] } | undefined;
    /** Number of the latest request; answers to older ones are discarded. */
    #question = 0;

    readonly onDidChangeTreeData = this.#changed.event;

    constructor(private readonly server: Server) {
        this.#view = vscode.window.createTreeView('ptx.registers', { treeDataProvider: this, showCollapseAll: true });
        this.#disposables = [
            this.#view,
            this.#changed,
            vscode.window.onDidChangeActiveTextEditor(() => {
                this.#soon(0);
            }),
            vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
                if (textEditor.document.languageId === 'ptx') this.#soon(QUIET);
            }),
            vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
                if (document.languageId === 'ptx' && contentChanges.length > 0) this.#soon(QUIET);
            }),
            this.#view.onDidChangeVisibility(() => {
                this.#soon(0);
            }),
            server.onDidChangeState(() => {
                this.#soon(0);
            }),
        ];
    }

    /** Shows the view; it is up to date when the promise resolves. */
    async show(): Promise<void> {
        await vscode.commands.executeCommand('ptx.registers.focus');
        clearTimeout(this.#timer);
        await this.#ask();
    }

    /** The content of the view as text, for tests. */
    outline(): string[] {
        const lines: string[] = [];
        const add = (nodes: Node[], indent: string): void => {
            for (const node of nodes) {
                const item = this.getTreeItem(node);
                const label = typeof item.label === 'string' ? item.label : (item.label?.label ?? '');
                lines.push(`${indent}${label} ${typeof item.description === 'string' ? item.description : ''}`.trimEnd());
                add(this.getChildren(node), `${indent}  `);
            }
        };
        add(this.#roots, '');
        return lines;
    }

    getChildren(node?: Node): Node[] {
        if (!node) return this.#roots;
        if (node.kind === 'function') return this.#facts(node.of, node.here);
        if (node.kind === 'live') return node.children.map((of) => ({ kind: 'register', of }));
        return [];
    }

    getTreeItem(node: Node): vscode.TreeItem {
        switch (node.kind) {
            case 'function': {
                const item = new vscode.TreeItem(
                    node.of.demangled ?? node.of.name,
                    node.here ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.Collapsed,
                );
                item.id = `function:${node.of.name}:${String(node.here)}`;
                item.iconPath = new vscode.ThemeIcon(node.of.entry ? 'symbol-method' : 'symbol-function');
                item.description = `${registersOf(node.of)}${node.of.stale ? ' (before the last edit)' : ''}`;
                if (node.of.demangled !== undefined) item.tooltip = node.of.name;
                item.contextValue = node.of.entry ? 'entry' : 'function';
                item.accessibilityInformation = {
                    label: `${node.of.entry ? 'Kernel' : 'Function'} ${node.of.demangled ?? node.of.name}, ${registersOf(node.of).replace('≈', 'about')}`,
                };
                return item;
            }
            case 'live': {
                const item = new vscode.TreeItem(`Live at line ${node.line}`, vscode.TreeItemCollapsibleState.Expanded);
                item.id = `live:${node.of.name}`;
                const b32 = node.children.reduce((sum, one) => sum + one.b32, 0);
                const predicates = node.children.reduce((sum, one) => sum + one.pred, 0);
                item.description = held(b32, predicates);
                item.iconPath = new vscode.ThemeIcon('pulse');
                return item;
            }
            case 'register': {
                const item = new vscode.TreeItem(node.of.name, vscode.TreeItemCollapsibleState.None);
                item.id = `register:${node.of.name}`;
                item.description = `line ${node.of.line}${node.of.next_line === null ? '' : ` → ${node.of.next_line}`}`;
                item.tooltip = new vscode.MarkdownString(
                    `\`${node.of.name}\` takes ${held(node.of.b32, node.of.pred)}. Its value comes from line ${node.of.line}` +
                        (node.of.next_line === null ? '' : `, is read next in line ${node.of.next_line}`) +
                        ` and is held across ${count(node.of.instructions, 'instruction')}.`,
                );
                item.iconPath = new vscode.ThemeIcon(node.of.pred > 0 ? 'symbol-boolean' : 'symbol-variable');
                item.command = this.#goTo(node.of.line);
                return item;
            }
            case 'fact': {
                const item = new vscode.TreeItem(node.label, vscode.TreeItemCollapsibleState.None);
                item.description = node.detail;
                item.iconPath = new vscode.ThemeIcon(node.icon);
                if (node.tooltip !== undefined) item.tooltip = node.tooltip;
                if (node.line !== undefined) item.command = this.#goTo(node.line);
                return item;
            }
        }
    }

    dispose(): void {
        clearTimeout(this.#timer);
        this.#disposables.forEach((disposable) => {
            disposable.dispose();
        });
    }

    #goTo(line: number): vscode.Command | undefined {
        return this.#uri && { title: 'Go to Line', command: COMMANDS.goToLine, arguments: [this.#uri.toString(), line] };
    }

    #facts(of: FunctionPressure, here: boolean): Node[] {
        const live = here ? this.#live : undefined;
        const facts: Node[] = [];
        facts.push({
            kind: 'fact',
            label: 'Most live',
            detail: `${count(of.max_live.b32, 'register')}, line ${of.max_live.peak_line}`,
            tooltip: `${held(of.max_live.b32, of.max_live.pred)} in line ${of.max_live.peak_line}`,
            icon: 'arrow-up',
            line: of.max_live.peak_line,
        });
        if (of.occupancy) {
            const { warps_per_sm, most_warps, limited_by, fewer, threads, threads_assumed } = of.occupancy;
            facts.push({
                kind: 'fact',
                label: 'Occupancy',
                detail: `${warps_per_sm} of ${most_warps} warps (${limited_by})`,
                icon: 'dashboard',
                tooltip:
                    `Limited by ${limited_by}. With ${count(threads, 'thread')} in a CTA${threads_assumed ? ' (assumed)' : ''}.` +
                    withFewer(fewer),
            });
        }
        if (of.shared > 0 || of.dynamic_shared) {
            facts.push({ kind: 'fact', label: 'Shared memory', detail: sharedMemory(of), icon: 'database' });
        }
        if (of.spill_likely && !of.measured) {
            facts.push({
                kind: 'fact',
                label: 'Spills are likely',
                detail: `limit ${of.limit.registers}, wanted ${of.unlimited}`,
                icon: 'warning',
                ...(of.limit.line !== null && { line: of.limit.line }),
            });
        }
        if (live) facts.push({ kind: 'live', children: live.registers, line: live.line, of });
        return facts;
    }

    #live: { line: number; registers: LiveRegister[] } | undefined;

    #soon(delay: number): void {
        clearTimeout(this.#timer);
        if (!this.#view.visible) return;
        this.#timer = setTimeout(() => void this.#ask(), delay);
    }

    async #ask(): Promise<void> {
        const question = ++this.#question;
        const editor = vscode.window.activeTextEditor;
        if (editor?.document.languageId !== 'ptx') {
            // While a panel has the focus, the last answer stays as long as its document is visible.
            if (!vscode.window.visibleTextEditors.some((one) => one.document.uri.toString() === this.#uri?.toString())) this.#show([], undefined);
            return;
        }
        const uri = editor.document.uri;
        if (this.server.state.kind !== 'running') {
            this.#show([], uri, 'The server does not run.');
            return;
        }
        const line = editor.selection.active.line + 1;
        try {
            const around = await this.#pressure({ uri: uri.toString(), line, first: line, last: line, wait: true });
            const functions = await this.#functions(editor.document, around);
            if (question !== this.#question) return;
            this.#take(around, functions, editor.document, line);
            if (!around.complete) this.#timer = setTimeout(() => void this.#ask(), AGAIN);
        } catch (error) {
            if (question === this.#question) this.#show([], uri, messageOf(error));
        }
    }

    #pressure(argument: PressureArguments): Promise<Pressure> {
        return executeCommand<Pressure>(this.server.client, SERVER_COMMANDS.registerPressure, [argument]);
    }

    async #functions(document: vscode.TextDocument, around: Pressure): Promise<FunctionPressure[]> {
        if (document.lineCount > LONG) return around.functions;
        const key = `${document.uri.toString()} ${document.version}`;
        if (this.#all?.key === key) return this.#all.functions;
        const { functions, complete } = await this.#pressure({ uri: document.uri.toString() });
        if (complete) this.#all = { key, functions };
        return functions;
    }

    #take(answer: Pressure, functions: FunctionPressure[], document: vscode.TextDocument, line: number): void {
        const around = answer.functions[0]?.name ?? functions.find((one) => one.line >= line)?.name ?? functions[0]?.name;
        this.#live = answer.live && answer.live.length > 0 ? { line, registers: answer.live } : undefined;
        const roots: Node[] = functions.map((of) => ({ kind: 'function', of, here: of.name === around }));
        this.#show(roots, document.uri, roots.length > 0 ? undefined : nothingKnown(entries(document.getText()).length > 0));
    }

    #show(roots: Node[], uri: vscode.Uri | undefined, message?: string): void {
        this.#view.message = message;
        this.#roots = roots;
        this.#uri = uri;
        this.#changed.fire(undefined);
    }
}
