// Random edits that are the same in each run.

/** Numbers that look random and are the same in each run. */
export function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

/** One to three random replacements in a text, as LSP changes, and the lines of the new text. */
export function edits(lines, next, pieces) {
  let changed = [...lines];
  const changes = Array.from({ length: 1 + next(3) }, () => {
    const line = next(changed.length);
    const start = next(changed[line].length + 1);
    const end = Math.min(start + next(4), changed[line].length);
    const text = pieces[next(pieces.length)];
    changed[line] = changed[line].slice(0, start) + text + changed[line].slice(end);
    changed = changed.join("\n").split("\n");
    return { range: { start: { line, character: start }, end: { line, character: end } }, text };
  });
  return { changes, lines: changed };
}
