// Entry point of the warp panel's page in the playground: the same page as in VS Code, which the playground holds in a frame.
// @ts-check
import { App } from "../../../vscode/src/panel/webview/app.ts";
import "../../../vscode/src/panel/webview/style/main.css";
import "../../../vscode/src/panel/webview/style/grid.css";
import "../../../vscode/src/panel/webview/style/panes.css";
import "./theme.css";

const root = document.getElementById("root");
if (root !== null && parent !== window) {
  const host = {
    keepsPanels: false,
    postMessage: (/** @type {unknown} */ message) => parent.postMessage(message, location.origin),
    listen: (/** @type {(message: unknown) => void} */ listener) =>
      addEventListener("message", ({ source, origin, data }) => {
        if (source === parent && origin === location.origin) listener(data);
      }),
  };
  new App(host, () => {}).mount(root);
  // The panel draws its pictures again when the class of the body changes.
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => void document.body.classList.toggle("dark", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}
