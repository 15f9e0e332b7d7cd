// The interface between the extension and the system that runs it: a computer (src/node) or a browser (src/web).

import type * as vscode from 'vscode';
import type { BaseLanguageClient, LanguageClientOptions } from 'vscode-languageclient';

/** Where the server was found. */
export type ServerPlace = 'setting' | 'package' | 'PATH' | 'browser';

/** The identity of one of the two servers. */
export interface ServerIdentity {
    id: string;
    name: string;
    arguments: string[];
}

/** A server that can be started. */
export interface ServerProgram {
    /** The file, for messages. */
    file: string;
    place: ServerPlace;
    /** Creates a client; the client starts the server. */
    createClient(options: LanguageClientOptions): BaseLanguageClient;
    /** Ends what a stopped client leaves running. */
    end(): void;
    /** Why the server has ended by itself and is not to be started again without the user, if so. */
    endReason(): string | undefined;
}

export interface Platform {
    findServer(identity: ServerIdentity): ServerProgram | { problem: string };
    /** The commands that do not work here, with the reason for the user. */
    unavailable: Readonly<Record<string, string>>;
    /** The section of the settings that choose the server, if there are any. */
    serverSettings: string | undefined;
    /** Registers what exists on this platform only. */
    register(): vscode.Disposable[];
}
