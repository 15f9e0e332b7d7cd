/** The part of server/web/js/server.js that the worker uses. */
declare module '*/server.js' {
    export class PtxServer {
        constructor(module: WebAssembly.Module, send: (message: object, body: string) => void);
        receive(message: object | string): void;
    }
}
