import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import build from "node-gyp-build";

const root = fileURLToPath(new URL("../..", import.meta.url));

const binding = build(root);

binding.nodeTypeInfo = JSON.parse(readFileSync(`${root}/src/node-types.json`, "utf8"));

// Read the queries on first use: most users need only the language.
for (const name of ["highlights", "folds", "indents", "locals", "tags", "injections"]) {
  const property = `${name.toUpperCase()}_QUERY`;
  Object.defineProperty(binding, property, {
    configurable: true,
    enumerable: true,
    get() {
      const query = readFileSync(`${root}/queries/${name}.scm`, "utf8");
      Object.defineProperty(binding, property, { value: query, enumerable: true });
      return query;
    },
  });
}

export default binding;
