//! How a task lets others run: when it wants to, and when it has done enough.

use crate::context;
use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll},
};

/// Lets other tasks run before this one goes on: it is queued again, behind them.
pub async fn yield_now() {
    let mut yielded = false;
    poll_fn(|cx| {
        if yielded {
            return Poll::Ready(());
        }
        yielded = true;
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Takes one step of the budget that a task has for each poll; lets others run if it is used up.
///
/// For a loop of a task's own that makes progress without ever waiting. What this crate offers for awaiting
/// does it by itself.
pub async fn consume_budget() {
    poll_fn(|cx| {
        if context::spend() {
            return Poll::Ready(());
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// Lets a future go on without a budget: it is up to it to let others run.
pub fn unconstrained<F: Future>(inner: F) -> impl Future<Output = F::Output> {
    struct Unconstrained<F>(F);

    impl<F: Future> Future for Unconstrained<F> {
        type Output = F::Output;

        fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<F::Output> {
            // SAFETY: the inner future is pinned as long as the outer is, and not moved.
            let inner = unsafe { self.map_unchecked_mut(|this| &mut this.0) };
            context::with_budget(false, || inner.poll(cx))
        }
    }

    Unconstrained(inner)
}
