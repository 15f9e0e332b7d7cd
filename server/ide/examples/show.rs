use std::time::Instant;
fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    if args[0] == "explain" {
        println!("{}", ptx_ide::explain(&args[1]).unwrap_or("NOTHING".into()));
        return;
    }
    let text = std::fs::read_to_string(&args[0]).unwrap();
    let snapshot = ptx_syntax::Snapshot::new(&text);
    if args[1] == "symbols" {
        let mut s = vec![];
        for _ in 0..10 {
        let t = Instant::now();
        s = ptx_ide::document_symbols(&snapshot);
        println!("{} in {:?}", s.len(), t.elapsed());}
        if args.len() > 2 { println!("{s:#?}"); }
        return;
    }
    if args[1] == "time" {
        let n = text.len();
        let mut worst = vec![];
        let rounds = 2000;
        for i in 0..rounds {
            let o = (n as u128 * i as u128 / rounds as u128) as usize;
            let mut best = std::time::Duration::MAX;
            let mut some = false;
            for _ in 0..5 {
            let t = Instant::now();
            let h = ptx_ide::hover(&snapshot, o);
            best = best.min(t.elapsed());
            some = h.is_some();
            }
            worst.push((best, o, some));
        }
        worst.sort();
        println!("median {:?} worst {:?}", worst[rounds/2], &worst[rounds-8..]);
        for k in [1, 20, 40, 80, 200, 400] { println!("{:?}", worst[rounds-k]); }
        for k in 1..6 { let (_, o, _) = worst[rounds-k];
        let lo = text[..o].rfind('\n').unwrap_or(0);
        println!("{} | {}", &text[lo..(o+20).min(n)], &text[o..o+10].replace('\n', "~")); }
        return;
    }
    let line: usize = args[1].parse().unwrap();
    let col: usize = args[2].parse().unwrap();
    let o = snapshot.rope().line_to_byte(line - 1) + col - 1;
    let t = Instant::now();
    match ptx_ide::hover(&snapshot, o) {
        Some(h) => println!("{:?} {:?}\n{}", t.elapsed(), &text[h.range.clone()], h.markdown),
        None => println!("nothing"),
    }
}
