// The status of server and document: an item in the status bar, and details in the language status menu.

import * as vscode from 'vscode';
import { COMMANDS } from './commandNames';
import { describe, plain, type Server, type ServerState } from './server';
import { header } from './text';

export class Status implements vscode.Disposable {
    readonly #item = vscode.window.createStatusBarItem('ptx-analyzer.status', vscode.StatusBarAlignment.Right, 101);
    readonly #server = vscode.languages.createLanguageStatusItem('ptx-analyzer.server', { language: 'ptx' });
    readonly #module = vscode.languages.createLanguageStatusItem('ptx-analyzer.module', { language: 'ptx' });
    readonly #disposables: vscode.Disposable[];
    #timer: ReturnType<typeof setTimeout> | undefined;

    constructor(private readonly server: Server) {
        this.#item.name = 'PTX';
        this.#item.command = COMMANDS.showMenu;
        this.#server.name = 'PTX server';
        this.#server.command = { title: 'Menu', command: COMMANDS.showMenu };
        this.#module.name = 'PTX module';
        this.#module.command = {
            title: 'Settings',
            command: 'workbench.action.openSettings',
            arguments: ['ptx-analyzer.target'],
        };
        this.#disposables = [
            this.#item,
            this.#server,
            this.#module,
            server.onDidChangeState(() => {
                this.#update();
            }),
            vscode.window.onDidChangeActiveTextEditor(() => {
                this.#update();
            }),
            vscode.workspace.onDidChangeTextDocument(({ document }) => {
                if (document === vscode.window.activeTextEditor?.document && document.languageId === 'ptx') this.#soon();
            }),
            vscode.workspace.onDidChangeConfiguration((event) => {
                if (event.affectsConfiguration('ptx-analyzer.target')) this.#update();
            }),
        ];
        this.#update();
    }

    dispose(): void {
        clearTimeout(this.#timer);
        this.#disposables.forEach((disposable) => {
            disposable.dispose();
        });
    }

    #soon(): void {
        clearTimeout(this.#timer);
        this.#timer = setTimeout(() => {
            this.#update();
        }, 300);
    }

    #update(): void {
        const state = this.server.state;
        const document = vscode.window.activeTextEditor?.document;
        this.#showServer(state);
        if (document?.languageId !== 'ptx') {
            this.#item.hide();
            return;
        }
        const written = header(document.getText(new vscode.Range(0, 0, 2000, 0)));
        const override = vscode.workspace.getConfiguration('ptx-analyzer', document).get<string>('target', '');
        const target = override !== '' ? override : (written.target ?? 'no target');
        const version = written.version === undefined ? 'no version' : `PTX ${written.version}`;
        this.#module.text = `${version}, ${target}`;
        this.#module.detail = override !== '' ? `checked as ${override}, .target is ${written.target ?? 'missing'}` : 'of this module';
        this.#item.text = `${icon(state)}${version} · ${target}`;
        this.#item.tooltip = tooltip(state, this.#module.detail);
        this.#item.accessibilityInformation = { label: `${version}, ${target}, server ${state.kind}`, role: 'button' };
        this.#item.backgroundColor =
            state.kind === 'failed' ? new vscode.ThemeColor('statusBarItem.errorBackground') : undefined;
        this.#item.show();
    }

    #showServer(state: ServerState): void {
        this.#server.busy = state.kind === 'starting';
        this.#server.severity =
            state.kind === 'failed'
                ? vscode.LanguageStatusSeverity.Error
                : state.kind === 'running' && state.warning !== undefined
                  ? vscode.LanguageStatusSeverity.Warning
                  : vscode.LanguageStatusSeverity.Information;
        this.#server.text = `PTX server ${state.kind === 'running' ? (state.version ?? 'of an unknown version') : state.kind}`;
        this.#server.detail =
            state.kind === 'running' ? (state.warning ?? describe(state.place)) : state.kind === 'failed' ? plain(state.problem) : '';
    }
}

function icon(state: ServerState): string {
    switch (state.kind) {
        case 'running':
            return state.warning === undefined ? '' : '$(warning) ';
        case 'starting':
            return '$(loading~spin) ';
        case 'failed':
            return '$(error) ';
        case 'stopped':
            return '$(circle-slash) ';
    }
}

function tooltip(state: ServerState, module: string): vscode.MarkdownString {
    const lines = [`**PTX Analyzer** – version and target ${module}`];
    if (state.kind === 'running') {
        lines.push(`Server ${state.version ?? ''}, ${describe(state.place)}`);
        if (state.warning !== undefined) lines.push(`$(warning) ${state.warning}`);
    } else if (state.kind === 'failed') {
        lines.push(`$(error) ${state.problem}`);
    } else {
        lines.push(`The server is ${state.kind}.`);
    }
    lines.push('Click for commands.');
    return new vscode.MarkdownString(lines.join('\n\n'), true);
}
