use super::ImageNumbers;
use crate::image::swizzle::Swizzle;
use crate::image::tensor_copy::{Amount, CopyDirection, CopyMode, CopyRun, RunKind, TensorCopy, TensorFault, pack6};
use crate::image::tensor_map::{ElementType, Field, TensorMap, TensorMapMode, replace};
use crate::values::Marks;
use std::collections::BTreeMap;

/// The manual's tables (5.5.7): lines of 128 bytes, each a list of the 16-byte cells at its eight positions.
const TABLES: [(Swizzle, &[&str]); 8] = [
    (Swizzle::None, &["01234567"]),
    (Swizzle::B32, &["01234567", "10325476"]),
    (Swizzle::B96, &["01234567", "10325476"]),
    (Swizzle::B64, &["01234567", "10325476", "23016745", "32107654"]),
    (Swizzle::B128, &["01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"]),
    (Swizzle::B128Atom32, &["01234567", "23016745", "45670123", "67452301"]),
    (Swizzle::B128Atom32Flip8, &["01234567", "23016745", "45670123", "67452301"]),
    (Swizzle::B128Atom64, &["01234567", "45670123"]),
];

#[test]
fn patterns_are_the_manuals_tables() {
    for (swizzle, lines) in TABLES {
        for line in 0..64_u32 {
            let cells = lines[line as usize % lines.len()].as_bytes();
            for (cell, source) in cells.iter().enumerate() {
                for byte in 0..16 {
                    // The flip exchanges the halves of a cell in every second line.
                    let flipped = swizzle == Swizzle::B128Atom32Flip8 && line % 2 == 1;
                    let from = 128 * line + 16 * u32::from(source - b'0') + if flipped { byte ^ 8 } else { byte };
                    let lies_at = 128 * line + 16 * cell as u32 + byte;
                    assert_eq!(swizzle.apply(from), lies_at, "{swizzle:?}");
                    assert_eq!(swizzle.apply(lies_at), from);
                }
            }
        }
    }
    let mut numbers = ImageNumbers::new(2);
    for _ in 0..10_000 {
        let address = numbers.next() as u32;
        for swizzle in Swizzle::ALL {
            assert_eq!(swizzle.apply(swizzle.apply(address)), address);
            // The bytes of a group stay together.
            let piece = swizzle.piece().min(16);
            assert_eq!(swizzle.apply(address) % piece, address % piece);
        }
    }
}

fn run_list(map: &TensorMap, copy: &TensorCopy) -> (Vec<CopyRun>, Amount) {
    let mut runs = Vec::new();
    let amount = map.runs(copy, |run| runs.push(run)).unwrap();
    (runs, amount)
}

/// The effect of a copy, byte by byte: the address in global memory for each byte of shared memory, `None` for filling.
fn bytes_of(map: &TensorMap, copy: &TensorCopy) -> BTreeMap<u32, Option<u64>> {
    let mut all = BTreeMap::new();
    for run in run_list(map, copy).0 {
        assert!(run.bytes > 0);
        for i in 0..run.bytes {
            let value = match run.kind {
                RunKind::Bytes => Some(run.global + u64::from(i)),
                RunKind::Fill => None,
                other => panic!("{other:?}"),
            };
            assert!(all.insert(run.shared + i, value).is_none(), "written twice");
        }
    }
    all
}

/// The address of an element by definition: base + Σ index · stride; `None` outside of the tensor.
fn element(map: &TensorMap, index: &[i64]) -> Option<u64> {
    let inside = index.iter().zip(map.sizes).all(|(&i, size)| i >= 0 && (i as u64) < size);
    let bytes = u64::from(map.element_type().unwrap().bits() / 8);
    let strides = std::iter::once(bytes).chain(map.strides);
    inside.then(|| map.address + index.iter().zip(strides).map(|(&i, stride)| i as u64 * stride).sum::<u64>())
}

/// Adds a row of `count` elements that begins at `start` to the expected map, byte by byte.
fn expect_row(map: &TensorMap, expected: &mut BTreeMap<u32, Option<u64>>, shared: &mut u32, start: &[i64], count: i64) {
    let bytes = map.element_type().unwrap().bits() / 8;
    for i in 0..count {
        let mut index = start.to_vec();
        index[0] += i;
        let address = element(map, &index);
        for byte in 0..bytes {
            expected.insert(map.swizzle().unwrap().apply(*shared), address.map(|a| a + u64::from(byte)));
            *shared += 1;
        }
    }
}

const TYPES: [ElementType; 4] = [ElementType::U8, ElementType::Bf16, ElementType::F32, ElementType::S64];

fn random_tiled(numbers: &mut ImageNumbers) -> TensorMap {
    let rank = 1 + numbers.below(5) as usize;
    let element = TYPES[numbers.below(4) as usize];
    let bytes = element.bits() / 8;
    let swizzle = Swizzle::ALL[numbers.below(8) as usize];
    let swizzle = if swizzle == Swizzle::B96 { Swizzle::None } else { swizzle };
    let inner = swizzle.span().unwrap_or(16 * (1 + numbers.below(6) as u32)) / bytes;
    let mut sizes = vec![1 + numbers.below(2 * u64::from(inner))];
    let mut boxes = vec![inner.min(256)];
    let mut strides = vec![];
    let mut stride = (sizes[0] * u64::from(bytes)).next_multiple_of(16) + 16 * numbers.below(3);
    for _ in 1..rank {
        strides.push(stride);
        sizes.push(1 + numbers.below(6));
        boxes.push(1 + numbers.below(if rank > 3 { 3 } else { 7 }) as u32);
        stride *= sizes[sizes.len() - 1] + numbers.below(2);
    }
    let mut map = TensorMap::tiled(element, 0x10000, &sizes, &strides, &boxes);
    map.set_swizzle(swizzle);
    for d in 0..rank {
        map.element_strides[d] = 1 + numbers.below(3) as u16;
    }
    map
}

fn random_coordinates(numbers: &mut ImageNumbers) -> [i32; 5] {
    [0; 5].map(|_| numbers.below(12) as i32 - 5)
}

#[test]
fn tiles_are_copied_element_by_element() {
    let mut numbers = ImageNumbers::new(11);
    for _ in 0..600 {
        let map = random_tiled(&mut numbers);
        assert_eq!(map.problem(), None, "{map:?}");
        let rank = map.rank();
        let coordinates = random_coordinates(&mut numbers);
        let base = 128 * numbers.below(32) as u32;
        let copy = TensorCopy {
            mode: CopyMode::Tile,
            direction: CopyDirection::Load,
            rank: rank as u8,
            coordinates,
            shared: base,
        };
        let mut expected = BTreeMap::new();
        let mut shared = base;
        // All positions of the box in order, without those that the strides skip.
        let mut outer = vec![vec![]];
        for d in (1..rank).rev() {
            let mut next = vec![];
            for tail in &outer {
                for i in (0..map.box_sizes[d]).filter(|i| i % u32::from(map.element_strides[d]) == 0) {
                    let mut place: Vec<i64> = vec![i64::from(coordinates[d]) + i64::from(i)];
                    place.extend::<&Vec<i64>>(tail);
                    next.push(place);
                }
            }
            outer = next;
        }
        for place in outer {
            let mut start = vec![i64::from(coordinates[0])];
            start.extend(place);
            expect_row(&map, &mut expected, &mut shared, &start, i64::from(map.box_sizes[0]));
        }
        assert_eq!(bytes_of(&map, &copy), expected, "{map:?}");
        let amount = run_list(&map, &copy).1;
        assert_eq!(amount, Amount { transaction: shared - base, shared: shared - base });
    }
}

/// Executes a copy's runs between two memories; `global` begins at 0x10000.
fn execute(map: &TensorMap, copy: &TensorCopy, global: &mut [u8], shared: &mut [u8]) {
    map.runs(copy, |run| {
        for i in 0..run.bytes {
            let here = &mut shared[(run.shared + i) as usize];
            match (run.kind, copy.direction) {
                (RunKind::Fill, _) => *here = 0,
                (_, CopyDirection::Load) => *here = global[(run.global + u64::from(i) - 0x10000) as usize],
                _ => global[(run.global + u64::from(i) - 0x10000) as usize] = *here,
            }
        }
    })
    .unwrap();
}

#[test]
fn a_load_and_a_store_restore_memory() {
    let mut numbers = ImageNumbers::new(13);
    let mut changed = 0;
    for _ in 0..200 {
        let map = random_tiled(&mut numbers);
        let coordinates = [0; 5].map(|_| numbers.below(3) as i32);
        let copy = |direction| TensorCopy {
            mode: CopyMode::Tile,
            direction,
            rank: map.rank() as u8,
            coordinates,
            shared: 1024,
        };
        let bytes = map.strides.iter().zip(&map.sizes[1..]).map(|(stride, size)| stride * size).sum::<u64>() + 4096;
        // No zeros, so that cleared bytes are visible.
        let original: Vec<u8> = (0..bytes).map(|_| 1 + numbers.below(255) as u8).collect();
        let (mut global, mut shared) = (original.clone(), vec![0xee; 1 << 18]);
        execute(&map, &copy(CopyDirection::Load), &mut global, &mut shared);
        assert_eq!(global, original);
        // The store clears the box's elements and no other byte; the second store restores them.
        execute(&map, &copy(CopyDirection::Store), &mut global, &mut vec![0; 1 << 18]);
        let inside = run_list(&map, &copy(CopyDirection::Load)).0.into_iter().filter(|run| run.kind == RunKind::Bytes);
        let inside: usize = inside.map(|run| run.bytes as usize).sum();
        assert_eq!(global.iter().filter(|&&byte| byte == 0).count(), inside);
        execute(&map, &copy(CopyDirection::Store), &mut global, &mut shared);
        assert_eq!(global, original);
        changed += inside;
    }
    assert!(changed > 10_000, "{changed}");
}

#[test]
fn rows_of_gather_and_scatter() {
    let mut map = TensorMap::tiled(ElementType::F16, 0x1000, &[64, 20], &[128], &[64, 1]);
    map.set_swizzle(Swizzle::B128);
    let copy = TensorCopy {
        mode: CopyMode::Rows4,
        direction: CopyDirection::Load,
        rank: 2,
        coordinates: [8, 5, 19, -1, 0],
        shared: 0x400,
    };
    let (mut expected, mut shared) = (BTreeMap::new(), 0x400);
    for row in [5, 19, -1, 0] {
        expect_row(&map, &mut expected, &mut shared, &[8, row], 64);
    }
    assert_eq!(bytes_of(&map, &copy), expected);
    assert_eq!(run_list(&map, &copy).1.transaction, 512);
    map.box_sizes[1] = 2;
    assert_eq!(map.runs(&copy, |_| ()), Err(TensorFault::Field("box_dim")));
}

fn im2col_map(sizes: &[u64], lower: [i16; 3], upper: [i16; 3], pixels: u16, channels: u16) -> TensorMap {
    let mut strides = vec![];
    let mut bytes = sizes[0] * 2;
    for size in &sizes[1..] {
        strides.push(bytes);
        bytes *= size;
    }
    let mut map = TensorMap::tiled(ElementType::F16, 0x8000, sizes, &strides, &[]);
    (map.mode, map.lower_corner, map.upper_corner) = (TensorMapMode::Im2col, lower, upper);
    (map.pixels_per_column, map.channels_per_pixel) = (pixels, channels);
    map
}

/// Im2col by its purpose: all positions of the filter's first element in the batch, in order, as a plain list.
#[test]
fn im2col_lists_the_places_of_a_filter() {
    let mut numbers = ImageNumbers::new(17);
    for round in 0..300 {
        let rank = 3 + round % 3;
        let spatial = rank - 2;
        let mut sizes = vec![16 + 8 * numbers.below(3)];
        sizes.extend((0..spatial).map(|_| 4 + numbers.below(6)));
        sizes.push(1 + numbers.below(3));
        let (mut lower, mut upper) = ([0; 3], [0; 3]);
        for d in 0..spatial {
            lower[d] = numbers.below(4) as i16 - 2;
            upper[d] = -(numbers.below(3) as i16) + 1;
        }
        let mut map = im2col_map(&sizes, lower, upper, 1 + numbers.below(60) as u16, 16);
        map.element_strides = [0; 5].map(|_| 1 + numbers.below(2) as u16);
        // Every position, D slowest, for every image and for some images beyond the batch.
        let mut places: Vec<Vec<i64>> = (0..80).map(|n| vec![n]).collect();
        for d in (0..spatial).rev() {
            let range = i64::from(lower[d])..sizes[d + 1] as i64 + i64::from(upper[d]);
            let step = usize::from(map.element_strides[d + 1]);
            places = places
                .into_iter()
                .flat_map(|tail| range.clone().step_by(step).map(move |i| [vec![i], tail.clone()].concat()))
                .collect();
        }
        // The nesting put the slowest dimension first, so images stay outermost.
        let first = numbers.below(12) as usize;
        let offsets = [0; 3].map(|_| numbers.below(3) as u16);
        let channel = 8 * numbers.below(3) as i32;
        let mut coordinates = [channel, 0, 0, 0, 0];
        for (to, from) in coordinates[1..].iter_mut().zip(&places[first]) {
            *to = *from as i32;
        }
        let copy = TensorCopy {
            mode: CopyMode::Im2col(offsets),
            direction: CopyDirection::Load,
            rank: rank as u8,
            coordinates,
            shared: 256,
        };
        let (mut expected, mut shared) = (BTreeMap::new(), 256);
        for place in places.iter().skip(first).take(usize::from(map.pixels_per_column)) {
            let mut start = vec![i64::from(channel)];
            start.extend(
                place.iter().enumerate().map(|(d, &i)| if d < spatial { i + i64::from(offsets[d]) } else { i }),
            );
            expect_row(&map, &mut expected, &mut shared, &start, 16);
        }
        assert_eq!(bytes_of(&map, &copy), expected, "{map:?} {copy:?}");
    }
}

/// The manual's first example (5.5.4.1), counted by hand: the box is 9 wide from −1 to 7, the walk begins at w 4, h 7 of image 7.
#[test]
fn the_manuals_example_of_im2col() {
    let map = im2col_map(&[64, 9, 14, 64], [-1, -1, 0], [-1, -1, 0], 64, 8);
    let copy = TensorCopy {
        mode: CopyMode::Im2col([0; 3]),
        direction: CopyDirection::Load,
        rank: 4,
        coordinates: [0, 4, 7, 7, 0],
        shared: 0,
    };
    let (runs, amount) = run_list(&map, &copy);
    assert_eq!(amount.transaction, 64 * 16);
    let at = |w: u64, h: u64, n: u64| 0x8000 + ((n * 14 + h) * 9 + w) * 128;
    assert_eq!((runs[0].global, runs[0].kind), (at(4, 7, 7), RunKind::Bytes));
    assert_eq!((runs[3].global, runs[3].kind), (at(7, 7, 7), RunKind::Bytes));
    assert_eq!(runs[4].kind, RunKind::Fill);
    assert_eq!(runs[5].global, at(0, 8, 7));
    // 4 pixels in this row, 9 in each of the rows 8 … 12, then row −1 of the next image: padding.
    assert!(runs[49..58].iter().all(|run| run.kind == RunKind::Fill));
    assert_eq!(runs[58].kind, RunKind::Fill);
    assert_eq!(runs[59].global, at(0, 0, 8));
}

#[test]
fn im2col_along_w_stays_in_its_row() {
    let mut map = im2col_map(&[64, 9, 7, 64], [-1, 0, 0], [0, 0, 0], 20, 16);
    map.mode = TensorMapMode::Im2colWide;
    map.element_strides[1] = 2;
    for (mode, pixels) in
        [(CopyMode::Im2colW { halo: 0, offset: 1 }, 20), (CopyMode::Im2colW128 { halo: 0, offset: 1 }, 128)]
    {
        let copy =
            TensorCopy { mode, direction: CopyDirection::Load, rank: 4, coordinates: [16, -1, 2, 7, 0], shared: 0 };
        let (mut expected, mut shared) = (BTreeMap::new(), 0);
        // W runs from −1 + 1 in steps of two up to 8 + 1, then the next image follows.
        let walk = (7..).flat_map(|n| [0, 2, 4, 6, 8].map(|w| [16, w, 2, n]));
        for start in walk.take(pixels) {
            expect_row(&map, &mut expected, &mut shared, &start, 16);
        }
        assert_eq!(bytes_of(&map, &copy), expected);
    }
    let halo = CopyMode::Im2colW { halo: 2, offset: 0 };
    let copy = TensorCopy { mode: halo, direction: CopyDirection::Load, rank: 4, coordinates: [0; 5], shared: 0 };
    assert!(matches!(map.runs(&copy, |_| ()), Err(TensorFault::NotDescribed(_))));
}

#[test]
fn sub_byte_types_expand_and_pack() {
    for (element, data) in [(ElementType::B4x16P64, 8), (ElementType::B6x16, 12)] {
        let mut map = TensorMap::tiled(element, 0x2000, &[256, 4], &[256], &[128, 3]);
        map.set_swizzle(Swizzle::B128);
        assert_eq!(map.problem(), None);
        let copy = |direction| TensorCopy {
            mode: CopyMode::Tile,
            direction,
            rank: 2,
            coordinates: [128, 2, 0, 0, 0],
            shared: 0x800,
        };
        let (runs, amount) = run_list(&map, &copy(CopyDirection::Load));
        assert_eq!(amount, Amount { transaction: 3 * 8 * data, shared: 3 * 128 });
        let mut written = vec![None; 384];
        for run in &runs {
            for i in 0..run.bytes {
                let from = if run.kind == RunKind::Bytes { run.global + u64::from(i) } else { 0 };
                assert_eq!(written[(run.shared + i - 0x800) as usize].replace((run.kind, from)), None);
            }
        }
        for row in 0..3_u32 {
            for byte in 0..128 {
                let shared = Swizzle::B128.apply(0x800 + 128 * row + byte) - 0x800;
                let global = 0x2000 + 256 * u64::from(2 + row) + u64::from(8 * data + data * (byte / 16) + byte % 16);
                let expected = match row {
                    2 => (RunKind::Fill, 0),
                    _ if byte % 16 < data => (RunKind::Bytes, global),
                    _ => (RunKind::Padding, 0),
                };
                assert_eq!(written[shared as usize], Some(expected));
            }
        }
        let mut stores = vec![];
        let result = map.runs(&copy(CopyDirection::Store), |run| stores.push(run));
        if element == ElementType::B6x16 {
            assert_eq!(result.unwrap().transaction, 3 * 96);
            assert!(stores.len() == 16 && stores.iter().all(|run| run.kind == RunKind::Pack6 && run.bytes == 16));
            assert_eq!(stores[1].global, 0x2000 + 512 + 96 + 12);
        } else {
            assert_eq!(result, Err(TensorFault::Element));
        }
        let off = TensorCopy { coordinates: [64, 0, 0, 0, 0], ..copy(CopyDirection::Load) };
        assert_eq!(map.runs(&off, |_| ()), Err(TensorFault::Coordinate { multiple: 128 }));
    }
    // Bit by bit: bit b of element e is bit 6·e + b of the result, whatever the top two bits of the element's byte are.
    let mut numbers = ImageNumbers::new(19);
    for _ in 0..200 {
        let shared: [u8; 16] = [0; 16].map(|_| numbers.next() as u8);
        let packed = pack6(shared);
        for bit in 0..96 {
            assert_eq!(packed[bit / 8] >> (bit % 8) & 1, shared[bit / 6] >> (bit % 6) & 1);
        }
    }
}

#[test]
fn faults() {
    let map = TensorMap::tiled(ElementType::F32, 0x1000, &[64, 8], &[256], &[32, 8]);
    let copy =
        TensorCopy { mode: CopyMode::Tile, direction: CopyDirection::Store, rank: 2, coordinates: [0; 5], shared: 0 };
    let fault = |map: &TensorMap, copy: TensorCopy| map.runs(&copy, |_| ()).unwrap_err();
    assert_eq!(fault(&map, TensorCopy { rank: 3, ..copy }), TensorFault::Rank { instruction: 3, map: 2 });
    assert_eq!(fault(&map, TensorCopy { shared: 64, ..copy }), TensorFault::Misaligned { address: 64, needed: 128 });
    assert_eq!(fault(&map, TensorCopy { coordinates: [0, -1, 0, 0, 0], ..copy }), TensorFault::StoreOutside);
    assert!(
        map.runs(&TensorCopy { direction: CopyDirection::Load, coordinates: [0, -1, 0, 0, 0], ..copy }, |_| ()).is_ok()
    );
    assert_eq!(fault(&map, TensorCopy { mode: CopyMode::Im2colNoOffsets, ..copy }), TensorFault::Mode);
    let mut narrow = map;
    (narrow.box_sizes[0], narrow.swizzle_mode) = (16, 3);
    assert!(matches!(fault(&narrow, copy), TensorFault::NotDescribed(_)));
    narrow.box_sizes[1] = 1;
    assert!(narrow.runs(&copy, |_| ()).is_ok());
    let mut large = map;
    (large.box_sizes, large.element) = ([256; 5], ElementType::S64 as u8);
    assert_eq!(fault(&large, copy), TensorFault::Field("box_dim"));
    let b4 = TensorMap::tiled(ElementType::B4x16, 0x1000, &[64, 8], &[32], &[32, 8]);
    assert_eq!(fault(&b4, TensorCopy { direction: CopyDirection::Reduce, ..copy }), TensorFault::Element);
}

#[test]
fn interleaved_tensors_have_their_slices_as_a_dimension() {
    // Channels in slices of eight halves: C8, W, H, C / 8, N. A box of one slice.
    let (sizes, strides) = ([8, 10, 10, 2, 3], [16, 160, 1600, 3200]);
    let mut map = TensorMap::tiled(ElementType::F16, 0x10000, &sizes, &strides, &[8, 4, 2, 1, 1]);
    map.interleave = 1;
    let copy = TensorCopy {
        mode: CopyMode::Tile,
        direction: CopyDirection::Load,
        rank: 5,
        coordinates: [0, 8, 3, 1, 2],
        shared: 0,
    };
    let (mut expected, mut shared) = (BTreeMap::new(), 0);
    for (h, w) in [(3, 8), (3, 9), (3, 10), (3, 11), (4, 8), (4, 9), (4, 10), (4, 11)] {
        expect_row(&map, &mut expected, &mut shared, &[0, w, h, 1, 2], 8);
    }
    assert_eq!(bytes_of(&map, &copy), expected);
    map.element_strides[0] = 2;
    assert!(matches!(map.runs(&copy, |_| ()), Err(TensorFault::NotDescribed(_))));
    assert_eq!(TensorMap { interleave: 2, ..map }.problem(), Some("swizzle_mode"));
    assert_eq!(TensorMap { rank_less_one: 1, ..map }.problem(), Some("interleave_layout"));
    map.mode = TensorMapMode::Im2colWide;
    assert_eq!(map.problem(), Some("interleave_layout"));
}

#[test]
fn maps_survive_their_bytes_and_no_bytes_break_a_copy() {
    let mut numbers = ImageNumbers::new(23);
    for round in 0..20_000 {
        let mut bytes = random_tiled(&mut numbers).to_bytes();
        for _ in 0..round % 5 {
            bytes[2 + numbers.below(114) as usize] = numbers.next() as u8;
        }
        let Some(map) = TensorMap::from_bytes(&bytes) else { continue };
        assert_eq!(TensorMap::from_bytes(&map.to_bytes()), Some(map));
        // Any values of the fields produce a result in bounded time.
        let mode = [
            CopyMode::Tile,
            CopyMode::Rows4,
            CopyMode::Im2col([1, 2, 3]),
            CopyMode::Im2colNoOffsets,
            CopyMode::Im2colW { halo: 0, offset: 3 },
            CopyMode::Im2colW128 { halo: 0, offset: 3 },
        ][numbers.below(6) as usize];
        let direction = [CopyDirection::Load, CopyDirection::Store, CopyDirection::Reduce][numbers.below(3) as usize];
        let extreme = |n: u64| [i32::MIN, i32::MAX, 0, 1, -1, 128][n as usize % 6];
        let coordinates = [0; 5].map(|_| extreme(numbers.below(6)));
        let copy = TensorCopy { mode, direction, rank: map.rank_less_one.wrapping_add(1), coordinates, shared: 128 };
        let mut bytes = 0;
        if let Ok(amount) = map.runs(&copy, |run| bytes += run.bytes) {
            assert!(direction != CopyDirection::Load || bytes == amount.shared);
        }
    }
    assert_eq!(TensorMap::from_bytes(&[0; 128]), None);
}

#[test]
fn replacing_fields() {
    let map = TensorMap::tiled(ElementType::F32, 0x1000, &[64, 1 << 32], &[256], &[32, 8]);
    let changed = |name: &str, ordinal, value| {
        let mut bytes = map.to_bytes();
        assert!(replace(&mut bytes, Field::named(name, ordinal).unwrap(), value), "{name}");
        TensorMap::from_bytes(&bytes).unwrap()
    };
    assert_eq!(TensorMap::from_bytes(&map.to_bytes()), Some(map));
    assert_eq!(changed("global_address", 0, 0xdead_beef_0000), TensorMap { address: 0xdead_beef_0000, ..map });
    assert_eq!(changed("rank", 0, 4), TensorMap { rank_less_one: 4, ..map });
    let mut expected = map;
    expected.sizes[1] = 77;
    assert_eq!(changed("global_dim", 1, 77), expected);
    let mut expected = map;
    expected.strides[0] = 512;
    assert_eq!(changed("global_stride", 0, 512), expected);
    let mut expected = map;
    (expected.box_sizes[4], expected.element_strides[2]) = (9, 1);
    assert_eq!(changed("box_dim", 4, 9), expected);
    assert_eq!(changed("element_stride", 2, 8).element_strides, [1, 1, 8, 1, 1]);
    assert_eq!(changed("elemtype", 0, 10).element_type(), Some(ElementType::Bf16));
    assert_eq!(changed("interleave_layout", 0, 2).interleave, 2);
    assert_eq!(changed("swizzle_mode", 0, 3).swizzle(), Some(Swizzle::B128));
    assert_eq!(changed("swizzle_atomicity", 0, 3).swizzle_atomicity, 3);
    assert_eq!(changed("fill_mode", 0, 1).fill_pattern(), 0x7fff_ffff_7fff_ffff);
    assert_eq!(changed("elemtype", 0, 0x1_0000).problem(), Some("elemtype"));
    let mut bytes = map.to_bytes();
    assert!(!replace(&mut bytes, Field::GlobalStride(4), 16) && bytes == map.to_bytes());
    assert!(!replace(&mut [0; 128], Field::Rank, 1));
    assert_eq!(Field::named("colour", 0), None);
}

#[test]
fn loads_convert_some_types() {
    let tf32 = |bits| ElementType::Tf32.loaded(bits).0;
    // A tie that goes down, a tie that goes up, a carry into the exponent, and two values that stay.
    assert_eq!(tf32(0x3f80_1000), 0x3f80_0000);
    assert_eq!(tf32(0x3f80_3000), 0x3f80_4000);
    assert_eq!(tf32(0x3fff_f000), 0x4000_0000);
    assert_eq!(tf32(0x7f80_0000), 0x7f80_0000);
    assert_eq!(tf32(0xffc0_1234), 0xffc0_1234);
    assert_eq!(ElementType::F32.loaded(0x8000_0001), (0x8000_0001, Marks::NONE));
    assert_eq!(ElementType::F32Ftz.loaded(0x8000_0001), (0x8000_0000, Marks::UNSPECIFIED));
    assert_eq!(ElementType::F32Ftz.loaded(0x0080_0001).0, 0x0080_0001);
    assert_eq!(ElementType::Tf32Ftz.loaded(0x3f80_3000).0, 0x3f80_4000);
}
