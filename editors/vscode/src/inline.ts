// PTX in the strings of other languages' files: the server that analyses them, beside the one of their language.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { COMMANDS, SERVER_COMMANDS } from './commandNames';
import { schemes, type ServerKind } from './server';

/** The languages in whose strings the server can find PTX. */
export const HOST_LANGUAGES = ['cuda-cpp', 'cpp', 'c', 'python', 'rust', 'llvm', 'julia'];

/** The languages that the settings choose; none if the feature is off. */
export function inlineLanguages(): string[] {
    const settings = vscode.workspace.getConfiguration('ptx-analyzer.inline');
    if (!settings.get<boolean>('enable', true)) return [];
    const chosen = settings.get<unknown>('languages', HOST_LANGUAGES);
    return Array.isArray(chosen) ? HOST_LANGUAGES.filter((language) => chosen.includes(language)) : HOST_LANGUAGES;
}

export const INLINE_SERVER: ServerKind = {
    id: 'ptx-analyzer-inline',
    name: 'PTX in other languages',
    arguments: ['--inline'],
    selector: () => inlineLanguages().flatMap((language) => schemes().map((scheme) => ({ scheme, language }))),
    restarting: ['ptx-analyzer.server', 'ptx-analyzer.inline.enable', 'ptx-analyzer.inline.languages'],
    announced: false,
};

/** The server's action for a statement shows it in the warp panel, beside the file. */
export const INLINE_MIDDLEWARE: Middleware = {
    executeCommand: async (command, args, next) => {
        if (command !== SERVER_COMMANDS.inlineKernel) return (await next(command, args)) as unknown;
        return vscode.commands.executeCommand(COMMANDS.evaluateStatement, args[0]);
    },
};

/**
 * Calls back when a document has one of these languages, now or later, once.
 */
export function whenOpened(languages: readonly string[], callback: () => void): vscode.Disposable {
    const fits = ({ languageId }: vscode.TextDocument): boolean => languages.includes(languageId);
    if (vscode.workspace.textDocuments.some(fits)) {
        callback();
        return new vscode.Disposable(() => undefined);
    }
    const listening = vscode.workspace.onDidOpenTextDocument((document) => {
        if (!fits(document)) return;
        listening.dispose();
        callback();
    });
    return listening;
}
