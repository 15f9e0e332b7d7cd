// Shows the results of server commands that a code lens or a code action runs.

import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient';
import { COMMANDS, SERVER_COMMANDS } from './commandNames';

type Run = (argument: Record<string, unknown>) => Promise<unknown>;

export interface Shown {
    /** Shows the registers of the function below a lens. */
    registers: Run;
    compareRegisters: Run;
    sass: Run;
}

/** `shown` is called late, because the views are created after the client's options. */
export function middleware(shown: () => Shown): Middleware {
    const here: Record<string, Run | undefined> = {
        [SERVER_COMMANDS.registerPressure]: (argument) => shown().registers(argument),
        [SERVER_COMMANDS.compareRegisters]: (argument) => shown().compareRegisters(argument),
        [SERVER_COMMANDS.sass]: (argument) => shown().sass(argument),
        [SERVER_COMMANDS.explain]: async (argument) => vscode.commands.executeCommand(COMMANDS.explain, argument['query']),
        [SERVER_COMMANDS.serverStatus]: async () => vscode.commands.executeCommand(COMMANDS.showServerStatus),
        [SERVER_COMMANDS.showSyntaxTree]: async () => vscode.commands.executeCommand(COMMANDS.showSyntaxTree),
    };
    return {
        executeCommand: async (command, args, next) => {
            const run = here[command];
            const argument: unknown = args[0] ?? {};
            // Callers that need only the result, such as another extension, pass `show: false`.
            const bare = typeof argument === 'object' && argument !== null && 'show' in argument && argument.show === false;
            if (!run || bare) return (await next(command, args)) as unknown;
            return run(typeof argument === 'object' && argument !== null ? (argument as Record<string, unknown>) : { query: argument });
        },
    };
}
