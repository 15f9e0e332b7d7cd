//! Integer arithmetic, logic, shifts, bit fields, permutations.
