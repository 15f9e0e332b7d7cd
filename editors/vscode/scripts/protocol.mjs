// Makes the types of the server's answers, and the schema by which the panel checks them, from the JSON Schemas in
// docs/schemas. Those are made from the server's own types.
//
//   node scripts/protocol.mjs [--check]
//
// --check writes nothing, and fails if a file is stale.
import { compile } from 'json-schema-to-typescript';
import { readFileSync, writeFileSync } from 'node:fs';

const read = (name) => JSON.parse(readFileSync(new URL(`../../../docs/schemas/${name}.schema.json`, import.meta.url), 'utf8'));

/** Words for people, and bounds that follow from a type, are not checked. */
const WORDS = new Set(['$schema', 'description', 'format', 'title']);

function bare(schema) {
    if (Array.isArray(schema)) return schema.map(bare);
    if (typeof schema !== 'object' || schema === null) return schema;
    // Names with descriptions are constants to choose from.
    if (Array.isArray(schema.oneOf) && schema.oneOf.every((one) => 'const' in one)) return { enum: schema.oneOf.map((one) => one.const) };
    const kept = Object.entries(schema).filter(([key, value]) => !(WORDS.has(key) && typeof value === 'string'));
    return Object.fromEntries(kept.map(([key, value]) => [key, bare(value)]));
}

/** The generator of types knows the older spelling of tuples. */
function withOldTuples(schema) {
    if (Array.isArray(schema)) return schema.map(withOldTuples);
    if (typeof schema !== 'object' || schema === null) return schema;
    const { prefixItems, ...rest } = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, withOldTuples(value)]));
    return prefixItems === undefined ? rest : { ...rest, items: prefixItems };
}

/** The files in src/generated, by name. */
async function generated() {
    const schema = read('evaluate-warp');
    const types = await compile({ ...withOldTuples(schema), title: 'Evaluation' }, 'Evaluation', {
        additionalProperties: false,
        bannerComment: '',
        maxItems: 5,
        style: { singleQuote: true, tabWidth: 4, printWidth: 140 },
    });
    const compact = types.replaceAll(/\/\*\*\n\s+\* (.*)\n\s+\*\//g, '/** $1 */').replaceAll(/\{\n\s+(\[k: string\]: .*)\n\s+\}/g, '{ $1 }');
    return {
        'view.ts': `// Made by scripts/protocol.mjs from docs/schemas: change the types of server/view instead.\n\n${compact}`,
        'evaluation.json': `${JSON.stringify(bare(schema))}\n`,
    };
}

const check = process.argv.includes('--check');
for (const [name, text] of Object.entries(await generated())) {
    const file = new URL(`../src/generated/${name}`, import.meta.url);
    if (!check) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) {
        console.error(`src/generated/${name} is stale: npm run protocol`);
        process.exitCode = 1;
    }
}
