//! The generic address space and its windows.

/// A state space that is a window of the generic address space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Window {
    /// Shared memory of the cluster: that of the thread's own CTA from 0, that of CTA *r* of the cluster from (*r* + 1) × 16 MiB.
    Shared,
    /// Local memory of the thread, its stack.
    Local,
    /// Constants.
    Constant,
    /// Parameters of the kernel.
    Parameter,
    /// Functions: addresses of code.
    Code,
}

/// Bytes between the shared memories of two CTAs of a cluster.
pub const SHARED_STRIDE: u64 = 1 << 24;

/// What is added to an offset in local memory to make the `.param` address of a parameter of a function, which lies on the stack.
pub const STACK_PARAMETERS: u64 = 1 << 24;

/// Bytes of a window.
const WINDOW: u64 = 1 << 28;

/// Where in the generic address space everything lies, for modules of one address size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressMap {
    first: u64,
    /// Where the first allocation of global memory begins.
    pub global: u64,
    /// What lies behind the last byte of global memory.
    pub global_end: u64,
}

/// What an address lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// Global memory; the offset is the address.
    Global,
    /// Shared memory of the CTA of that rank; `None`: the thread's own.
    Shared(Option<u32>),
    /// Local memory of the thread.
    Local,
    /// Constants.
    Constant,
    /// Parameters of the kernel.
    Parameter,
    /// Code.
    Code,
}

impl AddressMap {
    /// For addresses of 32 or 64 bits.
    pub fn new(address_size: u16) -> Self {
        if address_size == 32 {
            Self { first: 0xa000_0000, global: 0x1000_0000, global_end: 0xa000_0000 }
        } else {
            Self { first: 0x7e_0000_0000, global: 0x7f_0000_0000, global_end: 0x80_0000_0000_0000 }
        }
    }

    /// Where a window begins.
    pub fn base(&self, window: Window) -> u64 {
        self.first + WINDOW * window as u64
    }

    /// The generic address of an address in a window; nothing where that lies behind the window's end.
    pub fn generic(&self, window: Window, address: u64) -> Option<u64> {
        if window == Window::Parameter && (STACK_PARAMETERS..2 * STACK_PARAMETERS).contains(&address) {
            return Some(self.base(Window::Local) + address - STACK_PARAMETERS);
        }
        (address < WINDOW).then(|| self.base(window) + address)
    }

    /// The window that a generic address lies in, and the address there; nothing for global memory.
    pub fn window(&self, address: u64) -> Option<(Window, u64)> {
        let distance = address.checked_sub(self.first)?;
        let windows = [Window::Shared, Window::Local, Window::Constant, Window::Parameter, Window::Code];
        Some((*windows.get(usize::try_from(distance / WINDOW).ok()?)?, distance % WINDOW))
    }

    /// What a generic address lies in, and the offset there.
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
