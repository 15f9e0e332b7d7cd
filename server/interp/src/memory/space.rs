//! The generic address space and its windows.

/// A state space that is a window of the generic address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    /// Shared memory of the cluster. The thread's own CTA begins at 0, CTA *r* of the cluster at (*r* + 1) × 16 MiB.
    Shared,
    /// Local memory of the thread: its stack.
    Local,
    /// Constant memory.
    Constant,
    /// Parameters of the kernel.
    Parameter,
    /// Code: the addresses of functions.
    Code,
}

/// Bytes between the shared memories of two CTAs of a cluster.
pub const SHARED_STRIDE: u64 = 1 << 24;

/// Difference between the `.param` address of a function's parameter, which lies on the stack, and its offset in local memory.
pub const STACK_PARAMETERS: u64 = 1 << 24;

/// Size of a window in bytes.
const WINDOW: u64 = 1 << 28;

/// The layout of the generic address space, for modules of one address size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressMap {
    /// The address of the first window.
    first: u64,
    /// The address of the first allocation in global memory.
    pub global: u64,
    /// The address after the last byte of global memory.
    pub global_end: u64,
}

/// The memory that a generic address belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Global memory. Offsets in it are generic addresses.
    Global,
    /// Shared memory of the CTA with this rank in the cluster; `None`: the thread's own CTA.
    Shared(Option<u32>),
    /// Local memory of the thread.
    Local,
    /// Constant memory.
    Constant,
    /// Parameters of the kernel.
    Parameter,
    /// Code.
    Code,
}

/// The location of a permitted access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AccessLocation {
    /// The generic address.
    pub address: u64,
    /// The memory that contains it.
    pub region: Region,
    /// The offset in that memory; in global memory the address.
    pub offset: u64,
}

/// Bytes at a location.
#[derive(Debug, Clone, Copy)]
pub struct AccessRange {
    /// Where they begin.
    pub location: AccessLocation,
    /// How many there are.
    pub bytes: u64,
}

impl AddressMap {
    /// The layout for addresses of 32 or 64 bits.
    pub fn new(address_size: u16) -> Self {
        if address_size == 32 {
            Self { first: 0xa000_0000, global: 0x1000_0000, global_end: 0xa000_0000 }
        } else {
            Self { first: 0x7e_0000_0000, global: 0x7f_0000_0000, global_end: 0x80_0000_0000_0000 }
        }
    }

    /// The generic address at which a window begins.
    pub fn base(&self, window: Window) -> u64 {
        self.first + WINDOW * window as u64
    }

    /// The generic address of an address in a window; `None` if the address lies after the end of the window.
    pub fn generic(&self, window: Window, address: u64) -> Option<u64> {
        if window == Window::Parameter && (STACK_PARAMETERS..2 * STACK_PARAMETERS).contains(&address) {
            return Some(self.base(Window::Local) + address - STACK_PARAMETERS);
        }
        (address < WINDOW).then(|| self.base(window) + address)
    }

    /// The window that contains a generic address, and the address in this window; `None` for global memory.
    pub fn window(&self, address: u64) -> Option<(Window, u64)> {
        let distance = address.checked_sub(self.first)?;
        let windows = [Window::Shared, Window::Local, Window::Constant, Window::Parameter, Window::Code];
        Some((*windows.get(usize::try_from(distance / WINDOW).ok()?)?, distance % WINDOW))
    }

    /// The memory that a generic address belongs to, and the offset in it.
    pub fn region(&self, address: u64) -> (Region, u64) {
        match self.window(address) {
            None => (Region::Global, address),
            Some((Window::Shared, at)) => {
                let rank = (at / SHARED_STRIDE).checked_sub(1).map(|r| r as u32);
                (Region::Shared(rank), at % SHARED_STRIDE)
            }
            Some((Window::Local, at)) => (Region::Local, at),
            Some((Window::Constant, at)) => (Region::Constant, at),
            Some((Window::Parameter, at)) => (Region::Parameter, at),
            Some((Window::Code, at)) => (Region::Code, at),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{AddressMap, Region, Window};

    #[test]
    fn windows_lie_apart_from_each_other() {
        for size in [32, 64] {
            let map = AddressMap::new(size);
            let at = |w| map.generic(w, 16).map(|a| map.region(a));
            assert_eq!(at(Window::Shared), Some((Region::Shared(None), 16)));
            assert_eq!(at(Window::Local), Some((Region::Local, 16)));
            assert_eq!(at(Window::Constant), Some((Region::Constant, 16)));
            assert_eq!(at(Window::Parameter), Some((Region::Parameter, 16)));
            assert_eq!(map.region(map.global), (Region::Global, map.global));
            let third = map.generic(Window::Shared, (3 << 24) + 5).map(|a| map.region(a));
            assert_eq!(third, Some((Region::Shared(Some(2)), 5)));
            assert_eq!(map.generic(Window::Shared, 1 << 40), None);
            let stack = map.generic(Window::Parameter, super::STACK_PARAMETERS + 8).map(|a| map.region(a));
            assert_eq!(stack, Some((Region::Local, 8)));
        }
    }
}
