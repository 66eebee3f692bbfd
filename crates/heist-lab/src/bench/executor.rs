//! The async runtimes behind one trait, so that each workload is written once.

use std::future::Future;
use std::sync::OnceLock;
use std::thread;

/// Workers, in every runtime.
pub const WORKERS: usize = 2;

/// A runtime with [`WORKERS`] workers.
pub trait Executor: Send + Sync + 'static {
    const WHO: &'static str;

    fn new() -> Self;

    /// Runs a future on the calling thread.
    fn block_on<R>(&self, future: impl Future<Output = R>) -> R;

    /// Starts a task from a thread of no runtime, or of this one. Its output comes by awaiting what is
    /// returned, which may be dropped.
    fn spawn<R: Send + 'static>(
        &self,
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static;

    /// Starts a task from inside of one.
    fn spawn_inside<R: Send + 'static>(
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static;

    fn yield_now() -> impl Future<Output = ()> + Send;
}

pub struct Heist(heist_rt::runtime::Runtime);

impl Executor for Heist {
    const WHO: &'static str = "heist";

    fn new() -> Self {
        let mut builder = heist_rt::runtime::Builder::new_multi_thread();
        Self(builder.worker_threads(WORKERS).enable_all().build().expect("a few threads can be started"))
    }

    fn block_on<R>(&self, future: impl Future<Output = R>) -> R {
        self.0.block_on(future)
    }

    fn spawn<R: Send + 'static>(
        &self,
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static {
        let task = self.0.spawn(future);
        async { task.await.expect("it neither panics nor is aborted") }
    }

    fn spawn_inside<R: Send + 'static>(
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static {
        let task = heist_rt::task::spawn(future);
        async { task.await.expect("it neither panics nor is aborted") }
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        heist_rt::task::yield_now()
    }
}

pub struct Tokio(tokio::runtime::Runtime);

impl Executor for Tokio {
    const WHO: &'static str = "tokio";

    fn new() -> Self {
        let mut builder = tokio::runtime::Builder::new_multi_thread();
        Self(builder.worker_threads(WORKERS).enable_all().build().expect("a few threads can be started"))
    }

    fn block_on<R>(&self, future: impl Future<Output = R>) -> R {
        self.0.block_on(future)
    }

    fn spawn<R: Send + 'static>(
        &self,
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static {
        let task = self.0.spawn(future);
        async { task.await.expect("it neither panics nor is aborted") }
    }

    fn spawn_inside<R: Send + 'static>(
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static {
        let task = tokio::spawn(future);
        async { task.await.expect("it neither panics nor is aborted") }
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        tokio::task::yield_now()
    }
}

/// smol's executor, with threads as smol itself starts them.
pub struct Smol;

fn smol() -> &'static async_executor::Executor<'static> {
    static EXECUTOR: OnceLock<async_executor::Executor<'static>> = OnceLock::new();
    EXECUTOR.get_or_init(|| {
        for _ in 0..WORKERS {
            thread::spawn(|| futures_lite::future::block_on(smol().run(std::future::pending::<()>())));
        }
        async_executor::Executor::new()
    })
}

/// A task of smol's is cancelled when it is dropped, unless it was detached.
fn detach_on_drop<R: Send + 'static>(
    task: async_executor::Task<R>,
) -> impl Future<Output = R> + Send + 'static {
    struct Detach<R>(Option<async_executor::Task<R>>);
    impl<R> Drop for Detach<R> {
        fn drop(&mut self) {
            if let Some(task) = self.0.take() {
                task.detach();
            }
        }
    }
    let mut task = Detach(Some(task));
    async move {
        // Detached afterwards, which does nothing to a task that is done.
        task.0.as_mut().expect("there until it is dropped").await
    }
}

impl Executor for Smol {
    const WHO: &'static str = "smol";

    fn new() -> Self {
        smol();
        Smol
    }

    fn block_on<R>(&self, future: impl Future<Output = R>) -> R {
        futures_lite::future::block_on(future)
    }

    fn spawn<R: Send + 'static>(
        &self,
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static {
        detach_on_drop(smol().spawn(future))
    }

    fn spawn_inside<R: Send + 'static>(
        future: impl Future<Output = R> + Send + 'static,
    ) -> impl Future<Output = R> + Send + 'static {
        detach_on_drop(smol().spawn(future))
    }

    fn yield_now() -> impl Future<Output = ()> + Send {
        futures_lite::future::yield_now()
    }
}
