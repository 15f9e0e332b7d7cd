// Writes the service worker of a finished folder: its version is the hash of the folder's content.
//
//   node offline.mjs FOLDER
import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join, relative, sep } from "node:path";

const NAME = "service-worker.js";
const hash = (bytes) => createHash("sha256").update(bytes).digest("hex");

const [folder] = process.argv.slice(2);
const files = {};
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || entry.name === NAME) continue;
  const path = join(entry.parentPath ?? entry.path, entry.name);
  files[relative(folder, path).split(sep).join("/")] = hash(readFileSync(path));
}
const sorted = JSON.stringify(Object.fromEntries(Object.entries(files).sort(([a], [b]) => (a < b ? -1 : 1))), null, 1);
const version = hash(sorted).slice(0, 16);
const source = readFileSync(new URL(`src/${NAME}`, import.meta.url), "utf8");
writeFileSync(join(folder, NAME), `const FILES = ${sorted};\nconst VERSION = "${version}";\n${source}`);
console.log(`${NAME}: version ${version}, ${Object.keys(files).length} files`);
