//! What a pool costs while there is nothing or next to nothing to do, and how fast it is back.
//!
//! Processor time is that of the whole process, the sleeping main thread included; "no pool" shows
//! how much of it that is. Only one pool exists at a time.

use std::thread::sleep;
use std::time::{Duration, Instant};

use super::costs::Wake;
use super::library::{Heist, Rayon, Sequential, Spawn, keep_all_busy};
use super::measure::{Contender, Effort, Row, median, nanos};
use super::{Group, cpu};
use crate::words::cores;

pub const GROUP: Group = Group {
    name: "idle",
    about: "processor time of a pool that has nothing to do, latency of its next job; against rayon",
    rows,
};

/// After a pool was dropped its threads need a moment to end. And the system may need some milliseconds to
/// charge a thread with the work that it has just done.
const ENDED: Duration = Duration::from_millis(5);
/// Times that a worker is woken in a round.
const WAKES: usize = 50;

fn rows(effort: &Effort) -> Vec<Row> {
    let (span, rounds) =
        if effort.quick { (Duration::from_millis(200), 3) } else { (Duration::from_secs(2), 1) };
    let seconds = span.as_secs_f64();
    vec![
        Row::new(format!("CPU time in {seconds} s of nothing"), move || {
            vec![
                nothing::<Heist>("heist", span),
                nothing::<Rayon>("rayon", span),
                nothing::<Sequential>("no pool", span),
            ]
        })
        .rounds(rounds),
        Row::new(format!("CPU time in {seconds} s of a job per ms"), move || {
            vec![
                a_job_per_ms::<Heist>("heist", span),
                a_job_per_ms::<Rayon>("rayon", span),
                a_job_per_ms::<Sequential>("no pool", span),
            ]
        })
        .rounds(rounds),
        Row::new("push from outside until the start on a sleeper", || {
            vec![latency::<Heist>(), latency::<Rayon>()]
        }),
    ]
}

fn nothing<L: Spawn>(who: &'static str, span: Duration) -> Contender {
    Contender::new(who, move || cpu_time_after_work::<L>(|_| sleep(span)))
}

fn a_job_per_ms<L: Spawn>(who: &'static str, span: Duration) -> Contender {
    Contender::new(who, move || {
        cpu_time_after_work::<L>(|pool| {
            let begin = Instant::now();
            while begin.elapsed() < span {
                pool.spawn(|| ());
                sleep(Duration::from_millis(1));
            }
        })
    })
}

/// The processor time of `idle` on a pool that has just been busy.
fn cpu_time_after_work<L: Spawn>(idle: impl FnOnce(&L)) -> f64 {
    sleep(ENDED);
    let pool = L::new(cores());
    pool.run(|place| keep_all_busy::<L>(place));
    sleep(ENDED);
    let begin = cpu::time_used();
    idle(&pool);
    nanos(cpu::time_used() - begin)
}

fn latency<L: Spawn>() -> Contender {
    Contender::new(L::WHO, || {
        let pool = L::new(cores());
        let wakes = (0..WAKES).map(|_| nanos(Wake::one_of(&pool).start()));
        median(wakes.collect())
    })
}
