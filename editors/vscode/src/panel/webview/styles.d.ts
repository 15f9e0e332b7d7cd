// esbuild bundles imported stylesheets into one file beside the script.
declare module '*.css';
