// Entry point of the warp panel's page in VS Code. editors/web has another one for the playground.

import { App, type Kept } from './app';
import type { Host } from './bus';
import './style/main.css';
import './style/grid.css';
import './style/panes.css';

interface CodeApi {
    postMessage(message: unknown): void;
    setState(state: Kept): void;
}

declare function acquireVsCodeApi(): CodeApi;

const code = acquireVsCodeApi();
const root = document.getElementById('root');
if (root !== null) {
    let saving: ReturnType<typeof setTimeout> | undefined;
    const host: Host = {
        keepsPanels: true,
        postMessage: (message) => {
            code.postMessage(message);
        },
        listen: (listener) => {
            window.addEventListener('message', (event: MessageEvent<unknown>) => {
                listener(event.data);
            });
        },
    };
    const app = new App(host, (kept) => {
        clearTimeout(saving);
        saving = setTimeout(() => {
            code.setState(kept);
        }, 300);
    });
    app.mount(root);
}
