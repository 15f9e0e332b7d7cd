use super::{ByteState, PAGE, Storage};
use ptx_num::values::Marks;

#[test]
fn bytes_are_known_once_they_are_written() {
    let mut storage = Storage::new(3 * PAGE as u64, false);
    let mut four = [9; 4];
    assert!(storage.read(10, &mut four).uninitialized);
    assert_eq!(four, [0; 4]);
    let across = PAGE as u64 - 2;
    storage.write(across, &[1, 2, 3, 4], Marks::APPROXIMATE);
    let read = storage.read(across, &mut four);
    assert!(!read.uninitialized && read.marks == Marks::APPROXIMATE);
    assert_eq!(four, [1, 2, 3, 4]);
    assert!(storage.read(across + 1, &mut four).uninitialized);
    storage.write(across, &[5; 4], Marks::NONE);
    assert!(storage.read(across, &mut four).marks.is_none());
    storage.forget(across + 1, 1);
    assert!(storage.read(across, &mut four).uninitialized && storage.known(across) && !storage.known(across + 1));
    // Bytes of one page, all of them written, and no marks in the page.
    storage.write(2 * PAGE as u64, &[6, 7, 8], Marks::NONE);
    let exact = |storage: &Storage, at: u64| storage.read_exact(at, &mut [0; 3]);
    let second = 2 * PAGE as u64;
    assert_eq!(
        [second, second + 1, second - 1, across, 10].map(|at| exact(&storage, at)),
        [true, false, false, false, false]
    );
    storage.write(second + 100, &[1], Marks::UNSPECIFIED);
    assert!(!exact(&storage, second) && exact(&Storage::new(4096, true), 7));
}

#[test]
fn differences_are_runs_of_changed_bytes() {
    let before = Storage::from_bytes(&[7; 3 * PAGE]);
    let mut after = before.clone();
    after.write(10, &[1, 2, 7, 3], Marks::NONE);
    after.write(PAGE as u64 - 1, &[4, 5], Marks::UNSPECIFIED);
    let runs = |range| {
        let mut runs = Vec::new();
        after.differences(&before, range, &mut |at, bytes| runs.push((at, bytes.to_vec())));
        runs
    };
    let page = PAGE as u64;
    let expected = [(10, vec![1, 2]), (13, vec![3]), (page - 1, vec![4]), (page, vec![5])];
    assert_eq!(runs(0..3 * page), expected);
    assert_eq!(runs(11..page), [(11, vec![2]), (13, vec![3]), (page - 1, vec![4])]);
    let ranges = |state| {
        let mut out = Vec::new();
        after.ranges(0..3 * page, state, &mut |range| {
            out.push(range);
            true
        });
        out
    };
    assert_eq!(ranges(ByteState::Unspecified), [page - 1..page, page..page + 1]);
    assert!(ranges(ByteState::Approximate).is_empty() && ranges(ByteState::Unwritten).is_empty());
    let apart: Vec<_> = after.pages_apart(&before, 1..3 * page).collect();
    assert_eq!(apart, [1..page, page..2 * page]);
    assert!(after.has_same(&before, 0..10) && !after.has_same(&before, 0..11));
    assert!(after.has_same(&before, page + 1..3 * page) && !after.has_same(&before, page..page + 1));
    let (empty, mut written) = (Storage::new(100, true), Storage::new(100, true));
    written.write(99, &[1], Marks::NONE);
    let mut count = 0;
    written.differences(&empty, 0..100, &mut |at, _| count += at);
    assert_eq!(count, 99);
}

#[test]
fn copies_do_not_change_each_other() {
    let mut first = Storage::from_bytes(&[1, 2, 3]);
    let second = first.clone();
    first.write(0, &[7], Marks::NONE);
    assert_eq!((first.to_vec(), second.to_vec()), (vec![7, 2, 3], vec![1, 2, 3]));
    assert!(!first.contains(2, 2) && first.contains(2, 1) && !first.contains(u64::MAX, 2));
    first.write(2, &[1, 1], Marks::NONE);
    assert_eq!(first.to_vec(), [7, 2, 3]);
}
