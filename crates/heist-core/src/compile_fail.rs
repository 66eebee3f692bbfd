//! What must not compile. Each block fails for the reason it names, and only for that.
//!
//! A half may run on another thread, so it must be `Send`:
//! ```compile_fail,E0277
//! let shared = std::rc::Rc::new(1);
//! heist_core::join(|| (), || drop(shared.clone()));
//! ```
//!
//! … and so must its result:
//! ```compile_fail,E0277
//! heist_core::join(|| (), || std::rc::Rc::new(1));
//! ```
//!
//! The two halves run at the same time, so they cannot both change a value:
//! ```compile_fail,E0499
//! let mut count = 0;
//! heist_core::join(|| count += 1, || count += 1);
//! ```
//!
//! Nobody waits for a spawned job, so it cannot borrow:
//! ```compile_fail,E0373
//! let local = 1;
//! heist_core::spawn(|| assert_eq!(local, 1));
//! ```
//!
//! A scope's job may outlive the closure that opened the scope:
//! ```compile_fail,E0373
//! heist_core::scope(|s| {
//!     let inner = 1;
//!     s.spawn(|_| assert_eq!(inner, 1));
//! });
//! ```
//!
//! A scope does not leave its own call:
//! ```compile_fail,E0521
//! let mut escaped = None;
//! heist_core::scope(|s| escaped = Some(s));
//! ```
//!
//! What a scope borrows cannot be changed while its jobs run:
//! ```compile_fail,E0506
//! let mut value = 1;
//! heist_core::scope(|s| {
//!     s.spawn(|_| assert_eq!(value, 1));
//!     value = 2;
//! });
//! ```
//!
//! A context speaks of the thread it was made on:
//! ```compile_fail,E0277
//! heist_core::join_context(|context| std::thread::spawn(move || context.migrated()), |_| ());
//! ```
//!
//! A deque has one owner at a time:
//! ```compile_fail,E0277
//! let (owner, _) = heist_core::deque::chase_lev::new::<Box<u32>>();
//! std::thread::scope(|threads| threads.spawn(|| owner.push(Box::new(1))).join());
//! ```
//!
//! A queue takes what it was made for, not what lives shorter:
//! ```compile_fail
//! use heist_core::deque::injector::Injector;
//! fn shorten<'a>(queue: &'a Injector<Box<&'static str>>) -> &'a Injector<Box<&'a str>> {
//!     queue
//! }
//! ```
//!
//! A thief on another thread must be able to have the elements there:
//! ```compile_fail,E0277
//! let (_, stealer) = heist_core::deque::ring::new::<Box<std::rc::Rc<u32>>>();
//! std::thread::spawn(move || drop(stealer.steal()));
//! ```
