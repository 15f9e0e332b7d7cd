// A test client for a server: the executable that PTX_ANALYZER names.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createMessageConnection, StreamMessageReader, StreamMessageWriter, type MessageConnection } from 'vscode-jsonrpc/node';

/** The root of the repository; tests run in editors/vscode. */
export const repository = resolve(process.cwd(), '../..');

export function serverFile(): string {
    const file = process.env['PTX_ANALYZER'] ?? join(repository, 'target/release/ptx-analyzer');
    if (!existsSync(file)) throw new Error(`there is no server at ${file}: build it, or set PTX_ANALYZER`);
    return file;
}

export async function startServer(): Promise<{ connection: MessageConnection; capabilities: Record<string, unknown>; stop: () => Promise<void> }> {
    const child = spawn(serverFile(), [], { stdio: ['pipe', 'pipe', 'ignore'] });
    const connection = createMessageConnection(new StreamMessageReader(child.stdout), new StreamMessageWriter(child.stdin));
    connection.listen();
    const tokens = { requests: { full: true }, tokenTypes: [], tokenModifiers: [], formats: ['relative'] };
    const answer = await connection.sendRequest<{ capabilities: Record<string, unknown> }>('initialize', {
        processId: null,
        rootUri: null,
        capabilities: { textDocument: { semanticTokens: tokens, publishDiagnostics: {} } },
        initializationOptions: {},
    });
    await connection.sendNotification('initialized', {});
    const stop = async (): Promise<void> => {
        await connection.sendRequest('shutdown');
        await connection.sendNotification('exit');
        connection.dispose();
    };
    return { connection, capabilities: answer.capabilities, stop };
}
