// Random edits that are the same in each run.

/** Numbers that look random and are the same in each run. */
export function numbers(seed) {
  let state = seed;
  return (limit) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}
