// Bundles the page and copies what it loads: the language server, the example kernels, the licences of bundled packages.
// build.sh runs it.
import { build } from "esbuild";
import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = join(here, "../..");
const dist = join(here, "dist");

/** Licences that let anyone ship the package with its notice. */
const PERMISSIVE = new Set(["MIT", "ISC", "Apache-2.0", "BSD-2-Clause", "BSD-3-Clause"]);

/** Returns the names and titles of the example kernels, the simplest one first. */
function examples() {
  const folder = join(root, "tests/kernels");
  const found = readdirSync(folder).filter((file) => file.endsWith(".ptx"));
  const titled = found.map((file) => {
    const name = file.slice(0, -".ptx".length);
    const first = readFileSync(join(folder, file), "utf8").split("\n", 1)[0];
    return { name, title: first.replace(/^\/\/\s*/, "") };
  });
  return titled.sort((a, b) => Number(b.name === "saxpy") - Number(a.name === "saxpy") || a.name.localeCompare(b.name));
}

/** Returns the patterns of words from the TextMate grammar, so that the words are listed once. */
function patterns() {
  const { repository } = JSON.parse(readFileSync(join(root, "editors/vscode/syntaxes/ptx.tmLanguage.json"), "utf8"));
  const rule = (group, name) => repository[group].patterns.find((pattern) => pattern.name === `${name}.ptx`).match;
  return {
    type: rule("directive", "support.type"),
    stateSpace: rule("directive", "storage.modifier.state-space"),
    specialRegister: rule("register", "variable.other.constant.special-register"),
    number: repository.number.patterns.map(({ match }) => match).join("|"),
  };
}

/** Returns the licence texts of the packages in the bundle. @param {string[]} inputs */
function licences(inputs) {
  const folders = new Set(inputs.flatMap((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []));
  const texts = [...folders].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(here, folder, "package.json"), "utf8"));
    if (!PERMISSIVE.has(license)) throw new Error(`${name} has the licence ${license}: decide whether the page may contain it`);
    const file = readdirSync(join(here, folder)).find((one) => /^licen[cs]e/i.test(one));
    if (file === undefined) throw new Error(`${name} has no licence file`);
    return `${name} ${version} (${license})\n\n${readFileSync(join(here, folder, file), "utf8").trim()}\n`;
  });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

/** Parts of the page that are loaded when they are opened. */
const LAZY = ["outline", "registers", "warp", "reference", "updates"];

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
const { metafile } = await build({
  absWorkingDir: here,
  entryPoints: Object.fromEntries([...["main", "editor", ...LAZY].map((name) => [name, `src/${name}.js`]), ["panel", "src/panel/frame.js"]]),
  outdir: dist,
  bundle: true,
  minify: true,
  format: "esm",
  target: "es2022",
  metafile: true,
  legalComments: "none",
  external: ["./editor.js", ...LAZY.map((name) => `./${name}.js`)],
  define: { EXAMPLES: JSON.stringify(examples()), PATTERNS: JSON.stringify(patterns()), REFERENCE: JSON.stringify(process.env.PTX_REFERENCE || undefined) ?? "undefined" },
  logLevel: "warning",
});
writeFileSync(join(dist, "licenses.txt"), licences(Object.keys(metafile.inputs)));
for (const file of ["index.html", "code.css"]) cpSync(join(here, "src", file), join(dist, file));
writeFileSync(join(dist, "page.css"), ["colours.css", "page.css"].map((file) => readFileSync(join(here, "src", file), "utf8")).join(""));
cpSync(join(here, "src/panel/panel.html"), join(dist, "panel.html"));
for (const file of ["ptx-analyzer-checks.wasm", "ptx-analyzer-rest.wasm", "compile.js", "server.js", "worker.js"]) cpSync(join(root, "server/web/dist", file), join(dist, file));
mkdirSync(join(dist, "kernels"));
for (const { name } of examples()) cpSync(join(root, `tests/kernels/${name}.ptx`), join(dist, `kernels/${name}.ptx`));

for (const file of readdirSync(dist).filter((name) => name.includes("."))) {
  const bytes = readFileSync(join(dist, file));
  console.log(`${file}: ${bytes.length} bytes, ${gzipSync(bytes, { level: 9 }).length} compressed`);
}
