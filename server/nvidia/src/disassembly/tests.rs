//! The samples are listings of tests/editors/fixture/saxpy.ptx: `13` by release 13.5, `12` by the disassembler of 12.4, of code by
//! the assembler of 11.8.

use super::*;

const NEW: [&str; 2] = [include_str!("samples/13-saxpy-lines.txt"), include_str!("samples/13-saxpy-live.txt")];
const OLD: [&str; 2] = [include_str!("samples/12-saxpy-lines.txt"), include_str!("samples/12-saxpy-live.txt")];

fn read([lines, live]: [&str; 2]) -> MachineFunction {
    let mut out = Disassembly::read(lines);
    out.add_live(live);
    assert_eq!(out.functions.len(), 1);
    out.functions.remove(0)
}

fn live(general: u16, predicates: u16, uniform: u16) -> Option<LiveCounts> {
    Some(LiveCounts { general, uniform, predicates, uniform_predicates: 0 })
}

#[test]
fn both_layouts() {
    for (sample, count, atomic) in [(NEW, 32, 0x150), (OLD, 34, 0x170)] {
        let function = read(sample);
        assert_eq!((function.name.as_str(), function.instructions.len()), ("saxpy", count));
        assert!(function.instructions.iter().all(|i| i.line.is_some() && i.local.is_none()));
        assert!(function.instructions.iter().all(|i| i.live.is_some()), "{:#?}", function.instructions);
        assert!(function.instructions.iter().enumerate().all(|(at, i)| i.address == at as u64 * 16));
        let exit = &function.instructions[5];
        assert_eq!((exit.text.as_str(), exit.line, exit.live), ("@P0 EXIT", Some(31), live(2, 1, 0)));
        let found = function.instructions.iter().find(|i| i.address == atomic).unwrap();
        assert_eq!(found.text, "@P0 ATOMG.E.ADD.STRONG.GPU PT, R11, [R6.64], R11");
        assert_eq!(found.line, Some(46));
        assert_eq!(function.peak().map(|(most, _)| most), Some(9));
        let last = function.instructions.last().unwrap();
        assert!(last.text.starts_with("BRA .L_"), "{}", last.text);
        // Of the labels only the branch target is kept.
        let [(at, label)] = &function.labels[..] else { panic!("one label: {:?}", function.labels) };
        assert!(*at == count - 1 && last.text.ends_with(label));
    }
}

#[test]
fn lines_of_every_kind() {
    let listing = "\
\t.headerflags\t@\"EF_CUDA_SM80\"
nvdisasm info    : something odd
//--------------------- .nv.constant0.k          --------------------------
\t.section\t.nv.constant0.k,\"a\",@progbits
        /*0000*/ \t.dword\tdone
//--------------------- .text.k               --------------------------
\t.section\t.text.k,\"ax\",@progbits
k:
.text.k:
\t//## File \"/a b.cu\", line 3 inlined at \"/a b.cu\", line 9
\t//## File \".nv_debug_ptx_txt\", line 12
\t//## File \"/a b.cu\", line 9
        /*0000*/                   MOV R1, c[0x0][0x28] ;                          /* 0x00000a0000017a02 */
                                                                                   /* 0x000fe20000000f00 */
        /*0008*/         {         IADD R0, R0, 1 ;
        /*0010*/                   BRA `(.L_2) }
\t//## File \".nv_debug_ptx_txt.7\", line 13 inlined at \"x\", line 4
.L_2:
.L_20:
        /*0018*/              @!P0 STL.64 [R1+0xa8], R20             (*\"SpillRefill\"*);     // |   5   |
        /*0020*/                   LDL R2, [R1] ;
        /*0028*/                   BRX R2 -0x40                      (*\"BRANCH_TARGETS .L_4,.L_5\"*);
.L_4:
.L_9:
        /*zz*/                     NOP;
        .type           $k$f,@function
$k$f:
\t//## File \".nv_debug_ptx_txt\", line 0
        /*0030*/                   RET ;
        /*0038*/                   NOP;
        /*0040*/                   NOP;
.L_3:
";
    let found = Disassembly::read(listing);
    let [function] = &found.functions[..] else { panic!("one function") };
    let rows: Vec<_> = function.instructions.iter().map(|i| (i.address, i.text.as_str(), i.line, i.local)).collect();
    assert_eq!(
        rows,
        [
            (0, "MOV R1, c[0x0][0x28]", Some(12), None),
            (8, "IADD R0, R0, 1", Some(12), None),
            (16, "BRA .L_2", Some(12), None),
            (24, "@!P0 STL.64 [R1+0xa8], R20", Some(13), Some(LocalAccess::Spill)),
            (32, "LDL R2, [R1]", Some(13), Some(LocalAccess::Local)),
            (40, "BRX R2 -0x40", Some(13), None),
            (48, "RET", None, None),
        ]
    );
    assert_eq!(function.labels, [(3, ".L_2".to_owned()), (6, ".L_4".to_owned()), (6, "$k$f".to_owned())]);
}

#[test]
fn live_registers_of_every_kind() {
    let listing = |marks: &str| {
        format!(
            "\t.section\t.text.k,\"ax\",@progbits
    // +-------+--------+--------+---------+------+
    // | GPR   | PRED   | UGPR   | UPRED   | NEW  |
    // |   #   |   #    |    #   |    #    |      |
        /*0000*/ MOV R1, R2 ; // |   1{marks} |   2    |   3    |   4   | 5 |
        /*0010*/ MOV R1, R2 ; // |   |        |   7    |       | 5 |
        /*0020*/ MOV R1, R2 ; // | a | b |
        /*0030*/ MOV R1, R2 ;
        /*0050*/ MOV R1, R2 ; // | 1 |
"
        )
    };
    for marks in ["", " ^ v : x"] {
        let mut found = Disassembly::read(&listing(marks).replace("0x50", "0x40"));
        found.add_live(&listing(marks));
        let live: Vec<_> = found.functions[0].instructions.iter().map(|i| i.live).collect();
        let full = LiveCounts { general: 1, predicates: 2, uniform: 3, uniform_predicates: 4 };
        let uniform = LiveCounts { uniform: 7, ..LiveCounts::default() };
        let one = LiveCounts { general: 1, ..LiveCounts::default() };
        assert_eq!(live, [Some(full), Some(uniform), None, None, Some(one)]);
    }
}

#[test]
fn the_peak_is_the_first_of_equals() {
    let listing = "\t.section\t.text.k
    // | GPR   |
        /*0000*/ MOV R1, R2 ; // | 1 |
        /*0010*/ MOV R1, R2 ; // | 4 |
        /*0020*/ MOV R1, R2 ; // | 4 |
";
    assert_eq!(read([listing, listing]).peak(), Some((4, 1)));
}

#[test]
fn nonsense_is_skipped() {
    for text in
        ["", "\n\n", "/*", "/*0*/", "\t.section", "\t.section\t.text.", ".section .text.k\n/*0*/ ;\n//##", "\u{0}:`(:"]
    {
        let mut found = Disassembly::read(text);
        found.add_live(text);
        assert_eq!(found.functions, [], "{text:?}");
    }
}
