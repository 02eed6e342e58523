fn main() {
    let ask = immune_bench::Ask { mode: None, seed: std::env::args().nth(2).map_or(10, |x| x.parse().unwrap()), data: Some("/work/shared/data".into()) };
    let b = immune_bench::Quick::named(&std::env::args().nth(1).unwrap()).unwrap().run(&ask).unwrap();
    for r in b.rows { println!("{} | {} | {} | {:?} {:?}", r.engine, r.what, r.source, r.percent, r.note); }
    for r in b.targets { println!("{} {} {} {}", r.name, r.value, r.target, r.holds); }
}
