// Starts the language server before the editor is loaded: its module is the largest part of the page.
// @ts-check
import { compile } from "../../../server/web/js/compile.js";

/** @type {Worker | undefined} */
let worker;
try {
  // Its first message is the module, which arrives while the worker starts.
  worker = new Worker("worker.js", { type: "module", name: "given" });
} catch {
  // The page says that there is no server.
}
/** Whether the worker has failed before the editor listens. */
let failed = worker === undefined;
worker?.addEventListener("error", () => (failed = true));
// index.html loads it in advance.
compile("ptx-analyzer-checks.wasm").then(
  (module) => worker?.postMessage(module),
  (error) => {
    console.error(error);
    worker?.dispatchEvent(new Event("error"));
  },
);

import("./editor.js")
  .then(({ start }) => start(worker, () => failed))
  .catch((error) => {
    console.error(error);
    const status = document.getElementById("status");
    if (status !== null) status.textContent = "The editor did not load. Reload the page to try again.";
  });
