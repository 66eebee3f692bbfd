//! `links` in the manifest demands a build script; there is nothing to link.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
}
