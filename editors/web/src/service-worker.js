// Keeps the page for use without a network. offline.mjs puts the names and hashes of all files at the top.
//
// One worker has the files of one version. A page gets all its files from the same worker, so it never mixes versions. A newer
// version waits until the page has told the user (src/updates.js).
// @ts-check

/** @type {Record<string, string>} */
// @ts-ignore: offline.mjs defines it.
const files = FILES;
/** @type {string} */
// @ts-ignore: offline.mjs defines it.
const version = VERSION;

/** @type {any} */
const scope = self;

/** The caches of this page, and no others of the same origin. */
const PREFIX = `ptx-playground ${scope.registration.scope} `;
const CACHE = PREFIX + version;

/** @param {string} name */
async function download(name) {
  // The HTTP cache answers if the server confirms the file: a visit does not load it twice.
  const response = await fetch(name, { cache: "no-cache" });
  if (!response.ok) throw new Error(`${name}: status ${response.status}`);
  const body = await response.clone().arrayBuffer();
  const digest = [...new Uint8Array(await crypto.subtle.digest("SHA-256", body))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (digest !== files[name]) throw new Error(`${name} is not of version ${version}`);
  return response;
}

async function install() {
  const cache = await caches.open(CACHE);
  await Promise.all(Object.keys(files).map(async (name) => cache.put(new URL(name, scope.registration.scope), await download(name))));
}

async function removeOlder() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith(PREFIX) && name !== CACHE).map((name) => caches.delete(name)));
}

/** @param {Request} request */
async function answer(request) {
  const url = new URL(request.url);
  url.search = "";
  url.hash = "";
  if (url.href === scope.registration.scope) url.pathname += "index.html";
  const cache = await caches.open(CACHE);
  return (await cache.match(url)) ?? fetch(request);
}

scope.addEventListener("install", (/** @type {any} */ event) => event.waitUntil(install()));
scope.addEventListener("activate", (/** @type {any} */ event) => event.waitUntil(removeOlder()));
scope.addEventListener("fetch", (/** @type {any} */ event) => {
  const { request } = event;
  if (request.method === "GET" && request.url.startsWith(scope.registration.scope)) event.respondWith(answer(request));
});
scope.addEventListener("message", (/** @type {MessageEvent} */ { data }) => {
  if (data === "activate") scope.skipWaiting();
});
