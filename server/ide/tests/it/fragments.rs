//! Matrix operands: hover on their registers, labels, figures.

mod layouts;

use expect_test::{Expect, expect};
use ptx_ide::{Hover, fragment_labels, fragment_pictures, hover};
use ptx_isa::ISA;
use ptx_syntax::{Node, Snapshot};

const MMA: &str = "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};";

fn module(statements: &str) -> String {
    format!(
        ".version 9.0\n.target sm_120a\n.address_size 64\n.visible .entry k()\n{{\n.reg .pred %p;\n.reg .b32 %r<40>;\n.reg .f32 %f<8>;\n\
         .reg .b64 %rd<4>;\n{statements}\n}}\n"
    )
}

fn in_body(statements: &str) -> Option<(String, Hover)> {
    let marked = module(statements);
    let offset = marked.find("$0").expect("a mark");
    let text = marked.replacen("$0", "", 1);
    let hover = hover(&Snapshot::new(&text), offset, None)?;
    Some((text[hover.range.clone()].to_owned(), hover))
}

/// The part of the hover that describes the matrix.
fn check(statements: &str, expected: &Expect) {
    let (_, hover) = in_body(statements).expect("a hover");
    // It follows the line that answers what the operand is here, or what `_` means.
    let text = &hover.markdown;
    let (_, part) = text.split_once("\n\n**").unwrap_or_else(|| panic!("{text}"));
    // What follows it: the declaration, or the fields of a descriptor.
    let ends = ["\n\n```ptx\n", "\n\n**`", "\n\nHere: "];
    let end = ends.iter().filter_map(|end| part.find(end)).min().unwrap_or(part.len());
    let part = &part[..end];
    expected.assert_eq(&format!("**{part}\n"));
}

/// The statement with the mark at the n-th occurrence of a word.
fn at(statement: &str, word: &str, nth: usize) -> String {
    let (place, _) = statement.match_indices(word).nth(nth).expect("the word");
    format!("{}$0{}", &statement[..place], &statement[place..])
}

#[test]
fn registers_of_mma() {
    check(
        &at(MMA, "%r2", 0),
        &expect![[r#"
        **A** – 16×16 of `.f16`, 8 elements in 4 registers of each lane

        `%r2`, register 2: row `lane/4`, column `2*(lane%4) + j + 8`  
        `j` = 0 … 1: 16 bits each, the first lowest

        ```text
              0-1     2-3     4-5     6-7     8-9    10-11   12-13   14-15
          0  T0:0    T1:0    T2:0    T3:0   [T0:2]  [T1:2]  [T2:2]  [T3:2]
          1  T4:0    T5:0    T6:0    T7:0   [T4:2]  [T5:2]  [T6:2]  [T7:2]
          ⋮
          7  T28:0   T29:0   T30:0   T31:0  [T28:2] [T29:2] [T30:2] [T31:2]
          8  T0:1    T1:1    T2:1    T3:1    T0:3    T1:3    T2:3    T3:3
          9  T4:1    T5:1    T6:1    T7:1    T4:3    T5:3    T6:3    T7:3
          ⋮
         15  T28:1   T29:1   T30:1   T31:1   T28:3   T29:3   T30:3   T31:3
        ```

        `T4:1`: lane 4, register 1 of the list
    "#]],
    );
    check(
        &at(MMA, "%r5", 0),
        &expect![[r#"
        **B** – 16×8 of `.f16`, 4 elements in 2 registers of each lane

        `%r5`, register 1: row `2*(lane%4) + j + 8`, column `lane/4`  
        `j` = 0 … 1: 16 bits each, the first lowest

        ```text
                 0      1       2       3       4       5       6       7
           0-1  T0:0   T4:0   T8:0    T12:0   T16:0   T20:0   T24:0   T28:0
           2-3  T1:0   T5:0   T9:0    T13:0   T17:0   T21:0   T25:0   T29:0
           4-5  T2:0   T6:0   T10:0   T14:0   T18:0   T22:0   T26:0   T30:0
           6-7  T3:0   T7:0   T11:0   T15:0   T19:0   T23:0   T27:0   T31:0
           8-9 [T0:1] [T4:1] [T8:1]  [T12:1] [T16:1] [T20:1] [T24:1] [T28:1]
         10-11 [T1:1] [T5:1] [T9:1]  [T13:1] [T17:1] [T21:1] [T25:1] [T29:1]
         12-13 [T2:1] [T6:1] [T10:1] [T14:1] [T18:1] [T22:1] [T26:1] [T30:1]
         14-15 [T3:1] [T7:1] [T11:1] [T15:1] [T19:1] [T23:1] [T27:1] [T31:1]
        ```

        `T4:1`: lane 4, register 1 of the list
    "#]],
    );
    check(
        &at(MMA, "%f3", 0),
        &expect![[r#"
            **D** – 16×8 of `.f32`, 4 elements in 4 registers of each lane

            `%f3`, register 3: row `lane/4 + 8`, column `2*(lane%4) + 1`

            ```text
                   0       1       2       3       4       5       6       7
              0  T0:0    T0:1    T1:0    T1:1    T2:0    T2:1    T3:0    T3:1
              1  T4:0    T4:1    T5:0    T5:1    T6:0    T6:1    T7:0    T7:1
              ⋮
              7  T28:0   T28:1   T29:0   T29:1   T30:0   T30:1   T31:0   T31:1
              8  T0:2   [T0:3]   T1:2   [T1:3]   T2:2   [T2:3]   T3:2   [T3:3]
              9  T4:2   [T4:3]   T5:2   [T5:3]   T6:2   [T6:3]   T7:2   [T7:3]
              ⋮
             15  T28:2  [T28:3]  T29:2  [T29:3]  T30:2  [T30:3]  T31:2  [T31:3]
            ```

            `T4:1`: lane 4, register 1 of the list
        "#]],
    );
}

#[test]
fn lists_with_one_register_and_with_a_sink() {
    check(
        &at("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%r0, %r1}, {%r2}, {%r3}, {%r0, %r1};", "%r2", 0),
        &expect![[r#"
            **A** – 8×16 of `.s8`, 4 elements in a register of each lane

            Row `lane/4`, column `4*(lane%4) + i`  
            `i` = 0 … 3: 8 bits each, the first lowest

            ```text
                0-3   4-7   8-11   12-15
             0  T0    T1     T2     T3
             1  T4    T5     T6     T7
             ⋮
             7  T28   T29   T30     T31
            ```

            `T4`: lane 4
        "#]],
    );
    let statement = MMA.replacen("%f1", "_", 1);
    check(
        &at(&statement, "_,", 0),
        &expect![[r#"
            **D** – 16×8 of `.f32`, 4 elements in 4 registers of each lane

            `_`, register 1: row `lane/4`, column `2*(lane%4) + 1`

            ```text
                   0       1       2       3       4       5       6       7
              0  T0:0   [T0:1]   T1:0   [T1:1]   T2:0   [T2:1]   T3:0   [T3:1]
              1  T4:0   [T4:1]   T5:0   [T5:1]   T6:0   [T6:1]   T7:0   [T7:1]
              ⋮
              7  T28:0  [T28:1]  T29:0  [T29:1]  T30:0  [T30:1]  T31:0  [T31:1]
              8  T0:2    T0:3    T1:2    T1:3    T2:2    T2:3    T3:2    T3:3
              9  T4:2    T4:3    T5:2    T5:3    T6:2    T6:3    T7:2    T7:3
              ⋮
             15  T28:2   T28:3   T29:2   T29:3   T30:2   T30:3   T31:2   T31:3
            ```

            `T4:1`: lane 4, register 1 of the list
        "#]],
    );
}

#[test]
fn four_matrices_at_once() {
    let statement = "mma.sync.aligned.m8n8k4.col.row.f32.f16.f16.f32 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%r0,%r1}, {%r2,%r3}, \
                     {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7};";
    check(
        &at(statement, "%r1", 0),
        &expect![[r#"
        **A** – 4 matrices of 8×4 of `.f16`, 4 elements in 2 registers of each lane

        `%r1`, register 1: matrix `(lane/4)%4`, row `j + 4*(lane/16) + 2`, column `lane%4`  
        `j` = 0 … 1: 16 bits each, the first lowest

        ```text
                0       1       2       3
         0-1  T0:0    T1:0    T2:0    T3:0
         2-3 [T0:1]  [T1:1]  [T2:1]  [T3:1]
         4-5  T16:0   T17:0   T18:0   T19:0
         6-7 [T16:1] [T17:1] [T18:1] [T19:1]
        ```

        `T4:1`: lane 4, register 1 of the list; matrix 0 of 4
    "#]],
    );
    check(
        &at(statement, "%f6", 0),
        &expect![[r#"
            **D** – 4 matrices of 8×8 of `.f32`, 8 elements in 8 registers of each lane

            `%f6`, register 6: matrix `(lane/4)%4`, row `(lane & 1) + 4*(lane/16) + 2`, column `(lane & 2) + 4`

            ```text
                  0       1       2       3       4       5       6       7
             0  T0:0    T0:1    T2:0    T2:1    T0:4    T0:5    T2:4    T2:5
             1  T1:0    T1:1    T3:0    T3:1    T1:4    T1:5    T3:4    T3:5
             2  T0:2    T0:3    T2:2    T2:3   [T0:6]   T0:7   [T2:6]   T2:7
             3  T1:2    T1:3    T3:2    T3:3   [T1:6]   T1:7   [T3:6]   T3:7
             4  T16:0   T16:1   T18:0   T18:1   T16:4   T16:5   T18:4   T18:5
             5  T17:0   T17:1   T19:0   T19:1   T17:4   T17:5   T19:4   T19:5
             6  T16:2   T16:3   T18:2   T18:3  [T16:6]  T16:7  [T18:6]  T18:7
             7  T17:2   T17:3   T19:2   T19:3  [T17:6]  T17:7  [T19:6]  T19:7
            ```

            `T4:1`: lane 4, register 1 of the list; matrix 0 of 4
        "#]],
    );
}

#[test]
fn sparse_matrices_and_their_metadata() {
    let statement = "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0,%f1,%f2,%f3}, {%r0,%r1,%r2,%r3}, \
                     {%r4,%r5,%r6,%r7}, {%f0,%f1,%f2,%f3}, %r8, 1;";
    check(
        &at(statement, "%r1", 0),
        &expect![[r#"
        **A without its zeros** – 16×16 of `.f16`, 8 elements in 4 registers of each lane

        `%r1`, register 1: row `lane/4 + 8`, column `2*(lane%4) + j`  
        `j` = 0 … 1: 16 bits each, the first lowest  
        Each element stands for one of A's columns `4*(column/2)` … `4*(column/2) + 3`

        ```text
              0-1     2-3     4-5     6-7     8-9    10-11   12-13   14-15
          0  T0:0    T1:0    T2:0    T3:0    T0:2    T1:2    T2:2    T3:2
          1  T4:0    T5:0    T6:0    T7:0    T4:2    T5:2    T6:2    T7:2
          ⋮
          7  T28:0   T29:0   T30:0   T31:0   T28:2   T29:2   T30:2   T31:2
          8 [T0:1]  [T1:1]  [T2:1]  [T3:1]   T0:3    T1:3    T2:3    T3:3
          9 [T4:1]  [T5:1]  [T6:1]  [T7:1]   T4:3    T5:3    T6:3    T7:3
          ⋮
         15 [T28:1] [T29:1] [T30:1] [T31:1]  T28:3   T29:3   T30:3   T31:3
        ```

        `T4:1`: lane 4, register 1 of the list
    "#]],
    );
    check(
        &at(statement, "%r8", 0),
        &expect![[r#"
        **Metadata of A** – 16×8 chunks of 4 bits, 8 in a register of each lane that takes part

        Row `lane/4 + 8*(i/4)`, column `4*(lane%2) + i%4`; only lanes with `(lane%4)/2 == 1`  
        `i` = 0 … 7: 4 bits each, the first lowest  
        Each chunk tells of A's columns `4*column` … `4*column + 3`

        ```text
                  0-3              4-7
          0   T2 bits 0-15     T3 bits 0-15
          1   T6 bits 0-15     T7 bits 0-15
          ⋮
          7  T30 bits 0-15    T31 bits 0-15
          8  T2 bits 16-31    T3 bits 16-31
          9  T6 bits 16-31    T7 bits 16-31
          ⋮
         15  T30 bits 16-31   T31 bits 16-31
        ```

        `T4`: lane 4
    "#]],
    );
}

#[test]
fn scale_factors() {
    let statement = "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 {%f0,%f1,%f2,%f3}, \
                     {%r0,%r1,%r2,%r3}, {%r4,%r5}, {%f0,%f1,%f2,%f3}, %r6, {2, 1}, %r7, {0, 3};";
    check(
        &at(statement, "%r6", 0),
        &expect![[r#"
        **Scale factors of A** – 16×2 factors of 8 bits, 2 in a register of each lane that takes part

        Row `lane/4 + 8*(lane%2)`, column `i`; only lanes with `(lane%4)/2 == 1`  
        `i` = 0 … 1: from bit 16 on, 8 bits each  
        Each factor is for A's columns `32*column` … `32*column + 31`

        The manual says which two threads of a group count, not which of them has which row; here as in CUTLASS.

        ```text
                  0-1
          0  T2 bits 16-31
          1  T6 bits 16-31
          ⋮
          7  T30 bits 16-31
          8  T3 bits 16-31
          9  T7 bits 16-31
          ⋮
         15  T31 bits 16-31
        ```

        `T4`: lane 4
    "#]],
    );
    check(
        &at(statement, "%r7", 0),
        &expect![[r#"
        **Scale factors of B** – 2×8 factors of 8 bits, 2 in a register of each lane that takes part

        Row `i`, column `lane/4`; only lanes with `lane%4 == 3`  
        `i` = 0 … 1: 8 bits each, the first lowest  
        Each factor is for B's rows `32*row` … `32*row + 31`

        ```text
                   0              1               2               3               4        …
         0-1  T3 bits 0-15   T7 bits 0-15   T11 bits 0-15   T15 bits 0-15   T19 bits 0-15  …
        ```

        `T4`: lane 4
    "#]],
    );
}

#[test]
fn matrices_in_memory() {
    let statement = "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%r0,%r1,%r2,%r3}, [%rd1];";
    check(
        &at(statement, "%r3", 0),
        &expect![[r#"
        **A matrix in memory** – 4 matrices of 8×8 of `.b16`, 8 elements in 4 registers of each lane

        `%r3`, register 3: matrix `3`, row `2*(lane%4) + j`, column `lane/4`  
        `j` = 0 … 1: 16 bits each, the first lowest

        The layout of B of `mma` on 16-bit types where memory holds its rows, and of A where memory holds its columns.

        ```text
               0      1       2       3       4       5       6       7
         0-1 [T0:3] [T4:3] [T8:3]  [T12:3] [T16:3] [T20:3] [T24:3] [T28:3]
         2-3 [T1:3] [T5:3] [T9:3]  [T13:3] [T17:3] [T21:3] [T25:3] [T29:3]
         4-5 [T2:3] [T6:3] [T10:3] [T14:3] [T18:3] [T22:3] [T26:3] [T30:3]
         6-7 [T3:3] [T7:3] [T11:3] [T15:3] [T19:3] [T23:3] [T27:3] [T31:3]
        ```

        `T4:1`: lane 4, register 1 of the list; matrix 3 of 4
    "#]],
    );
    check(
        &at(statement, "%rd1", 0),
        &expect![[r#"
            **The rows in memory** – 4 matrices of 8 row addresses, one for each lane

            Matrix `lane/8`, row `lane%8`
        "#]],
    );
    check(
        &at("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%rd1], {%r0,%r1};", "%rd1", 0),
        &expect![[r#"
            **The rows in memory** – 2 matrices of 8 row addresses, one for each lane that takes part

            Matrix `lane/8`, row `lane%8`; only lanes with `lane < 16`
        "#]],
    );
    check(
        &at("movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r1;", "%r0", 0),
        &expect![[r#"
        **The matrix of `a`** – 8×8 of `.b16`, 2 elements in a register of each lane

        Row `2*(lane%4) + i`, column `lane/4`  
        `i` = 0 … 1: 16 bits each, the first lowest

        Rows and columns are those of the matrix in `a`: of the transposed one each thread has row `lane/4`.

        ```text
              0    1     2     3     4     5     6     7
         0-1  T0   T4   T8    T12   T16   T20   T24   T28
         2-3  T1   T5   T9    T13   T17   T21   T25   T29
         4-5  T2   T6   T10   T14   T18   T22   T26   T30
         6-7  T3   T7   T11   T15   T19   T23   T27   T31
        ```

        `T4`: lane 4
    "#]],
    );
}

#[test]
fn warpgroups_and_tensor_memory() {
    let statement = "wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%f0,%f1,%f2,%f3,%f4,%f5,%f6,%f7}, {%r0,%r1,%r2,%r3}, %rd1, \
                     %p, 1, 1, 0;";
    check(
        &at(statement, "%f5", 0),
        &expect![[r#"
            **D** – 64×16 of `.f32`, 8 elements in 8 registers of each thread of the warpgroup

            `%f5`, register 5: row `16*warp + lane/4`, column `2*(lane%4) + 9`

            ```text
                …    8        9        10       11       12       13       14       15
              0 …   T0:4    [T0:5]    T1:4    [T1:5]    T2:4    [T2:5]    T3:4    [T3:5]
              1 …   T4:4    [T4:5]    T5:4    [T5:5]    T6:4    [T6:5]    T7:4    [T7:5]
              ⋮
              7 …  T28:4   [T28:5]   T29:4   [T29:5]   T30:4   [T30:5]   T31:4   [T31:5]
              8 …   T0:6     T0:7     T1:6     T1:7     T2:6     T2:7     T3:6     T3:7
              9 …   T4:6     T4:7     T5:6     T5:7     T6:6     T6:7     T7:6     T7:7
              ⋮
             15 …  T28:6    T28:7    T29:6    T29:7    T30:6    T30:7    T31:6    T31:7
              ⋮
             56 …  T96:6    T96:7    T97:6    T97:7    T98:6    T98:7    T99:6    T99:7
             57 …  T100:6   T100:7   T101:6   T101:7   T102:6   T102:7   T103:6   T103:7
              ⋮
             63 …  T124:6   T124:7   T125:6   T125:7   T126:6   T126:7   T127:6   T127:7
            ```

            `T4:1`: thread 4 of the warpgroup, register 1 of the list
        "#]],
    );
    check(
        &at(statement, "%rd1", 0),
        &expect![[r#"
        **A matrix in shared memory** – No thread holds a part of it: the register is a descriptor of a matrix in shared memory, the same in all threads. How the matrix
        lies there follows from the swizzling mode and the strides in the descriptor.
    "#]],
    );
    check(
        &at("tcgen05.ld.sync.aligned.16x64b.x2.pack::16b.b32 {%r0,%r1}, [%r2];", "%r1", 0),
        &expect![[r#"
            **Tensor memory** – 16×8 cells of 16 bits, 4 in 2 registers of each lane

            `%r1`, register 1: row `lane/4 + 8*(lane%2)`, column `2*((lane%4)/2) + j + 4`  
            `j` = 0 … 1: 16 bits each, the first lowest

            ```text
                  0-1     2-3     4-5     6-7
              0  T0:0    T2:0   [T0:1]  [T2:1]
              1  T4:0    T6:0   [T4:1]  [T6:1]
              ⋮
              7  T28:0   T30:0  [T28:1] [T30:1]
              8  T1:0    T3:0   [T1:1]  [T3:1]
              9  T5:0    T7:0   [T5:1]  [T7:1]
              ⋮
             15  T29:0   T31:0  [T29:1] [T31:1]
            ```

            `T4:1`: lane 4, register 1 of the list
        "#]],
    );
}

#[test]
fn unspecified_layouts_say_what_to_do() {
    let statement = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 {%r0,%r1,%r2,%r3,%r4,%r5,%r6,%r7}, [%rd1];";
    check(
        &at(statement, "%r1", 0),
        &expect![[r#"
            **An opaque fragment** – Which element a thread holds is not specified and differs between targets; store it to memory to get at single elements.
        "#]],
    );
}

#[test]
fn other_operands_and_instructions_have_no_matrix() {
    for statement in ["add.s32 %r1, %r2, %$0r3;", "mov.b32 %$0r1, 1;", "ld.global.v2.b32 {%r1, %$0r2}, [%rd1];"] {
        let (_, hover) = in_body(statement).expect("a hover");
        assert!(!hover.markdown.contains("```text"), "{}", hover.markdown);
    }
}

fn instructions<'t>(node: Node<'t>, out: &mut Vec<Node<'t>>) {
    if node.kind() == "instruction" {
        out.push(node);
    }
    (0..node.child_count()).filter_map(|i| node.child(i)).for_each(|child| instructions(child, out));
}

/// The labels of all instructions, inserted into the text.
fn labels(statements: &str) -> String {
    let text = module(statements);
    let snapshot = Snapshot::new(&text);
    let mut found = Vec::new();
    snapshot.roots().for_each(|root| instructions(root, &mut found));
    let labels = found.into_iter().flat_map(|node| fragment_labels(&snapshot, node));
    labels.map(|label| format!("{}: {}\n", &text[label.range], label.text)).collect()
}

#[test]
fn short_labels() {
    expect![[r#"
        {%f0, %f1, %f2, %f3}: D 16×8
        {%r0, %r1, %r2, %r3}: A 16×16
        {%r4, %r5}: B 16×8
        {%f0, %f1, %f2, %f3}: C 16×8
        {%r0,%r1}: 2× 8×8
        {%r0,%r1}: D 16×8
        {%r2,%r3}: A 16×8 kept
        {%r4,%r5}: B 16×8
        {%r0,%r1}: C 16×8
        %r8: metadata of A
    "#]].assert_eq(&labels(&format!(
        "add.s32 %r1, %r2, %r3;\n{MMA}\n\
         ldmatrix.sync.aligned.m8n8.x2.shared.b16 {{%r0,%r1}}, [%rd1];\n\
         mma.sp.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {{%r0,%r1}}, {{%r2,%r3}}, {{%r4,%r5}}, {{%r0,%r1}}, %r8, 1;\n\
         wmma.store.d.sync.aligned.row.m16n16k16.global.f16 [%rd1], {{%r0,%r1,%r2,%r3}};"
    )));
}

#[test]
fn every_instruction_with_a_layout_has_pictures() {
    let mut count = 0;
    for entry in ISA.opcodes.iter().flat_map(|o| o.entries) {
        let named = ISA.fragments.iter().flat_map(|f| f.uses).any(|u| u.instructions.contains(&entry.name));
        let pictures = fragment_pictures(entry);
        assert_eq!(named, !pictures.is_empty(), "{}", entry.name);
        assert!(pictures.len() < 40, "{}: {}", entry.name, pictures.len());
        for picture in pictures {
            count += 1;
            assert!(!picture.title.contains('\n') && !picture.title.is_empty());
            assert_eq!(picture.svg.is_empty(), picture.text.is_empty());
            assert!(picture.text.lines().all(|l| l.chars().count() <= 100), "{}\n{}", picture.title, picture.text);
            assert!(picture.formula.contains("row") || !picture.note.is_empty(), "{}", picture.title);
            well_formed(&picture.svg);
        }
    }
    assert!(count > 100, "{count}");
}

/// Asserts that elements are properly nested, and that there are no style attributes and no ids.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').expect("the end of a tag");
        assert!(
            !text.contains('>') && !text.replace("&lt;", "").replace("&gt;", "").replace("&amp;", "").contains('&'),
            "{text}"
        );
        assert!(!tag.contains(" style=") && !tag.contains(" id="), "{tag}");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name.to_owned())),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().unwrap_or("").to_owned()),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    assert!(svg.is_empty() || svg.contains("role=\"img\" aria-label=\"") && svg.contains("<title>"));
}

#[test]
fn a_picture() {
    let entry = ISA.opcode("movmatrix").expect("an opcode").entries.first().expect("an entry");
    let picture = fragment_pictures(entry).into_iter().find(|p| p.operand == "a").expect("a picture");
    expect![[r#"
        the matrix: 8×8 of `.b16`, 2 elements in a register of each lane
        row `lane/4`, column `2*(lane%4) + i`
            0-1   2-3   4-5   6-7
         0  T0    T1    T2    T3
         1  T4    T5    T6    T7
         ⋮
         7  T28   T29   T30   T31
    "#]]
    .assert_eq(&format!("{}\n{}\n{}\n", picture.title, picture.formula, picture.text));
    assert_eq!(picture.svg.matches("<rect").count(), 12, "{}", picture.svg);
}
