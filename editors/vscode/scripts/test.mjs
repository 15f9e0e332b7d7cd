// Builds and runs the unit tests. Arguments select files, such as `grammar`. (Node.js 20 and later versions find tests
// in different ways.)
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const wanted = process.argv.slice(2);
const run = (args) => spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1;
if (run(['esbuild.mjs', '--tests']) !== 0) process.exit(1);
const files = readdirSync('out/test', { recursive: true })
    .filter((file) => file.endsWith('.test.cjs') && (wanted.length === 0 || wanted.some((name) => file.includes(name))))
    .map((file) => join('out/test', file));
process.exit(run(['--test', '--test-reporter=spec', ...files]));
