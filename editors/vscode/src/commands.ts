// The commands that a user can run from the palette, a menu or a key.

import * as vscode from 'vscode';
import type { Location as ServerLocation, Position as ServerPosition } from 'vscode-languageclient';
import { COMMANDS, SERVER_COMMANDS } from './commandNames';
import type { Documents } from './documents';
import type { Platform } from './platform';
import type { Launches, ShowWarpArguments, WorkspaceCheck } from './protocol';
import type { RegistersView } from './registers';
import { count } from './registerWords';
import { sassCommands, type SassView } from './sass';
import { executeCommand } from './requests';
import { messageOf, plain, type Server } from './server';
import type { Statements } from './statements';
import { entryAt, isPreTeXt, queryAt } from './text';

export interface Parts {
    platform: Platform;
    server: Server;
    /** The server for PTX in other languages. */
    inline: Server;
    documents: Documents;
    statements: Statements;
    registers: RegistersView;
    sass: SassView;
    extensionUri: vscode.Uri;
    showWarp: (args: ShowWarpArguments) => Promise<void>;
}

type Handler = (...args: never[]) => unknown;

/** Registers every command; if a handler throws, its message is shown. */
export function registerCommands(parts: Parts): vscode.Disposable {
    const handlers: Record<string, Handler> = {
        [COMMANDS.rename]: (uri: string, position: ServerPosition) => rename(parts, uri, position),
        [COMMANDS.showReferences]: (uri: string, position: ServerPosition, places: ServerLocation[]) =>
            showReferences(parts, uri, position, places),
        [COMMANDS.showWarp]: (args: ShowWarpArguments) => parts.showWarp(args),
        [COMMANDS.suggest]: () => vscode.commands.executeCommand('editor.action.triggerSuggest'),
        [COMMANDS.checkWorkspace]: () => checkWorkspace(parts),
        [COMMANDS.clearEvaluation]: () => clearEvaluation(parts),
        [COMMANDS.compareRegisters]: (argument?: object) => compareRegisters(parts, argument),
        [COMMANDS.evaluateStatement]: (argument?: { uri: string; line: number }) => evaluateStatement(parts, argument),
        [COMMANDS.evaluateWarp]: (argument?: ShowWarpArguments | vscode.Uri) => evaluateWarp(argument),
        [COMMANDS.explain]: (query?: unknown) => explain(parts, typeof query === 'string' ? query : undefined),
        [COMMANDS.goToLine]: (uri: string, line: number) => goToLine(uri, line),
        [COMMANDS.newKernel]: () => newKernel(parts),
        [COMMANDS.restartServer]: () => restartServers(parts),
        [COMMANDS.showLog]: () => {
            parts.server.log.show(true);
        },
        [COMMANDS.showMenu]: () => showMenu(parts),
        [COMMANDS.showRegisters]: () => parts.registers.show(),
        [COMMANDS.showServerStatus]: () => showServerStatus(parts),
        [COMMANDS.showSyntaxTree]: () => showSyntaxTree(parts),
        [COMMANDS.writeLaunch]: () => writeLaunch(parts),
        ...sassCommands(parts.sass),
    };
    for (const [name, reason] of Object.entries(parts.platform.unavailable)) {
        handlers[name] = () => {
            throw new Error(reason);
        };
    }
    return vscode.Disposable.from(
        ...Object.entries(handlers).map(([name, handler]) => vscode.commands.registerCommand(name, guarded(parts.server, handler, !INDEPENDENT.has(name)))),
    );
}

/** Commands that do not wait for a server that starts, because they help when it does not. */
const INDEPENDENT: ReadonlySet<string> = new Set([COMMANDS.restartServer, COMMANDS.showLog, COMMANDS.showMenu]);

function guarded(server: Server, handler: Handler, waits: boolean): (...args: unknown[]) => Promise<unknown> {
    return async (...args) => {
        try {
            const runs = server.ensure();
            if (waits) await runs;
            return await (handler as (...args: unknown[]) => unknown)(...args);
        } catch (error) {
            void vscode.window.showErrorMessage(plain(messageOf(error)));
            return undefined;
        }
    };
}

/** The PTX document to which commands apply; throws if there is none. */
function activeEditor(): vscode.TextEditor {
    const editor = vscode.window.activeTextEditor;
    if (editor?.document.languageId === 'ptx') return editor;
    // A panel or a rendered page may have the focus, so look for a visible editor.
    const visible = vscode.window.visibleTextEditors.filter((one) => one.document.languageId === 'ptx');
    const only = visible[0];
    if (only && visible.length === 1) return only;
    throw new Error('Open a PTX file first.');
}

/** Restarts the server for PTX, and the one for other languages if that was started. */
async function restartServers({ server, inline }: Parts): Promise<void> {
    await Promise.all([server.restart(), inline.state.kind === 'stopped' ? undefined : inline.restart()]);
}

async function explain({ server, documents }: Parts, given?: string): Promise<void> {
    let query = given;
    if (query === undefined) {
        const editor = vscode.window.activeTextEditor?.document.languageId === 'ptx' ? vscode.window.activeTextEditor : undefined;
        const { active, isEmpty } = editor?.selection ?? { active: undefined, isEmpty: true };
        if (editor && !isEmpty) query = editor.document.getText(editor.selection).trim();
        else if (editor && active) query = queryAt(editor.document.lineAt(active.line).text, active.character);
        query ??= await vscode.window.showInputBox({
            title: 'Explain',
            placeHolder: 'fma.rn.f32, .ftz, %laneid, .maxntid, operand-type …',
            prompt: 'An instruction, a modifier, a directive, a special register, or the code of a diagnostic',
        });
        if (query === undefined || query === '') return;
    }
    const text = await executeCommand<string | null>(server.client, SERVER_COMMANDS.explain, [query]);
    if (text === null) {
        void vscode.window.showInformationMessage(`Nothing is known about “${query}”.`);
        return;
    }
    await documents.showMarkdown(query, text);
}

/** Asks for a better name than the one that a code action has just written. */
async function rename({ server }: Parts, uri: string, position: ServerPosition): Promise<void> {
    const converter = server.client?.protocol2CodeConverter;
    if (!converter) return;
    await vscode.commands.executeCommand('editor.action.rename', [converter.asUri(uri), converter.asPosition(position)]);
}

async function showReferences({ server }: Parts, uri: string, position: ServerPosition, places: ServerLocation[]): Promise<void> {
    const converter = server.client?.protocol2CodeConverter;
    if (!converter) return;
    await vscode.commands.executeCommand(
        'editor.action.showReferences',
        converter.asUri(uri),
        converter.asPosition(position),
        places.map((place) => converter.asLocation(place)),
    );
}

async function checkWorkspace({ server }: Parts): Promise<void> {
    const found = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Window, title: 'Checking all PTX files' },
        () => executeCommand<WorkspaceCheck>(server.client, SERVER_COMMANDS.checkWorkspace, []),
    );
    const counts = [count(found.errors, 'error'), count(found.warnings, 'warning')].join(', ');
    const parts = [`${count(found.files, 'file')} not open: ${counts}.`];
    if (found.more) parts.push('There are more files than ptx-analyzer.workspace.files allows.');
    if (found.too_big > 0) parts.push(`${found.too_big} were too big.`);
    if (found.unreadable > 0) parts.push(`${found.unreadable} could not be read.`);
    const chosen = await vscode.window.showInformationMessage(parts.join(' '), ...(found.errors + found.warnings > 0 ? ['Show Problems'] : []));
    if (chosen !== undefined) await vscode.commands.executeCommand('workbench.actions.view.problems');
}

export async function compareRegisters({ platform, server, documents }: Parts, given?: object): Promise<void> {
    const reason = platform.unavailable[COMMANDS.compareRegisters];
    if (reason !== undefined) throw new Error(reason);
    const argument = { uri: given ? undefined : activeEditor().document.uri.toString(), ...given, show: false };
    const path = vscode.workspace.getConfiguration('ptx-analyzer').get<string>('ptxas.path', '');
    if (path === '' || !vscode.workspace.isTrusted) {
        await withoutAssembler();
        return;
    }
    const answer = await vscode.window.withProgress(
        { location: vscode.ProgressLocation.Notification, title: 'Asking ptxas', cancellable: true },
        async (_progress, token) => {
            try {
                return await executeCommand<{ markdown: string }>(server.client, SERVER_COMMANDS.compareRegisters, [argument], token);
            } catch (error) {
                if (token.isCancellationRequested) return undefined;
                throw error;
            }
        },
    );
    if (answer) await documents.showMarkdown('Registers by ptxas', answer.markdown);
}

async function withoutAssembler(): Promise<void> {
    if (!vscode.workspace.isTrusted) {
        const manage = 'Manage Trust';
        const chosen = await vscode.window.showWarningMessage("NVIDIA's assembler is run in trusted workspaces only.", manage);
        if (chosen === manage) await vscode.commands.executeCommand('workbench.trust.manage');
        return;
    }
    const settings = 'Open Settings';
    const chosen = await vscode.window.showInformationMessage(
        "No assembler is configured, and none is looked for. Name NVIDIA's ptxas in the setting ptx-analyzer.ptxas.path.",
        settings,
    );
    if (chosen === settings) await vscode.commands.executeCommand('workbench.action.openSettings', 'ptx-analyzer.ptxas.path');
}

async function evaluateWarp(given?: ShowWarpArguments | vscode.Uri): Promise<void> {
    // Menus of the explorer and of editors pass a URI.
    if (given && !(given instanceof vscode.Uri)) {
        await vscode.commands.executeCommand(COMMANDS.showWarp, given);
        return;
    }
    const editor =
        given && given.toString() !== vscode.window.activeTextEditor?.document.uri.toString()
            ? await vscode.window.showTextDocument(given)
            : activeEditor();
    await vscode.commands.executeCommand(COMMANDS.showWarp, {
        uri: editor.document.uri.toString(),
        line: editor.selection.active.line + 1,
    } satisfies ShowWarpArguments);
}

/**
 * Opens the statement with PTX at the cursor as a kernel, and evaluates that. The kernel takes the place of its file, so that the
 * panel beside it has half of the window.
 */
async function evaluateStatement({ statements }: Parts, given?: { uri: string; line: number }): Promise<void> {
    const editor = vscode.window.activeTextEditor;
    const here = editor && { uri: editor.document.uri.toString(), line: editor.selection.active.line };
    const place = given ?? here;
    if (!place) throw new Error('Put the cursor on a statement with PTX first.');
    const { document, line } = await statements.open(place.uri, place.line);
    await vscode.window.showTextDocument(document, { selection: new vscode.Range(line, 0, line, 0) });
    await vscode.commands.executeCommand(COMMANDS.showWarp, { uri: document.uri.toString(), line: line + 1 } satisfies ShowWarpArguments);
}

/** Removes values and faults of the last evaluation. Edits do not cause a new one. */
async function clearEvaluation({ server }: Parts): Promise<void> {
    await executeCommand(server.client, SERVER_COMMANDS.clearEvaluation, [{ uri: activeEditor().document.uri.toString() }]);
}

async function showServerStatus({ server, documents }: Parts): Promise<void> {
    const status = await executeCommand<{ markdown: string }>(server.client, SERVER_COMMANDS.serverStatus, []);
    await documents.showMarkdown('PTX server', status.markdown);
}

async function showSyntaxTree({ server, documents }: Parts): Promise<void> {
    const { document } = activeEditor();
    const tree = await executeCommand<string>(server.client, SERVER_COMMANDS.showSyntaxTree, [{ uri: document.uri.toString() }]);
    await documents.showText(`Syntax tree of ${document.uri.path.split('/').at(-1) ?? ''}`, tree);
}

/** Writes the guessed launch. The server would also write a second one, so an existing launch is an error here. */
async function writeLaunch({ server }: Parts): Promise<void> {
    const { document, selection } = activeEditor();
    const uri = document.uri.toString();
    const entry = entryAt(document.getText(), selection.active.line);
    if (!entry) throw new Error('There is no kernel at or below the cursor.');
    const { entries } = await executeCommand<Launches>(server.client, SERVER_COMMANDS.launches, [{ uri, entry: entry.name }]);
    if (entries.some(({ name, launches }) => name === entry.name && launches.length > 0)) {
        throw new Error(`A launch is written above ${entry.name} already.`);
    }
    await executeCommand(server.client, SERVER_COMMANDS.writeLaunch, [{ uri, entry: entry.name }]);
}

async function goToLine(uri: string, line: number): Promise<void> {
    const address = vscode.Uri.parse(uri);
    const shown = vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === address.toString());
    const place = new vscode.Range(line - 1, 0, line - 1, 0);
    await vscode.window.showTextDocument(address, { ...(shown?.viewColumn && { viewColumn: shown.viewColumn }), selection: place });
}

/** Opens an example kernel that can be evaluated unchanged. */
async function newKernel({ extensionUri }: Parts): Promise<void> {
    const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(extensionUri, 'walkthrough', 'saxpy.ptx'));
    const document = await vscode.workspace.openTextDocument({ language: 'ptx', content: new TextDecoder().decode(bytes) });
    await vscode.window.showTextDocument(document);
}

async function showMenu({ platform, server }: Parts): Promise<void> {
    const command = (label: string, name: string, detail?: string): vscode.QuickPickItem & { name: string } => ({
        label,
        name,
        ...(detail !== undefined && { detail }),
    });
    const running = server.state.kind === 'running';
    const items = [
        ...(running
            ? [
                  command('$(play) Evaluate warp', COMMANDS.evaluateWarp),
                  command('$(debug-alt) Debug Kernel', COMMANDS.debugEntry),
                  command('$(list-tree) Show Registers', COMMANDS.showRegisters),
                  command('$(split-horizontal) Show SASS beside PTX', COMMANDS.showSass),
                  command('$(book) Explain …', COMMANDS.explain),
                  command('$(checklist) Check Workspace', COMMANDS.checkWorkspace),
                  command('$(info) Show Server Status', COMMANDS.showServerStatus),
              ]
            : []),
        command('$(debug-restart) Restart Server', COMMANDS.restartServer),
        command('$(output) Show Log', COMMANDS.showLog),
        command('$(gear) Settings', 'workbench.action.openSettings'),
    ].filter(({ name }) => !(name in platform.unavailable));
    const title = server.state.kind === 'failed' ? plain(server.state.problem) : 'PTX';
    const chosen = await vscode.window.showQuickPick(items, { title });
    if (!chosen) return;
    await vscode.commands.executeCommand(chosen.name, ...(chosen.name.startsWith('workbench') ? ['@ext:ptx-analyzer.ptx-analyzer'] : []));
}

/** Sets the language of `.ptx` files that are PreTeXt to XML. */
export function leavePreTeXtAlone(): vscode.Disposable {
    const look = async (document: vscode.TextDocument): Promise<void> => {
        if (document.languageId !== 'ptx' || !isPreTeXt(document.getText(new vscode.Range(0, 0, 64, 0)))) return;
        const known = await vscode.languages.getLanguages();
        await vscode.languages.setTextDocumentLanguage(document, known.includes('pretext') ? 'pretext' : 'xml');
    };
    vscode.workspace.textDocuments.forEach((document) => void look(document));
    return vscode.workspace.onDidOpenTextDocument((document) => void look(document));
}
