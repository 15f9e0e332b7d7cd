// The extension: creates its parts and connects them.

import * as vscode from 'vscode';
import { COMMANDS } from './commandNames';
import { compareRegisters, leavePreTeXtAlone, registerCommands, type Parts } from './commands';
import { Documents } from './documents';
import { Indentation } from './indentation';
import { HOST_LANGUAGES, INLINE_MIDDLEWARE, INLINE_SERVER, whenOpened } from './inline';
import { registerWarpPanel } from './panel/index';
import type { ShowWarpArguments } from './protocol';
import { middleware } from './middleware';
import type { Platform } from './platform';
import { RegistersView } from './registers';
import { SassView } from './sass';
import { Server } from './server';
import { Statements } from './statements';
import { Status } from './status';
import { LaunchTests } from './testing/index';
import { warpApi } from './warp';

/** The result of `start`, for other extensions and the tests. */
export interface Api {
    /** The state of the server: `running`, `starting`, `stopped` or `failed`. */
    serverState(): string;
    /** The rows of the register view as text. */
    registers(): string[];
    /** What the views of machine code show. */
    sass(): ReturnType<SassView['state']>;
    /** The state of the server for PTX in other languages. */
    inlineState(): string;
    /** The rows of the Test Explorer as text, with outcomes and messages. */
    tests(): string[];
}

let servers: Server[] = [];

export async function start(context: vscode.ExtensionContext, platform: Platform): Promise<Api> {
    const log = vscode.window.createOutputChannel('PTX Analyzer', { log: true });
    const shown = {
        registers: async (argument: Record<string, unknown>) => {
            if (typeof argument['uri'] === 'string') await placeCursor(argument['uri'], argument['entry']);
            await registers.show();
        },
        compareRegisters: (argument: Record<string, unknown>) => compareRegisters(parts, argument),
        sass: (argument: Record<string, unknown>) => vscode.commands.executeCommand(COMMANDS.showSass, argument) as Promise<unknown>,
    };
    const started = new Server(
        context,
        platform,
        log,
        middleware(() => shown),
    );
    const inline = new Server(context, platform, log, INLINE_MIDDLEWARE, INLINE_SERVER);
    servers = [started, inline];
    const documents = new Documents();
    const statements = new Statements(inline);
    const registers = new RegistersView(started);
    const sass = new SassView(started);
    const api = warpApi(started);
    const panel = registerWarpPanel(context, api);
    const tests = new LaunchTests(started, platform);
    const parts: Parts = { platform, server: started, inline, documents, statements, registers, sass, extensionUri: context.extensionUri, showWarp: (args: ShowWarpArguments) => panel.show(args) };
    context.subscriptions.push(
        log,
        ...servers,
        documents,
        statements,
        registers,
        sass,
        api,
        panel,
        tests,
        new Status(started),
        new Indentation(started),
        registerCommands(parts),
        ...platform.register(),
        leavePreTeXtAlone(),
        rememberOpenPtx(),
    );
    context.subscriptions.push(whenOpened(HOST_LANGUAGES, () => void inline.ensure()));
    // A file of another language alone needs no server for PTX files.
    const open = (languages: string[]): boolean => vscode.workspace.textDocuments.some(({ languageId }) => languages.includes(languageId));
    if (open(HOST_LANGUAGES) && !open(['ptx'])) context.subscriptions.push(whenOpened(['ptx'], () => void started.ensure()));
    else await started.ensure();
    return { serverState: () => started.state.kind, registers: () => registers.outline(), sass: () => sass.state(), inlineState: () => inline.state.kind, tests: () => tests.outline() };
}

export async function stop(): Promise<void> {
    await Promise.all(servers.map((server) => server.stop()));
}

/** Shows the register view only while a PTX file is visible. */
function rememberOpenPtx(): vscode.Disposable {
    const update = (): void => {
        const open = vscode.window.visibleTextEditors.some(({ document }) => document.languageId === 'ptx');
        if (open) void vscode.commands.executeCommand('setContext', 'ptx-analyzer.opened', true);
    };
    update();
    return vscode.window.onDidChangeVisibleTextEditors(update);
}

/** Puts the cursor on a function's name, so that views that follow the cursor show that function. */
async function placeCursor(uri: string, name: unknown): Promise<void> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
    const line = typeof name === 'string' ? document.getText().split('\n').findIndex((text) => declares(text, name)) : -1;
    if (line >= 0) await vscode.commands.executeCommand(COMMANDS.goToLine, uri, line + 1);
}

function declares(text: string, name: string): boolean {
    return /^\s*(?!\/\/).*\.(?:entry|func)\b/.test(text) && text.split(/[^\w$%]+/).includes(name);
}
