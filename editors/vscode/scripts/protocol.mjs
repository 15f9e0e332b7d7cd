// Makes the types of the server's answers, and the schema by which the panel checks them, from the JSON Schemas in
// docs/schemas. Those are made from the server's own types.
//
//   node scripts/protocol.mjs
import { compile } from 'json-schema-to-typescript';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const read = (name) => JSON.parse(readFileSync(new URL(`../../../docs/schemas/${name}.schema.json`, import.meta.url), 'utf8'));

/** Words for people, and bounds that follow from a type, are not checked. */
const WORDS = new Set(['$schema', 'description', 'format', 'title']);

function bare(schema) {
    if (Array.isArray(schema)) return schema.map(bare);
    if (typeof schema !== 'object' || schema === null) return schema;
    const kept = Object.entries(schema).filter(([key, value]) => !(WORDS.has(key) && typeof value === 'string'));
    return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]));
}

/** The files in src/generated, by name. */
export async function generated() {
    const schema = read('evaluate-warp');
    const types = await compile({ ...structuredClone(schema), title: 'Evaluation' }, 'Evaluation', {
        additionalProperties: false,
        bannerComment: '',
        maxItems: 4,
        style: { singleQuote: true, tabWidth: 4, printWidth: 140 },
    });
    const compact = types.replaceAll(/\/\*\*\n\s+\* (.*)\n\s+\*\//g, '/** $1 */').replaceAll(/;\n(?=\s+\/\*\*)/g, ';\n');
    return {
        'view.ts': `// Made by scripts/protocol.mjs from docs/schemas: change the types of server/view instead.\n\n${compact}`,
        'evaluation.json': `${JSON.stringify(bare(schema))}\n`,
    };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    for (const [name, text] of Object.entries(await generated())) {
        writeFileSync(new URL(`../src/generated/${name}`, import.meta.url), text);
    }
}
