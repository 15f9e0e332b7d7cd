//! Cube maps: from a direction to a face and a position on it, and from beyond a face's edge to the neighbouring face.
//!
//! The table of faces and their coordinates is that of the CUDA C++ programming guide (cubemap textures), the same as in other
//! graphics APIs; manual 9.7.10.3 describes it in words. `ptxas` computes the division with an approximate reciprocal before
//! the `TEX` (measured for sm_90: `MUFU.RCP` of the largest magnitude). The last bit of a position on a face therefore may
//! differ from hardware.

use crate::values::Marks;

/// A position on a face of a cube.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OnFace {
    /// Index of the face, 0 … 5: +x, −x, +y, −y, +z, −z.
    pub face: u32,
    /// Position along each edge, 0.0 … 1.0.
    pub position: [f32; 2],
    /// Marks: unspecified if hardware may choose another face or position.
    pub marks: Marks,
}

/// For each face the components (s, t, major axis): the index of the direction's component, and whether it is negated.
const FACES: [[(usize, bool); 3]; 6] = [
    [(2, true), (1, true), (0, false)],
    [(2, false), (1, true), (0, true)],
    [(0, false), (2, false), (1, false)],
    [(0, false), (2, true), (1, true)],
    [(0, false), (1, true), (2, false)],
    [(0, true), (1, true), (2, true)],
];

/// Returns the face that a direction hits, and the position on it.
///
/// The result is marked unspecified if two magnitudes are equal or the vector is no direction (zero, NaN, infinity). Among
/// equal magnitudes z precedes y, and y precedes x.
#[inline]
pub fn project(direction: [f32; 3]) -> OnFace {
    let magnitude = direction.map(f32::abs);
    let [x, y, z] = magnitude;
    let major = if z >= x && z >= y {
        2
    } else if y >= x {
        1
    } else {
        0
    };
    let mut marks = Marks::NONE;
    let largest = magnitude[major];
    let ties = magnitude.iter().filter(|&&m| m == largest).count();
    if ties != 1 || !largest.is_finite() || largest == 0.0 || magnitude.iter().any(|m| m.is_nan()) {
        marks |= Marks::UNSPECIFIED;
    }
    let face = 2 * major as u32 + u32::from(direction[major] < 0.0);
    let [s, t, _] = FACES[face as usize % 6];
    let along = |(component, negated): (usize, bool)| {
        let value = f64::from(if negated { -direction[component] } else { direction[component] });
        ((value / f64::from(largest) + 1.0) / 2.0) as f32
    };
    OnFace { face, position: [along(s), along(t)], marks }
}

/// Returns the derivatives of the position on the face, in edge lengths, when the direction changes by `change`.
#[inline]
pub fn derivative(direction: [f32; 3], face: u32, change: [f32; 3]) -> [f64; 2] {
    let [s, t, m] = FACES[face as usize % 6];
    let take = |from: [f32; 3], (component, negated): (usize, bool)| {
        f64::from(if negated { -from[component] } else { from[component] })
    };
    let major = take(direction, m);
    let along = |axis| (take(change, axis) * major - take(direction, axis) * take(change, m)) / (2.0 * major * major);
    [along(s), along(t)]
}

/// Returns the neighbouring face and the texel on it that lies beyond an edge. `position` is a texel position on `face`, with
/// at most one of its two indices outside of 0 … `size` − 1, by one. Returns `None` if both are outside: no texel lies beyond a
/// corner.
#[inline]
pub fn beyond(face: u32, position: [i64; 2], size: u32) -> Option<(u32, [u32; 2])> {
    let size = i64::from(size.max(1));
    let inside = |i: i64| (0..size).contains(&i);
    if inside(position[0]) && inside(position[1]) {
        return Some((face, [position[0] as u32, position[1] as u32]));
    }
    if !inside(position[0]) && !inside(position[1]) {
        return None;
    }
    // The direction of the texel's centre in whole numbers; the face's plane lies at `size`.
    let centre = [2 * position[0] + 1 - size, 2 * position[1] + 1 - size, size];
    let mut direction = [0_i64; 3];
    for (value, (component, negated)) in centre.into_iter().zip(FACES[face as usize % 6]) {
        direction[component] = if negated { -value } else { value };
    }
    let major = (0..3).max_by_key(|&c| direction[c].abs()).unwrap_or(0);
    let neighbour = 2 * major as u32 + u32::from(direction[major] < 0);
    let [s, t, _] = FACES[neighbour as usize % 6];
    let length = direction[major].abs();
    let along = |(component, negated): (usize, bool)| {
        let value = if negated { -direction[component] } else { direction[component] };
        // floor((value / length + 1) / 2 · size), exactly.
        ((value + length) * size).div_euclid(2 * length).clamp(0, size - 1) as u32
    };
    Some((neighbour, [along(s), along(t)]))
}
