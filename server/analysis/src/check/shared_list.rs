//! A list whose copies share their elements.

use std::hash::{Hash, Hasher};
use std::ops::Deref;
use std::sync::Arc;

/// A list that is cheap to clone: copies share the elements until one of them changes. Each keystroke copies all diagnostics of a
/// document several times, but their fixes and related places hardly ever change after they were found.
#[derive(Debug)]
pub struct SharedList<T>(Option<Arc<Vec<T>>>);

impl<T: Clone> SharedList<T> {
    /// The elements, to be changed; copies them if they are shared.
    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().flat_map(Arc::make_mut)
    }

    /// Adds an element.
    pub fn push(&mut self, element: T) {
        Arc::make_mut(self.0.get_or_insert_default()).push(element);
    }

    /// Keeps the elements for which `keep` returns true.
    pub fn retain_mut(&mut self, keep: impl FnMut(&mut T) -> bool) {
        if let Some(list) = &mut self.0 {
            Arc::make_mut(list).retain_mut(keep);
        }
    }
}

impl<T: Clone> Extend<T> for SharedList<T> {
    fn extend<I: IntoIterator<Item = T>>(&mut self, all: I) {
        all.into_iter().for_each(|element| self.push(element));
    }
}

impl<T: PartialEq, const N: usize> PartialEq<[T; N]> for SharedList<T> {
    fn eq(&self, other: &[T; N]) -> bool {
        **self == *other
    }
}

impl<T> Default for SharedList<T> {
    fn default() -> Self {
        Self(None)
    }
}

impl<T> Clone for SharedList<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> Deref for SharedList<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        self.0.as_ref().map_or(&[], |list| list.as_slice())
    }
}

impl<T: PartialEq> PartialEq for SharedList<T> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl<T: Eq> Eq for SharedList<T> {}

impl<T: Hash> Hash for SharedList<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}

impl<T> FromIterator<T> for SharedList<T> {
    fn from_iter<I: IntoIterator<Item = T>>(all: I) -> Self {
        Self::from(Vec::from_iter(all))
    }
}

impl<T> From<Vec<T>> for SharedList<T> {
    fn from(list: Vec<T>) -> Self {
        Self((!list.is_empty()).then(|| Arc::new(list)))
    }
}

impl<'l, T> IntoIterator for &'l SharedList<T> {
    type Item = &'l T;
    type IntoIter = std::slice::Iter<'l, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
