//! Groups of threads, and the place of a thread among them.

use crate::emit::{Emit, choice};

choice! {
    /// The threads across which a value is the same.
    enum UniformExtent {
        /// All threads of the CTA.
        Cta,
        /// All threads of the warp.
        Warp,
        /// It may differ between any two threads.
        None,
    }

    /// The part of a thread's place in the grid that a special register holds.
    enum GridRole {
        /// Not a part of it.
        None,
        /// The index of the thread in its CTA.
        Thread,
        /// The size of the CTA in threads.
        CtaSize,
        /// The index of the CTA in the grid.
        Cta,
        /// The size of the grid in CTAs.
        Size,
        /// The index of the thread in its warp.
        Lane,
    }
}
