// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
use std::collections::HashMap;
use std::thread;
use std::time::Duration;

fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + std::hint::black_box(fib)(n - 2) }
}

fn work() {
    loop {
        let mut m = HashMap::new();
        for i in 0..100u64 {
            *m.entry(format!("{}", i * 7 % 13)).or_insert(0) += fib(i % 12);
        }
        let mut v: Vec<_> = m.into_iter().collect();
        v.sort_by(|a, b| b.1.cmp(&a.1));
        std::hint::black_box(&v);
        if cfg!(panic = "unwind") {
            let _ = std::panic::catch_unwind(|| {
                if fib(3) == 2 {
                    panic!("x")
                }
            });
        }
    }
}

fn main() {
    std::panic::set_hook(Box::new(|_| {}));
    let a = thread::spawn(work);
    thread::spawn(|| thread::sleep(Duration::from_secs(1000)));
    let (_s, r) = std::sync::mpsc::channel::<i32>();
    thread::spawn(move || r.recv());
    work();
    a.join().unwrap();
}
