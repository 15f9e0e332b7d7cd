// VS Code runs this instead of an extension: mocha, with its report in a file.
const { readdirSync } = require('node:fs');
const { join } = require('node:path');
const Mocha = require('mocha');

exports.run = () =>
    new Promise((resolve, reject) => {
        const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, reporter: 'json', ...(process.env.PTX_TEST_GREP && { grep: process.env.PTX_TEST_GREP }), reporterOptions: { output: process.env.PTX_TEST_REPORT } });
        for (const file of readdirSync(__dirname).sort()) if (file.endsWith('.test.js')) mocha.addFile(join(__dirname, file));
        mocha.run((failures) => (failures > 0 ? reject(new Error(`${failures} failed`)) : resolve()));
    });
