use heist_rt::{
    runtime::{Builder, Handle},
    task,
};
use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

#[test]
fn spawn_many() {
    let rt = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let n = Arc::new(AtomicUsize::new(0));
    rt.block_on(async {
        let tasks: Vec<_> = (0..10_000)
            .map(|_| {
                let n = n.clone();
                task::spawn(async move {
                    task::yield_now().await;
                    n.fetch_add(1, Ordering::SeqCst);
                })
            })
            .collect();
        for t in tasks {
            t.await.unwrap();
        }
    });
    assert_eq!(n.load(Ordering::SeqCst), 10_000);
    assert_eq!(rt.metrics().num_alive_tasks(), 0);
}
#[test]
fn panics_and_aborts() {
    let rt = Builder::new_multi_thread().worker_threads(2).build().unwrap();
    rt.block_on(async {
        assert!(task::spawn(async { panic!("x") }).await.unwrap_err().is_panic());
        let t = task::spawn(std::future::pending::<()>());
        t.abort();
        assert!(t.await.unwrap_err().is_cancelled());
        assert_eq!(
            task::spawn_blocking(|| {
                std::thread::sleep(Duration::from_millis(1));
                3
            })
            .await
            .unwrap(),
            3
        );
        let inner = task::spawn(async {
            let h = Handle::current();
            h.spawn(async { heist_core::join(|| 1, || 2) }).await.unwrap()
        });
        assert_eq!(inner.await.unwrap(), (1, 2));
    });
    for _ in 0..1000 {
        rt.spawn(std::future::pending::<()>());
    }
}
#[test]
fn global() {
    assert_eq!(heist_rt::block_on(async { task::spawn(async { 1 }).await.unwrap() }), 1);
}
