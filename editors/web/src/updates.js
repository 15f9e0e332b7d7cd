// Use without a network, and the message about a newer version.
// @ts-check
import { actionButton, byId } from "./dom.js";

/** @param {string} message @param {() => void} reload */
function tell(message, reload) {
  const element = byId("update");
  element.replaceChildren(`${message} `, actionButton(reload, "Reload"));
  element.hidden = false;
}

/**
 * Starts the service worker. Call it when the page is loaded, since it downloads the files of the page.
 * @param {() => Promise<void>} keep keeps the text for the reload
 */
export async function start(keep) {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) return;
  const reload = async () => {
    await keep().catch(() => {});
    location.reload();
  };
  let asked = false;
  let controlled = serviceWorker.controller !== null;
  serviceWorker.addEventListener("controllerchange", () => {
    if (asked) void reload();
    else if (controlled) tell("Another tab has loaded a new version of this page.", () => void reload());
    controlled = true;
  });
  const registration = await serviceWorker.register("service-worker.js", { updateViaCache: "none" });
  /** @param {ServiceWorker | null} worker */
  const offer = (worker) => {
    // The first worker replaces no version.
    if (worker === null || registration.active === null) return;
    tell("A new version of this page is ready; you see the old one.", () => {
      asked = true;
      worker.postMessage("activate");
    });
  };
  offer(registration.waiting);
  registration.addEventListener("updatefound", () => {
    const worker = registration.installing;
    worker?.addEventListener("statechange", () => worker.state === "installed" && offer(worker));
  });
}
