// The server's commands as functions. An error of the server becomes one that can be shown as it is.

import type * as vscode from 'vscode';
import { ExecuteCommandRequest, ResponseError, type LanguageClient } from 'vscode-languageclient/node';
import type { Refusal } from './protocol';

/** The server said no, in a sentence for the user; `data` says why in a form for programs, where there is one. */
export class RequestRefused extends Error {
    constructor(
        message: string,
        readonly code: number,
        readonly data: Refusal | undefined,
    ) {
        super(message);
        this.name = 'RequestRefused';
    }
}

/** Runs a command of the server. Its middleware is passed by: what a command answers is wanted here, not shown. */
export async function executeCommand<T>(
    client: LanguageClient | undefined,
    command: string,
    args: unknown[],
    token?: vscode.CancellationToken,
): Promise<T> {
    if (!client?.isRunning()) {
        throw new RequestRefused('The PTX language server does not run.', 0, undefined);
    }
    const parameters = { command, arguments: args };
    try {
        const answer: unknown = await (token
            ? client.sendRequest(ExecuteCommandRequest.type, parameters, token)
            : client.sendRequest(ExecuteCommandRequest.type, parameters));
        return answer as T;
    } catch (error) {
        if (error instanceof ResponseError) {
            throw new RequestRefused(error.message, error.code, error.data as Refusal | undefined);
        }
        throw error;
    }
}
