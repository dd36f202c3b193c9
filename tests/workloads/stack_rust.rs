// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
// stack_rust: computes in fib, in main, in a thread, called back by a sort, and in a drop while it unwinds.
use std::hint::black_box;

#[inline(never)]
fn fib(n: u64) -> u64 {
    if n < 2 { n } else { fib(n - 1) + fib(n - 2) }
}

#[inline(never)]
fn sorted() {
    let mut numbers: Vec<u64> = (0..200).map(|i| i * 37 % 199).collect();
    numbers.sort_by(|a, b| {
        black_box(fib(15));
        a.cmp(b)
    });
    black_box(numbers);
}

struct Dropped;

impl Drop for Dropped {
    #[inline(never)]
    fn drop(&mut self) {
        black_box(fib(27));
    }
}

#[inline(never)]
fn panics() {
    let _dropped = Dropped;
    std::panic::resume_unwind(Box::new(1));
}

fn main() {
    let thread = std::thread::spawn(|| black_box(fib(33)));
    for _ in 0..20 {
        sorted();
    }
    for _ in 0..20 {
        let _ = std::panic::catch_unwind(panics);
    }
    black_box(fib(33));
    thread.join().unwrap();
}
