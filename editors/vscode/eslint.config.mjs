import js from '@eslint/js';
import tseslint from 'typescript-eslint';

export default tseslint.config(
    { ignores: ['dist', 'out', 'node_modules', 'server', '.vscode-test'] },
    {
        files: ['**/*.ts'],
        extends: [js.configs.recommended, ...tseslint.configs.strictTypeChecked],
        languageOptions: {
            parserOptions: { project: ['./tsconfig.json', './tsconfig.web.json', './tsconfig.webview.json'], tsconfigRootDir: import.meta.dirname },
        },
        rules: {
            eqeqeq: 'error',
            'prefer-const': 'error',
            '@typescript-eslint/consistent-type-imports': 'error',
            // Numbers are readable in templates.
            '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
            // In VS Code, any object with `dispose` is a disposable, not only instances of its class.
            '@typescript-eslint/no-unsafe-class-instance-assignment': 'off',
            // A handler may be a promise that is not awaited: VS Code shows its errors.
            '@typescript-eslint/no-misused-promises': ['error', { checksVoidReturn: false }],
        },
    },
    {
        files: ['test/**/*.ts'],
        rules: {
            // node:test's functions return promises that the runner awaits.
            '@typescript-eslint/no-floating-promises': 'off',
        },
    },
    {
        files: ['**/*.mjs'],
        extends: [js.configs.recommended],
        languageOptions: { globals: { process: 'readonly', console: 'readonly', Buffer: 'readonly', URL: 'readonly', setTimeout: 'readonly' } },
    },
);
