// The extension on a computer: the server is a program.

import * as vscode from 'vscode';
import { LanguageClient } from 'vscode-languageclient/node';
import { homedir } from 'node:os';
import { findServer, isExecutable } from '../binary';
import { quiet } from '../client';
import { registerDebugger } from '../debug';
import { start, stop, type Api } from '../extension';
import type { Platform } from '../platform';

export function activate(context: vscode.ExtensionContext): Promise<Api> {
    return start(context, computer(context));
}

export function deactivate(): Promise<void> {
    return stop();
}

const Client = quiet(LanguageClient);

function computer(context: vscode.ExtensionContext): Platform {
    const find = (): ReturnType<typeof findServer> =>
        findServer({
            setting: vscode.workspace.getConfiguration('ptx-analyzer.server').get<string>('path', ''),
            extension: context.extensionPath,
            path: process.env['PATH'],
            home: homedir(),
            platform: process.platform,
            isExecutable,
        });
    const extraEnv = (): Record<string, string> =>
        vscode.workspace.getConfiguration('ptx-analyzer.server').get<Record<string, string>>('extraEnv', {});
    return {
        findServer(identity) {
            const found = find();
            if ('problem' in found) return found;
            let client: LanguageClient | undefined;
            return {
                ...found,
                createClient: (options) => {
                    const executable = { command: found.file, args: identity.arguments, options: { env: { ...process.env, ...extraEnv() } } };
                    client = new Client(identity.id, identity.name, executable, options);
                    return client;
                },
                // A client that has run ends its process itself.
                end: () => {
                    client?.serverProcess?.kill('SIGKILL');
                },
                endReason: () => undefined,
            };
        },
        unavailable: {},
        serverSettings: 'ptx-analyzer.server',
        register: () => [
            registerDebugger(() => {
                const found = find();
                if ('problem' in found) throw new Error(found.problem);
                return { file: found.file, env: extraEnv() };
            }),
        ],
    };
}
