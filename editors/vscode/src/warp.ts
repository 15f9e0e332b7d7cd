// The server requests that the warp panel may use.

import * as vscode from 'vscode';
import { SERVER_COMMANDS } from './commandNames';
import type { WarpApi } from './panelHost';
import type { Evaluated, Evaluation, Launches } from './protocol';
import { executeCommand } from './requests';
import type { Server } from './server';

const EVALUATED = 'ptx-analyzer/evaluated';

export function warpApi(server: Server): WarpApi & vscode.Disposable {
    const evaluated = new vscode.EventEmitter<Evaluated>();
    const changed = new vscode.EventEmitter<void>();
    const listening = [
        server.onWillStart((client) => {
            client.onNotification(EVALUATED, (what: Evaluated) => {
                evaluated.fire(what);
            });
        }),
        server.onDidChangeState(() => {
            changed.fire();
        }),
    ];
    const ask = <T>(command: string, argument: object, token?: vscode.CancellationToken): Promise<T> =>
        executeCommand<T>(server.client, command, [argument], token);
    return {
        client: () => (server.state.kind === 'running' ? server.client : undefined),
        evaluate: (args, token) => ask<Evaluation>(SERVER_COMMANDS.evaluateWarp, args, token),
        launches: (args) => ask<Launches>(SERVER_COMMANDS.launches, args),
        clear: async (uri) => {
            await ask(SERVER_COMMANDS.clearEvaluation, { uri });
        },
        onEvaluated: evaluated.event,
        onServerChanged: changed.event,
        dispose() {
            [...listening, evaluated, changed].forEach((one) => {
                one.dispose();
            });
        },
    };
}
