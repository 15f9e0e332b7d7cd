// Debugging of kernels: the server is also the debug adapter, and F5 needs no launch.json.

import * as vscode from 'vscode';
import { COMMANDS } from './commandNames';
import { messageOf, plain } from './server';
import { entries, entryAt, registersIn, STATEMENT_SCHEME } from './text';

const TYPE = 'ptx';
/** Number of lines above the current one that show inline values: a whole generated kernel would be too much. */
const INLINE_LINES = 60;

/** `program` returns the server's executable; it throws if there is none. */
export function registerDebugger(program: () => { file: string; env: Record<string, string> }): vscode.Disposable {
    return vscode.Disposable.from(
        vscode.debug.registerDebugAdapterDescriptorFactory(TYPE, {
            createDebugAdapterDescriptor() {
                const { file, env } = program();
                return new vscode.DebugAdapterExecutable(file, ['dap'], { env });
            },
        }),
        vscode.debug.registerDebugConfigurationProvider(TYPE, new Configurations()),
        vscode.debug.registerDebugConfigurationProvider(
            TYPE,
            { provideDebugConfigurations: () => forActiveDocument() },
            vscode.DebugConfigurationProviderTriggerKind.Dynamic,
        ),
        vscode.commands.registerCommand(COMMANDS.askForEntry, askForEntry),
        vscode.commands.registerCommand(COMMANDS.debugEntry, debugEntry),
        vscode.languages.registerEvaluatableExpressionProvider('ptx', { provideEvaluatableExpression }),
        vscode.languages.registerInlineValuesProvider('ptx', { provideInlineValues }),
    );
}

class Configurations implements vscode.DebugConfigurationProvider {
    provideDebugConfigurations(): vscode.DebugConfiguration[] {
        return [launch('Debug the kernel at the cursor', '${file}')];
    }

    resolveDebugConfiguration(
        _folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
    ): vscode.DebugConfiguration | undefined {
        const editor = activeEditor();
        const empty = !configuration.type && !configuration.request && !configuration.name;
        if (editor?.document.uri.scheme === STATEMENT_SCHEME && (empty || (configuration['program'] ?? '${file}') === '${file}')) {
            void vscode.window.showErrorMessage('Save the kernel of the statement as a file first: the debugger reads it from disk.');
            return undefined;
        }
        if (empty) {
            if (!editor) return undefined; // VS Code then asks what to debug
            return launch(`Debug ${fileName(editor.document.uri)}`, '${file}', kernelAtCursor(editor));
        }
        const complete = { ...configuration, program: (configuration['program'] as string | undefined) ?? '${file}' };
        const meant = complete.program === '${file}' ? editor : undefined;
        const chosen = 'entry' in complete || 'launchFile' in complete || !meant ? undefined : kernelAtCursor(meant);
        return { ...complete, ...(chosen !== undefined && { entry: chosen }) };
    }

    resolveDebugConfigurationWithSubstitutedVariables(
        _folder: vscode.WorkspaceFolder | undefined,
        configuration: vscode.DebugConfiguration,
    ): vscode.DebugConfiguration | undefined {
        const program: unknown = configuration['program'];
        if (typeof program !== 'string' || !/[/\\]/.test(program)) {
            void vscode.window.showErrorMessage('Save the kernel as a file first: the debugger reads it from disk.');
            return undefined;
        }
        return configuration;
    }
}

/** A configuration that debugs a kernel of a file. */
export function launch(name: string, program: string, entry?: string): vscode.DebugConfiguration {
    return { type: TYPE, request: 'launch', name, program, ...(entry !== undefined && { entry }), stopOnEntry: true };
}

function forActiveDocument(): vscode.DebugConfiguration[] {
    const document = activeEditor()?.document;
    if (!document) return [];
    return entries(document.getText()).map(({ name }) => launch(`Debug ${name}`, document.uri.fsPath, name));
}

function activeEditor(): vscode.TextEditor | undefined {
    const editor = vscode.window.activeTextEditor;
    return editor?.document.languageId === 'ptx' ? editor : undefined;
}

function kernelAtCursor(editor: vscode.TextEditor): string | undefined {
    return entryAt(editor.document.getText(), editor.selection.active.line)?.name;
}

/** Implements `${command:AskForEntry}` in launch.json. */
async function askForEntry(): Promise<string | undefined> {
    const document = activeEditor()?.document;
    const names = document ? entries(document.getText()).map(({ name }) => name) : [];
    if (names.length === 0) {
        void vscode.window.showErrorMessage('Open a PTX file with a kernel first.');
        return undefined;
    }
    return names.length === 1 ? names[0] : vscode.window.showQuickPick(names, { title: 'Which kernel?' });
}

async function debugEntry(argument?: { entry?: string }): Promise<void> {
    const editor = activeEditor();
    if (!editor) {
        void vscode.window.showErrorMessage('Open a PTX file first.');
        return;
    }
    const { document } = editor;
    if (document.isUntitled && !(await document.save())) return;
    const entry = argument?.entry ?? kernelAtCursor(editor);
    try {
        await vscode.debug.startDebugging(
            vscode.workspace.getWorkspaceFolder(document.uri),
            launch(`Debug ${entry ?? fileName(document.uri)}`, document.uri.fsPath, entry),
        );
    } catch (error) {
        void vscode.window.showErrorMessage(plain(messageOf(error)));
    }
}

function fileName(uri: vscode.Uri): string {
    return uri.path.split('/').at(-1) ?? uri.path;
}

/** The expression that a hover in the debugger evaluates: a register with its percent sign, or a name. */
function provideEvaluatableExpression(document: vscode.TextDocument, position: vscode.Position): vscode.EvaluatableExpression | undefined {
    const range = document.getWordRangeAtPosition(position, /%?[A-Za-z_$][\w$]*(?:\.[xyzw]\b)?/);
    if (!range || !document.getText(range).startsWith('%')) return undefined;
    return new vscode.EvaluatableExpression(range);
}

function provideInlineValues(
    document: vscode.TextDocument,
    viewport: vscode.Range,
    context: vscode.InlineValueContext,
): vscode.InlineValue[] {
    const stopped = context.stoppedLocation.end.line;
    const body = entries(document.getText()).find((entry) => entry.line <= stopped && stopped <= entry.lastLine);
    const first = Math.max(viewport.start.line, stopped - INLINE_LINES, body?.line ?? 0);
    const lines: string[] = [];
    for (let line = first; line <= stopped && line < document.lineCount; line++) lines.push(document.lineAt(line).text);
    return registersIn(lines, first).map(({ name, line, column }) => {
        const range = new vscode.Range(line, column, line, column + name.length);
        return new vscode.InlineValueEvaluatableExpression(range, name);
    });
}
