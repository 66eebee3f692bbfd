//! The public names of crates, read off their sources.
//!
//! There is no compiler here. Text is cut into tokens, of which only those that begin an item are understood;
//! a name is followed through `use` to where it is defined. What a macro makes is guessed: a macro whose body
//! has `pub struct $…` makes a type of the first name that it is given, and its public functions are methods
//! of every type that it is given.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::tokens::{after_group, split, tokens};
use crate::Result;

/// What a module has to offer, by module. The module at the root has no name.
pub(super) type Surface = BTreeMap<String, BTreeMap<String, Entry>>;

/// A public name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    pub(super) seen: Seen,
    /// The methods of a trait, and the public ones of a type.
    pub(super) members: BTreeMap<String, Seen>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Trait,
    Function,
    Type,
}

/// Who is told about a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Seen {
    #[default]
    Inside,
    /// Public, but not in the documentation.
    Hidden,
    Public,
}

/// Crates that may name each other.
#[derive(Default)]
pub(super) struct Crates {
    modules: BTreeMap<Address, Module>,
}

/// The crate, and the modules on the way.
type Address = Vec<String>;

/// What the file of a module, or its braces, has in it.
#[derive(Default)]
struct Module {
    seen: Seen,
    items: BTreeMap<String, Entry>,
    uses: Vec<Use>,
    impls: Vec<Impl>,
    macros: BTreeMap<String, Macro>,
    calls: Vec<(String, Vec<String>)>,
}

/// One name that a `use` brings, or all of a module's if the name is `*`.
struct Use {
    seen: Seen,
    path: Vec<String>,
    name: String,
}

/// A type, and public methods of it.
type Impl = (String, BTreeMap<String, Seen>);

/// What a macro makes.
#[derive(Default)]
struct Macro {
    makes_type: bool,
    methods: BTreeMap<String, Seen>,
    /// The macros that it calls.
    calls: Vec<String>,
}

impl Crates {
    /// Reads the crate whose sources are in `src`.
    pub(super) fn read(&mut self, name: &str, src: &Path) -> Result<()> {
        self.read_file(vec![name.to_owned()], Seen::Public, &src.join("lib.rs"), src)
    }

    fn read_file(&mut self, at: Address, seen: Seen, file: &Path, children: &Path) -> Result<()> {
        let text = fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
        for (name, seen) in self.add(&at, seen, &tokens(&text)) {
            let (dir, flat) = (children.join(&name), children.join(format!("{name}.rs")));
            let file = if flat.exists() { flat } else { dir.join("mod.rs") };
            self.read_file(child(&at, &name), seen, &file, &dir)?;
        }
        Ok(())
    }

    /// Takes up a module, with those in its braces; says which ones are in files of their own.
    fn add(&mut self, at: &[String], seen: Seen, tokens: &[&str]) -> Vec<(String, Seen)> {
        let mut module = Module { seen, ..Module::default() };
        let mut elsewhere = Vec::new();
        for item in items(tokens) {
            let name = item.word(1);
            match item.word(0) {
                "mod" if !item.has_body => elsewhere.push((name.to_owned(), item.seen)),
                "mod" => drop(self.add(&child(at, name), item.seen, item.body)),
                "use" => flatten(&item.head[1..], Vec::new(), item.seen, &mut module.uses),
                "trait" => {
                    // What is in a trait is as public as the trait, unless hidden.
                    let told = |seen| if seen == Seen::Hidden { seen } else { Seen::Public };
                    let members = methods(item.body).map(|(name, seen)| (name, told(seen))).collect();
                    let entry = Entry { kind: Kind::Trait, seen: item.seen, members };
                    module.items.insert(name.to_owned(), entry);
                }
                "fn" => _ = module.items.insert(name.to_owned(), Entry::new(Kind::Function, item.seen)),
                "struct" | "enum" | "union" | "type" => {
                    module.items.insert(name.to_owned(), Entry::new(Kind::Type, item.seen));
                }
                "impl" => {
                    if let Some(name) = inherent(item.head) {
                        let public = methods(item.body).filter(|(_, seen)| *seen > Seen::Inside);
                        module.impls.push((name.to_owned(), public.collect()));
                    }
                }
                "macro_rules" => _ = module.macros.insert(item.word(2).to_owned(), Macro::read(item.body)),
                call if name == "!" => module.calls.push((call.to_owned(), names(&item))),
                _ => {}
            }
        }
        self.modules.insert(at.to_vec(), module);
        elsewhere
    }

    /// What users of a crate can name.
    pub(super) fn surface(&self, name: &str) -> Surface {
        let mut surface = Surface::new();
        self.list(&[name.to_owned()], "", &self.members(), &mut surface);
        surface
    }

    fn list(&self, at: &[String], shown: &str, members: &Members, surface: &mut Surface) {
        for (name, seen, place) in self.exports(at) {
            // What comes from other crates is taken for a type.
            let definition = place.as_ref().and_then(|place| self.definition(place));
            let mut entry = definition.unwrap_or(Entry::new(Kind::Type, seen));
            entry.seen = seen;
            entry.members.extend(place.and_then(|place| members.get(&place)).cloned().unwrap_or_default());
            if shown == "prelude" {
                // They are listed where the traits are from.
                entry.members.clear();
            }
            surface.entry(shown.to_owned()).or_default().insert(name, entry);
        }
        let globs = self.modules[at].uses.iter().filter(|used| used.seen == Seen::Public && used.name == "*");
        for target in globs.filter_map(|used| self.absolute(at, &used.path)) {
            self.list(&target, shown, members, surface);
        }
        for (place, module) in self.modules.range(at.to_vec()..) {
            let [above @ .., name] = &place[..] else { continue };
            if above == at && module.seen == Seen::Public {
                let separator = if shown.is_empty() { "" } else { "::" };
                self.list(place, &format!("{shown}{separator}{name}"), members, surface);
            }
        }
    }

    /// The names that a module has for others, and where they are defined if that is in these crates.
    fn exports(&self, at: &[String]) -> Vec<(String, Seen, Option<Address>)> {
        let module = &self.modules[at];
        let own = module.items.iter().map(|(name, item)| (name.clone(), item.seen, Some(child(at, name))));
        let made = self.made(at).0.into_iter().map(|name| {
            let place = child(at, &name);
            (name, Seen::Public, Some(place))
        });
        let used = module.uses.iter().filter(|used| used.name != "*").map(|used| {
            let target = self.absolute(at, &used.path);
            (used.name.clone(), used.seen, target.and_then(|target| self.find(target, 0)))
        });
        own.chain(made).chain(used).filter(|(_, seen, _)| *seen > Seen::Inside).collect()
    }

    /// The methods of types, by where a type is defined: an `impl` may be elsewhere.
    fn members(&self) -> Members {
        let mut members = Members::new();
        for (at, module) in &self.modules {
            for (name, methods) in module.impls.iter().chain(&self.made(at).1) {
                if let Some(place) = self.find(child(at, name), 0) {
                    members.entry(place).or_default().extend(methods.clone());
                }
            }
        }
        members
    }

    /// The types that macros make in a module, and the methods that they give to types.
    fn made(&self, at: &[String]) -> (Vec<String>, Vec<Impl>) {
        let (mut types, mut methods) = (Vec::new(), Vec::new());
        for (call, names) in &self.modules[at].calls {
            let Some(called) = self.macro_at(at, call) else { continue };
            let mut below = called.calls.iter().filter_map(|call| self.macro_at(at, call));
            let makes_type = called.makes_type || below.any(|called| called.makes_type);
            types.extend(names.first().filter(|_| makes_type).cloned());
            methods.extend(names.iter().map(|name| (name.clone(), called.methods.clone())));
        }
        (types, methods)
    }

    /// A macro that is defined in the module or further up.
    fn macro_at(&self, at: &[String], name: &str) -> Option<&Macro> {
        let mut up = (1..=at.len()).rev().filter_map(|len| self.modules.get(&at[..len]));
        up.find_map(|module| module.macros.get(name))
    }

    /// The address that a path means in a module. None if it leads out of these crates.
    fn absolute(&self, here: &[String], path: &[String]) -> Option<Address> {
        let (first, rest) = path.split_first()?;
        let start = match first.as_str() {
            "crate" => here[..1].to_vec(),
            "self" => here.to_vec(),
            "super" => here[..here.len() - 1].to_vec(),
            name if self.modules.contains_key(&child(here, name)) => child(here, name),
            name if self.modules.contains_key(&[name.to_owned()][..]) => vec![name.to_owned()],
            _ => return None,
        };
        Some(rest.iter().fold(start, |at, name| match name.as_str() {
            "super" => at[..at.len() - 1].to_vec(),
            _ => child(&at, name),
        }))
    }

    /// Where the item is defined that has this address, perhaps by way of a `use`.
    fn find(&self, target: Address, steps: usize) -> Option<Address> {
        let (name, at) = target.split_last()?;
        let module = self.modules.get(at).filter(|_| steps < 9)?;
        if self.definition(&target).is_some() {
            return Some(target);
        }
        let mut uses = module.uses.iter().filter(|used| used.name == *name || used.name == "*");
        uses.find_map(|used| {
            let path = self.absolute(at, &used.path)?;
            self.find(if used.name == "*" { child(&path, name) } else { path }, steps + 1)
        })
    }

    fn definition(&self, place: &[String]) -> Option<Entry> {
        let (name, at) = place.split_last()?;
        let item = self.modules.get(at)?.items.get(name).cloned();
        item.or_else(|| self.made(at).0.contains(name).then(|| Entry::new(Kind::Type, Seen::Public)))
    }
}

type Members = BTreeMap<Address, BTreeMap<String, Seen>>;

impl Entry {
    fn new(kind: Kind, seen: Seen) -> Self {
        Entry { kind, seen, members: BTreeMap::new() }
    }
}

impl Macro {
    fn read(body: &[&str]) -> Self {
        let public = body.windows(3).filter(|three| three[..2] == ["pub", "fn"]);
        let calls = body.windows(2).filter(|pair| pair[1] == "!");
        Macro {
            makes_type: body.windows(3).any(|three| three == ["pub", "struct", "$"]),
            methods: public.map(|three| (three[2].to_owned(), Seen::Public)).collect(),
            calls: calls.map(|pair| pair[0].to_owned()).collect(),
        }
    }
}

fn child(at: &[String], name: &str) -> Address {
    let mut address = at.to_vec();
    address.push(name.to_owned());
    address
}

/// An item: what comes before its braces, from its keyword on, and what is in them.
struct Item<'a> {
    seen: Seen,
    head: &'a [&'a str],
    has_body: bool,
    body: &'a [&'a str],
}

impl<'a> Item<'a> {
    fn word(&self, index: usize) -> &'a str {
        self.head.get(index).copied().unwrap_or_default()
    }
}

/// Cuts the tokens of a module, a trait or an impl into items.
fn items<'a>(tokens: &'a [&'a str]) -> Vec<Item<'a>> {
    let mut items = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let mut seen = Seen::Inside;
        let mut hidden = false;
        while tokens[at..].starts_with(&["#"]) {
            let open = at + 1 + usize::from(tokens[at + 1] == "!");
            at = after_group(tokens, open);
            hidden |= tokens[open..at] == ["[", "doc", "(", "hidden", ")", "]"];
        }
        if tokens[at..].starts_with(&["pub", "("]) {
            at = after_group(tokens, at + 1);
        } else if tokens[at..].starts_with(&["pub"]) {
            seen = Seen::Public;
            at += 1;
        }
        if hidden {
            seen = Seen::Hidden;
        }
        let qualifiers = ["unsafe", "async", "extern", "\"\"", "const"];
        while tokens.get(at).is_some_and(|token| qualifiers.contains(token)) {
            at += 1;
        }
        let begin = at;
        let is_use = tokens[at..].starts_with(&["use"]);
        while at < tokens.len() && tokens[at] != ";" && (is_use || tokens[at] != "{") {
            at = if is_use { at + 1 } else { after_group(tokens, at) };
        }
        let head = &tokens[begin..at];
        let end = if at < tokens.len() { after_group(tokens, at) } else { at };
        let body = if end > at + 1 { &tokens[at + 1..end - 1] } else { &[] };
        items.push(Item { seen, head, has_body: tokens.get(at) == Some(&"{"), body });
        at = end;
    }
    items
}

/// The functions in a trait or an impl.
fn methods<'a>(body: &'a [&'a str]) -> impl Iterator<Item = (String, Seen)> + 'a {
    items(body)
        .into_iter()
        .filter(|item| item.word(0) == "fn")
        .map(|item| (item.word(1).to_owned(), item.seen))
}

/// The type in the head of an impl; none if a trait is implemented for it.
fn inherent<'a>(head: &[&'a str]) -> Option<&'a str> {
    let is_trait = head.windows(2).any(|pair| pair[0] == "for" && pair[1] != "<");
    let mut depth = 0;
    let mut words = head.iter().skip(1).filter(|token| {
        depth += i32::from(**token == "<") - i32::from(**token == ">");
        depth == 0 && **token != ">"
    });
    words.next().filter(|_| !is_trait).copied()
}

/// The names of types that a call of a macro has at its top level, in parentheses or braces.
fn names(call: &Item<'_>) -> Vec<String> {
    let mut names = Vec::new();
    let tokens = match call.head {
        [_, "!", "(", in_parentheses @ .., ")"] => in_parentheses,
        _ => call.body,
    };
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].starts_with(char::is_uppercase) {
            names.push(tokens[at].to_owned());
        }
        at = after_group(tokens, at);
    }
    names
}

/// What a `use` brings: `a::{b, c as d}` is `a::b` as `b` and `a::c` as `d`.
fn flatten(tree: &[&str], mut path: Vec<String>, seen: Seen, uses: &mut Vec<Use>) {
    let mut at = 0;
    if tree.first() == Some(&"::") {
        // From outside of the crate, whatever its modules are called.
        path.push(String::new());
    }
    while let Some(token) = tree.get(at) {
        match *token {
            "::" => {}
            "{" => {
                let inner = &tree[at + 1..after_group(tree, at) - 1];
                for branch in split(inner) {
                    flatten(branch, path.clone(), seen, uses);
                }
                return;
            }
            "*" => return uses.push(Use { seen, path, name: "*".to_owned() }),
            "as" => {
                let name = tree[at + 1].to_owned();
                return uses.push(Use { seen, path, name });
            }
            name => path.push(name.to_owned()),
        }
        at += 1;
    }
    if let Some(mut name) = path.last().cloned() {
        if name == "self" {
            path.pop();
            name = path.last().cloned().unwrap_or_default();
        }
        uses.push(Use { seen, path, name });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The public names in a crate `a` that has this text, and in `b`, which it may name.
    fn surface(a: &str, b: &str) -> Vec<String> {
        let mut crates = Crates::default();
        for (name, text) in [("a", a), ("b", b)] {
            let elsewhere = crates.add(&[name.to_owned()], Seen::Public, &tokens(text));
            assert!(elsewhere.is_empty());
        }
        let mut found = Vec::new();
        for (module, names) in crates.surface("a") {
            for (name, entry) in names.into_iter().filter(|(_, entry)| entry.seen == Seen::Public) {
                found.push(format!("{module}/{name}"));
                let members = entry.members.into_iter().filter(|(_, seen)| *seen == Seen::Public);
                found.extend(members.map(|(member, _)| format!("{module}/{name}.{member}")));
            }
        }
        found
    }

    #[test]
    fn only_what_is_public_all_the_way_is_seen() {
        let text = "
            pub fn f() { pub fn inner() {} }
            fn private() {}
            pub(crate) struct Inside;
            #[doc(hidden)] pub struct Hidden;
            pub mod m { pub const fn g() {} pub static S: [u8; 2] = [1; 2]; pub type T = u8; }
            mod n { pub enum E { A } }
        ";
        assert_eq!(surface(text, ""), ["/f", "m/T", "m/g"]);
    }

    #[test]
    fn methods_are_those_of_traits_and_of_inherent_impls() {
        let text = "
            pub trait Walk: Sized { type Item: Fn() -> u8; fn step(self); #[doc(hidden)] fn secret(); }
            pub struct Foot<T>(T);
            impl<T: Into<u8>, F: Fn(T) -> u8> Foot<T> where F: for<'a> Fn(&'a T) {
                pub fn left() {}
                fn right() {}
            }
            impl<T> Walk for Foot<T> { fn step(self) {} }
        ";
        assert_eq!(surface(text, ""), ["/Foot", "/Foot.left", "/Walk", "/Walk.step"]);
    }

    #[test]
    fn a_name_is_followed_to_where_it_is_defined() {
        let text = "
            mod inner {
                pub struct A; pub trait B { fn b(); }
                mod more { use super::A; impl A { pub fn a() {} } }
            }
            pub use self::inner::{A as C, B,};
            pub use ::inner::D;
            pub use b::*;
        ";
        let other = "mod x { pub fn f() {} } pub use x::f; fn g() {} pub mod deep { pub fn h() {} }";
        assert_eq!(surface(text, other), ["/B", "/B.b", "/C", "/C.a", "/D", "/f", "deep/h"]);
    }

    #[test]
    fn macros_make_types_and_give_them_methods() {
        let text = "
            macro_rules! make { ($name:ident, $of:ident) => { pub struct $name($of); } }
            macro_rules! rest { ($($name:ident),*) => { $(impl $name { pub fn rest(&self) {} })* } }
            pub mod m { make! { /// Doc.\n A, Vec } make!(B, Vec); rest! { A, B } }
        ";
        assert_eq!(surface(text, ""), ["m/A", "m/A.rest", "m/B", "m/B.rest"]);
    }
}
