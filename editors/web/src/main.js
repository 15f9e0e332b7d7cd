// Starts the language server before the editor is loaded: its module is the largest part of the page.
// @ts-check

/** @type {Worker | undefined} */
let worker;
try {
  worker = new Worker("worker.js", { type: "module" });
} catch {
  // The page says that there is no server.
}
/** Whether the worker has failed before the editor listens. */
let failed = worker === undefined;
worker?.addEventListener("error", () => (failed = true));

import("./editor.js")
  .then(({ start }) => start(worker, () => failed))
  .catch((error) => {
    console.error(error);
    const status = document.getElementById("status");
    if (status !== null) status.textContent = "The editor did not load. Reload the page to try again.";
  });
