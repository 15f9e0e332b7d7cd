// Renders editors/vscode/images/icon.png from icon.svg, because the marketplace does not accept SVG.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { launchBrowser } from './workbench.mjs';

const images = fileURLToPath(new URL('../../../editors/vscode/images/', import.meta.url));
const browser = await launchBrowser();
const page = await browser.newPage({ viewport: { width: 128, height: 128 } });
await page.setContent(`<style>*{margin:0}svg{display:block}</style>${readFileSync(`${images}icon.svg`, 'utf8')}`);
await page.screenshot({ path: `${images}icon.png`, omitBackground: true });
await browser.close();
