// The language client of both platforms. It writes to the log; `Server` alone tells the user about the server.

import type { CancellationToken } from 'vscode';
import { ResponseError, type BaseLanguageClient, type MessageSignature } from 'vscode-languageclient';

// TypeScript requires this type of constructor for mixins.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type ClientClass = abstract new (...args: any[]) => BaseLanguageClient;

/**
 * A language client without messages of its own. While a server starts, stops or dies, keys, settings and requests still
 * reach its client, which cannot deliver them. The library shows each of these as an error, though nothing is lost: the
 * next server begins with the current settings and texts. VS Code itself shows the errors that a running server
 * answers to what a user asked for, such as a rename.
 */
export function quiet<T extends ClientClass>(Base: T): T {
    abstract class QuietClient extends Base {
        override error(message: string, data?: unknown): void {
            super.error(message, data, false);
        }

        override warn(message: string, data?: unknown): void {
            super.warn(message, data, false);
        }

        override handleFailedRequest<R>(type: MessageSignature, token: CancellationToken | undefined, error: unknown, defaultValue: R, _show?: boolean, throwOnCancel?: boolean): R {
            // Any other error comes from the connection, not from the server.
            if (!(error instanceof ResponseError)) {
                this.debug(`${type.method} was not answered`, error);
                return defaultValue;
            }
            return super.handleFailedRequest(type, token, error, defaultValue, false, throwOnCancel);
        }
    }
    return QuietClient;
}
