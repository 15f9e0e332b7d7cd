//! Tensor copies in im2col mode: the pixels of a batch of images, visited in the order of a convolution's filter positions.
//!
//! Manual 5.5.4 and 5.5.5. The tensor's dimensions are C, W, H, D, N, where H and D are optional. The coordinates are the
//! filter's first position. From there the walk proceeds along W, then H, D and N. A dimension that passes the bounding box's
//! upper corner restarts at its lower corner, and the next dimension advances. The box runs from `lower corner` to `size − 1 +
//! upper corner`, both ends included (public tests and tutorials of Triton agree). The instruction's offsets are added to every
//! position before the tensor is read; positions that are then outside of the tensor are filled.

use super::tensor_copy::{CopyRun, Rows, TensorCopy};

impl<V: FnMut(CopyRun)> Rows<'_, V> {
    /// Visits the rows of `.im2col` and `.im2col_no_offs`.
    pub(super) fn im2col(&mut self, copy: &TensorCopy, offsets: [i64; 3]) {
        let spatial = self.map.rank() - 2;
        let mut position = copy.coordinates.map(i64::from);
        for _ in 0..self.map.pixels_per_column {
            let mut place = position;
            for (d, offset) in offsets.iter().enumerate().take(spatial) {
                place[d + 1] += offset;
            }
            self.row(&place);
            self.step(&mut position, spatial, 0);
        }
    }

    /// Visits the rows of `.im2col::w` and `.im2col::w::128` without halo: H and D stay, the walk proceeds along W and then to
    /// the next image.
    pub(super) fn im2col_w(&mut self, copy: &TensorCopy, offset: u16, pixels: u32) {
        let offset = i64::from(offset);
        let mut position = copy.coordinates.map(i64::from);
        position[1] += offset;
        for _ in 0..pixels {
            let place = position;
            self.row(&place);
            self.step(&mut position, 1, offset);
        }
    }

    /// Advances a position within the first `spatial` of the dimensions W, H, D and then to the next image. `shift` moves the
    /// box.
    fn step(&self, position: &mut [i64; 5], spatial: usize, shift: i64) {
        let map = self.map;
        for d in 0..spatial.min(3) {
            let size = map.sizes[d + 1].min(1 << 32) as i64;
            let last = size - 1 + i64::from(map.upper_corner[d]) + shift;
            let next = position[d + 1] + i64::from(map.element_strides[d + 1]);
            if next <= last {
                position[d + 1] = next;
                return;
            }
            position[d + 1] = i64::from(map.lower_corner[d]) + shift;
        }
        position[map.rank() - 1] += 1;
    }
}
