//! x
use std::time::*;
fn main(){ for a in std::env::args().skip(1) { let t=std::fs::read_to_string(&a).unwrap(); let s=ptx_syntax::Snapshot::new(&t);
 let n=t.len(); let mut v=vec![];
 for i in 0..400 { let o=n/400*i+ (i*7)%50; let mut best=Duration::MAX; for _ in 0..4 { let t0=Instant::now(); let _=ptx_ide::hover(&s,o); best=best.min(t0.elapsed()); } v.push((best,o)); }
 // g and labels late in the file
 let g=t.rfind("[g]").unwrap_or(0)+1; let l=t.rfind("bra L").unwrap_or(0)+5;
 for o in [g,l] { let mut best=Duration::MAX; for _ in 0..4 { let t0=Instant::now(); let _=ptx_ide::hover(&s,o); best=best.min(t0.elapsed()); } println!("special {best:?}"); }
 v.sort(); println!("{a}: median {:?} p95 {:?} worst {:?} {:?}", v[200].0, v[380].0, v[399].0, &t[v[399].1-20..(v[399].1+20).min(n)]);
 let mut best=Duration::MAX; for _ in 0..6 { let t0=Instant::now(); let _=ptx_ide::document_symbols(&s); best=best.min(t0.elapsed()); } println!("symbols {best:?}"); } }
