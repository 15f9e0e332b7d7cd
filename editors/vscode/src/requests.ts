// The server's commands as functions. A server error becomes an `Error` whose message can be shown unchanged.

import type * as vscode from 'vscode';
import { ExecuteCommandRequest, ResponseError, type BaseLanguageClient } from 'vscode-languageclient';
import type { Refusal } from './protocol';

/** A refusal by the server, with a sentence for the user; `data` contains the reason for programs, if there is one. */
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

/** Runs a command of the server without its middleware, which would show the answer instead of returning it. */
export async function executeCommand<T>(
    client: BaseLanguageClient | undefined,
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
