//! What must not compile. Each block fails for the reason it names, and only for that.
//!
//! A task may be polled on any worker, so what it keeps while it waits must be `Send`:
//! ```compile_fail,E0277
//! let shared = std::rc::Rc::new(1);
//! heist_rt::task::spawn(async move { drop(shared) });
//! ```
//! … and so must its output:
//! ```compile_fail,E0277
//! heist_rt::task::spawn(async { std::rc::Rc::new(1) });
//! ```
//!
//! Nobody waits for a task, so it cannot borrow:
//! ```compile_fail,E0373
//! let local = 1;
//! heist_rt::task::spawn(async { assert_eq!(local, 1) });
//! ```
//!
//! A local task cannot borrow either:
//! ```compile_fail,E0373
//! let set = heist_rt::task::LocalSet::new();
//! let local = 1;
//! set.spawn_local(async { assert_eq!(local, 1) });
//! ```
//!
//! A set of local tasks stays on its thread:
//! ```compile_fail,E0277
//! let set = heist_rt::task::LocalSet::new();
//! std::thread::spawn(move || drop(set));
//! ```
//! … and so does the handle of a local task, if its output has to:
//! ```compile_fail,E0277
//! let set = heist_rt::task::LocalSet::new();
//! let task = set.spawn_local(async { std::rc::Rc::new(1) });
//! std::thread::spawn(move || drop(task));
//! ```
//!
//! Who has entered a runtime leaves it on the same thread:
//! ```compile_fail,E0277
//! let guard = heist_rt::runtime::Handle::global().enter();
//! std::thread::spawn(move || drop(guard));
//! ```
//! … hence not in the middle of a task that may go on elsewhere:
//! ```compile_fail
//! heist_rt::task::spawn(async {
//!     let _guard = heist_rt::runtime::Handle::global().enter();
//!     heist_rt::task::yield_now().await;
//! });
//! ```
//!
//! A guard does not outlive the handle it was made from:
//! ```compile_fail,E0597
//! let guard = {
//!     let handle = heist_rt::runtime::Handle::global().clone();
//!     handle.enter()
//! };
//! ```
