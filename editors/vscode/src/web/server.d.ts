/** The part of server/web/js/server.js that the worker uses. */
declare module '*/server.js' {
    export type Kind = 'start' | 'start_in_editor' | 'start_host';

    export interface Host {
        /** Hears that the server has ended. */
        ended: (reason: string) => void;
    }

    export class PtxServer {
        constructor(module: WebAssembly.Module, send: (message: object, body: string) => void, host: Partial<Host>, loadRest: undefined, kind: Kind);
        receive(message: object | string): void;
    }
}
