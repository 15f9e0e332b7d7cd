//! Memory of tables, which is never freed.

pub(super) fn leak<T>(items: Vec<T>) -> &'static [T] {
    Box::leak(items.into_boxed_slice())
}

pub(super) fn leak_str(text: &str) -> &'static str {
    Box::leak(text.to_owned().into_boxed_str())
}
