// Links that carry a text: compressed, in the fragment of the address, which browsers do not send.
// @ts-check

/** The key of the text in the fragment. */
const KEY = "text";

/** A text from a link has at most this many bytes. */
export const MAX_BYTES = 1 << 20;

/** @param {Uint8Array} bytes */
function toBase64(bytes) {
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** @param {string} text */
function fromBase64(text) {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}

/** Returns all bytes of a stream. It fails when there are more than `limit`. @param {ReadableStream<any>} stream @param {number} limit */
async function read(stream, limit) {
  const reader = stream.getReader();
  const parts = [];
  let length = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    length += value.length;
    if (length > limit) {
      reader.cancel().catch(() => {});
      throw new Error(`The text is longer than ${limit} bytes.`);
    }
    parts.push(value);
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Returns the fragment for a text. @param {string} text */
export async function pack(text) {
  const bytes = new TextEncoder().encode(text);
  if (bytes.length > MAX_BYTES) throw new Error(`The text is longer than ${MAX_BYTES} bytes.`);
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `#${KEY}=${toBase64(await read(stream, 2 * MAX_BYTES))}`;
}

/**
 * Returns the text of a fragment, or undefined if it has none. Fails if the link is damaged or its text too long.
 * @param {string} fragment
 */
export async function unpack(fragment) {
  const packed = new URLSearchParams(fragment.slice(1)).get(KEY);
  if (packed === null) return undefined;
  if (packed.length > 2 * MAX_BYTES) throw new Error("The link is too long.");
  let bytes;
  try {
    bytes = fromBase64(packed);
  } catch {
    throw new Error("The link is damaged.");
  }
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  const text = await read(stream, MAX_BYTES).catch((error) => {
    throw error.message.startsWith("The text") ? error : new Error("The link is damaged.");
  });
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(text);
  } catch {
    throw new Error("The text of the link is not UTF-8.");
  }
}
