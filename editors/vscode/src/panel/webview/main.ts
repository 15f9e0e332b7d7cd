// Entry point of the warp panel's page.

import { App, type Kept } from './app';
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
    const app = new App(code, (kept) => {
        clearTimeout(saving);
        saving = setTimeout(() => {
            code.setState(kept);
        }, 300);
    });
    app.mount(root);
}
