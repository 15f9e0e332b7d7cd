// Loads a WebAssembly module.
// @ts-check

/** @param {string | URL} address @returns {Promise<WebAssembly.Module>} */
export async function compile(address) {
  const response = await fetch(address);
  if (!response.ok) throw new Error(`${response.url.split("/").at(-1)} has the status ${response.status}`);
  // Some servers send another content type than application/wasm.
  const isModule = response.headers.get("content-type") === "application/wasm";
  return isModule ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}
