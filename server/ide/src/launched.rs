//! The block of the launch in the comments above a kernel.

use ptx_syntax::Snapshot;

/// The maximum number of lines above a kernel that are searched for its launch.
const MAX_LINES: usize = 200;

/// The block of the first launch in the comments above a function. An evaluation runs the first one.
pub(crate) fn launched_block(snapshot: &Snapshot, start: usize) -> Option<[u32; 3]> {
    let rope = snapshot.rope();
    let own = rope.byte_to_line(start.min(rope.len_bytes()));
    let above = (own.saturating_sub(MAX_LINES)..own).rev().map(|line| rope.line(line).to_string());
    let comments = above.take_while(|line| line.trim().is_empty() || line.trim_start().starts_with("//"));
    let launch = |line: String| Some(line.trim().strip_prefix("//!")?.trim_start().strip_prefix("launch:")?.to_owned());
    block_in(&comments.filter_map(launch).last()?)
}

/// The block in a line of a launch: `block=16,8`.
fn block_in(launch: &str) -> Option<[u32; 3]> {
    let numbers = launch.split_whitespace().find_map(|word| word.strip_prefix("block="))?;
    let mut block = [1; 3];
    let mut numbers = numbers.split(',');
    for (place, number) in block.iter_mut().zip(&mut numbers) {
        *place = number.trim().parse().ok().filter(|n| *n > 0)?;
    }
    numbers.next().is_none().then_some(block)
}

#[cfg(test)]
mod tests {
    use super::{block_in, launched_block};
    use ptx_syntax::Snapshot;

    #[test]
    fn blocks_of_launches() {
        assert_eq!(block_in(" grid=2 block=16,8 n=4"), Some([16, 8, 1]));
        assert_eq!(block_in("block=64"), Some([64, 1, 1]));
        assert_eq!(block_in("grid=2"), None);
        assert_eq!(block_in("block=1,2,3,4"), None);
        assert_eq!(block_in("block=0"), None);
    }

    #[test]
    fn the_first_launch_above_a_kernel_counts() {
        let text = "//! launch: block=99\n.func f() { ret; }\n//! launch: grid=1 block=32,4\n//! launch: block=7\n// words\n.entry k() { ret; }";
        let start = text.find(".entry").expect("the kernel");
        assert_eq!(launched_block(&Snapshot::new(text), start), Some([32, 4, 1]));
    }
}
