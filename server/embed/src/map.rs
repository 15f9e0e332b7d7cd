//! The correspondence between bytes of a decoded text and bytes of the host text.

use std::ops::Range;

/// How the bytes of a segment correspond.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SegmentKind {
    /// Both sides have the same bytes.
    Verbatim,
    /// The host bytes, an escape or a substitution, stand for the decoded bytes as a whole.
    Escape,
    /// Host bytes without decoded ones, or decoded bytes that the host text does not contain.
    Glue,
    /// Host bytes whose text is unknown. The decoded bytes are a placeholder.
    Hole,
}

/// A run of host bytes and the run of decoded bytes that it stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Bytes of the host text, relative to the start of the group.
    pub host: Range<usize>,
    /// Bytes of the decoded text.
    pub ptx: Range<usize>,
    /// How the two correspond.
    pub kind: SegmentKind,
}

/// Segments in order. Both sides ascend, and the decoded side has no gaps.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct SegmentMap {
    segments: Vec<Segment>,
}

impl SegmentMap {
    /// The segments in order.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The host ranges of a range of decoded bytes, in order. The first is the main range. Each further range lies in
    /// another literal. An empty range gives one empty host range.
    #[must_use]
    pub fn to_host(&self, ptx: Range<usize>) -> Vec<Range<usize>> {
        if ptx.start >= ptx.end {
            return self.host_position(ptx.start).map(|at| at..at).into_iter().collect();
        }
        let mut out: Vec<Range<usize>> = Vec::new();
        for segment in &self.segments[self.first_reaching(ptx.start)..] {
            if segment.ptx.start >= ptx.end {
                break;
            }
            let (from, to) = (ptx.start.max(segment.ptx.start), ptx.end.min(segment.ptx.end));
            if from >= to {
                continue;
            }
            let host = match segment.kind {
                SegmentKind::Verbatim => {
                    segment.host.start + (from - segment.ptx.start)..segment.host.start + (to - segment.ptx.start)
                }
                SegmentKind::Escape | SegmentKind::Hole => segment.host.clone(),
                SegmentKind::Glue => continue,
            };
            match out.last_mut() {
                Some(last) if host.start <= last.end => last.end = last.end.max(host.end),
                _ => out.push(host),
            }
        }
        if out.is_empty() { self.host_position(ptx.start).map(|at| at..at).into_iter().collect() } else { out }
    }

    /// The decoded offset of a host offset, or `None` outside literals. The offset of a closing quote gives the end of
    /// its literal, because an insertion there extends it. An offset inside an escape gives the escape's start.
    #[must_use]
    pub fn to_ptx(&self, host: usize) -> Option<usize> {
        let next = self.segments.partition_point(|s| s.host.start <= host);
        // The segment that contains the offset, before an earlier one that ends there.
        for segment in self.segments[..next].iter().rev() {
            if matches!(segment.kind, SegmentKind::Glue) {
                if segment.host.end > host {
                    return None;
                }
                continue;
            }
            if host < segment.host.end || segment.host.is_empty() && host == segment.host.start {
                return Some(match segment.kind {
                    SegmentKind::Verbatim => segment.ptx.start + (host - segment.host.start),
                    // The text of a macro may be several segments with one place.
                    _ => {
                        let first = self.segments.partition_point(|s| s.host.start < segment.host.start);
                        let mut same = self.segments[first..].iter();
                        same.find(|s| s.host == segment.host).unwrap_or(segment).ptx.start
                    }
                });
            }
            return (host == segment.host.end).then_some(segment.ptx.end);
        }
        None
    }

    /// The host offset of a decoded offset. An offset between two literals gives the end of the first.
    #[must_use]
    pub fn host_position(&self, ptx: usize) -> Option<usize> {
        let first = self.first_reaching(ptx);
        let usable = |s: &&Segment| s.kind != SegmentKind::Glue;
        let segment = self.segments[first..].iter().find(usable).or_else(|| self.segments.iter().rfind(usable))?;
        Some(match segment.kind {
            SegmentKind::Verbatim => {
                segment.host.start + ptx.clamp(segment.ptx.start, segment.ptx.end) - segment.ptx.start
            }
            _ if ptx >= segment.ptx.end => segment.host.end,
            _ => segment.host.start,
        })
    }

    /// The first segment that ends at or after an offset of the decoded text.
    fn first_reaching(&self, ptx: usize) -> usize {
        self.segments.partition_point(|s| s.ptx.end < ptx)
    }

    /// Moves the host side by a number of bytes.
    pub(crate) fn shift_host(&mut self, by: usize) {
        for segment in &mut self.segments {
            segment.host = segment.host.start + by..segment.host.end + by;
        }
    }

    /// Moves the host side by a number of bytes towards the start.
    pub(crate) fn unshift_host(&mut self, by: usize) {
        for segment in &mut self.segments {
            segment.host = segment.host.start.saturating_sub(by)..segment.host.end.saturating_sub(by);
        }
    }
}

/// A decoded text with its map, while it is written.
#[derive(Debug, Clone, Default)]
pub(crate) struct Decoded {
    /// The text.
    pub text: String,
    /// Its map.
    pub map: SegmentMap,
}

impl Decoded {
    /// Appends text that stands for host bytes.
    pub fn push(&mut self, host: Range<usize>, text: &str, kind: SegmentKind) {
        let start = self.text.len();
        self.text.push_str(text);
        let ptx = start..self.text.len();
        if let Some(last) = self.map.segments.last_mut()
            && last.kind == kind
            && kind == SegmentKind::Verbatim
            && last.host.end == host.start
        {
            last.host.end = host.end;
            last.ptx.end = ptx.end;
        } else {
            self.map.segments.push(Segment { host, ptx, kind });
        }
    }

    /// Appends a range of another decoded text as it stands. `cursor` is an index into its segments which only grows
    /// while ranges are taken in order, so that the whole is linear.
    pub fn copy(&mut self, from: &Decoded, range: Range<usize>, cursor: &mut usize) {
        let segments = &from.map.segments;
        while *cursor < segments.len() && segments[*cursor].ptx.end < range.start {
            *cursor += 1;
        }
        let mut at = *cursor;
        while let Some(segment) = segments.get(at) {
            if segment.ptx.start >= range.end && !(segment.ptx.is_empty() && segment.ptx.start == range.end) {
                break;
            }
            let (start, end) = (range.start.max(segment.ptx.start), range.end.min(segment.ptx.end));
            if start < end {
                let host = match segment.kind {
                    SegmentKind::Verbatim => {
                        let base = segment.host.start;
                        base + (start - segment.ptx.start)..base + (end - segment.ptx.start)
                    }
                    _ => segment.host.clone(),
                };
                self.push(host, &from.text[start..end], segment.kind);
            } else if segment.kind == SegmentKind::Verbatim
                && segment.ptx.is_empty()
                && start == end
                && self.map.segments.last().is_none_or(|last| last.host.start < segment.host.start)
            {
                // An empty literal: a place where text may be inserted. It may have come with the range before.
                self.push(segment.host.clone(), "", segment.kind);
            }
            at += 1;
        }
    }

    /// Appends text that replaces a range of another decoded text.
    pub fn replace(&mut self, from: &Decoded, range: Range<usize>, text: &str, kind: SegmentKind) {
        let host = from.map.to_host(range);
        let hull = host.first().map_or(0..0, |first| first.start..host.last().unwrap_or(first).end);
        self.push(hull, text, kind);
    }

    /// Appends another decoded text.
    pub fn append(&mut self, other: &Self) {
        for segment in &other.map.segments {
            self.push(segment.host.clone(), &other.text[segment.ptx.clone()], segment.kind);
        }
    }
}
