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
        let t = Instant::now();
        let s = ptx_ide::document_symbols(&snapshot);
        println!("{} in {:?}", s.len(), t.elapsed());
        if args.len() > 2 { println!("{s:#?}"); }
        return;
    }
    if args[1] == "time" {
        let n = text.len();
        let mut worst = vec![];
        let rounds = 2000;
        for i in 0..rounds {
            let o = (n as u128 * i as u128 / rounds as u128) as usize;
            let t = Instant::now();
            let h = ptx_ide::hover(&snapshot, o);
            worst.push((t.elapsed(), o, h.is_some()));
        }
        worst.sort();
        println!("median {:?} worst {:?}", worst[rounds/2], &worst[rounds-8..]);
        let (_, o, _) = worst[rounds-1];
        let lo = text[..o].rfind('\n').unwrap_or(0);
        println!("{}", &text[lo..(o+80).min(n)]);
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
