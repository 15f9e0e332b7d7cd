import assert from "node:assert";
import { test } from "node:test";

const { default: ptx } = await import("./index.js");

test("the language loads", async (t) => {
  assert.ok(ptx.language);
  assert.ok(ptx.nodeTypeInfo.some((node) => node.type === "instruction"));
  assert.match(ptx.HIGHLIGHTS_QUERY, /\(opcode\)/);
});

test("the language parses", async (t) => {
  const runtime = await import("tree-sitter").catch(() => null);
  if (!runtime) return t.skip("the package tree-sitter is not installed");
  const parser = new runtime.default();
  parser.setLanguage(ptx);
  const tree = parser.parse("add.u32 %r1, %r2, %r3;\n");
  assert.equal(tree.rootNode.firstChild.type, "instruction");
  assert.equal(tree.rootNode.hasError, false);
});
