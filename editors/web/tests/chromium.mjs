// Chromium and a web server, for tests and measurements.
import { existsSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
export const dist = join(root, "editors/web/dist");
const browserPath = process.env.CHROMIUM ?? "/usr/bin/chromium";
export const site = process.env.PTX_WEB_SITE ?? join(root, "tests/site/");

const missing = [
  !existsSync(browserPath) && `no browser at ${browserPath}`,
  !existsSync(join(site, "node_modules/playwright-core")) && "run `npm ci` in tests/site",
  !existsSync(join(dist, "index.html")) && "run editors/web/build.sh",
];
export const skip = missing.find(Boolean) || false;

export const TYPES = { ".js": "text/javascript", ".wasm": "application/wasm", ".html": "text/html; charset=utf-8", ".css": "text/css", ".ptx": "text/plain; charset=utf-8" };

/** Returns the file of a request. @param {string} folder @param {string} address */
export function fileOf(folder, address) {
  const path = normalize(new URL(address, "http://localhost").pathname);
  return join(folder, path.endsWith("/") ? `${path}index.html` : path);
}

/** Serves a folder. The server drops connections while it has the property `refuse`. @param {string} folder */
export async function serve(folder) {
  const server = createServer((request, response) => {
    if (server.refuse) {
      request.socket.destroy();
      return;
    }
    const file = fileOf(folder, request.url);
    const found = existsSync(file);
    response.writeHead(found ? 200 : 404, { "content-type": TYPES[extname(file)] ?? "text/plain; charset=utf-8" });
    response.end(found ? readFileSync(file) : undefined);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

export function launch() {
  const { chromium } = createRequire(site)("playwright-core");
  return chromium.launch({ executablePath: browserPath, args: ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"] });
}
