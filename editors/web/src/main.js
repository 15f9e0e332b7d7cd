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

// @ts-ignore: a file of dist, not of this folder's build.
const { start } = await import("./editor.js");
await start(worker, () => failed);
