//! Rust as words and signs, to be read [without a compiler](super::surface).

/// Words, and signs one by one, except for `::`, `->` and `=>`. Comments are left out, literals are `""`.
pub(super) fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = rest.find(|c| !in_word(c)).unwrap_or(rest.len());
        let raw = rest[..word].ends_with('r').then(|| raw_string(&rest[word..])).flatten();
        let (len, token) = if rest.starts_with("//") {
            (rest.find('\n').unwrap_or(rest.len()), None)
        } else if rest.starts_with("/*") {
            (rest.find("*/").map_or(rest.len(), |end| end + 2), None)
        } else if let Some(len) = raw {
            (word + len, Some("\"\""))
        } else if word > 0 {
            (word, Some(&rest[..word]))
        } else if first == '"' {
            (quoted(rest, '"'), Some("\"\""))
        } else if first == '\'' && is_character(rest) {
            (quoted(rest, '\''), Some("\"\""))
        } else if ["::", "->", "=>"].iter().any(|sign| rest.starts_with(sign)) {
            (2, Some(&rest[..2]))
        } else {
            (first.len_utf8(), Some(&rest[..first.len_utf8()]))
        };
        tokens.extend(token);
        rest = rest[len..].trim_start();
    }
    tokens
}

/// Whether a quotation mark begins a character, not a lifetime.
fn is_character(text: &str) -> bool {
    let mut chars = text.chars().skip(1);
    chars.next() == Some('\\') || chars.next() == Some('\'')
}

/// The length of a literal between two of these marks.
fn quoted(text: &str, mark: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == mark && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}

/// The length of a raw string behind its `r`.
fn raw_string(text: &str) -> Option<usize> {
    let marks = text.find(|c| c != '#')?;
    text[marks..].strip_prefix('"')?;
    let end = format!("\"{}", &text[..marks]);
    Some(text[marks + 1..].find(&end)? + marks + 1 + end.len())
}

/// The place behind the brackets that open at `at`, or behind the one token there.
pub(super) fn after_group(tokens: &[&str], at: usize) -> usize {
    let mut depth = 0;
    for (place, token) in tokens.iter().enumerate().skip(at) {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return place + 1;
        }
    }
    tokens.len()
}

/// The parts between the commas at the top level.
pub(super) fn split<'a, 't>(tokens: &'a [&'t str]) -> Vec<&'a [&'t str]> {
    let (mut parts, mut begin, mut at) = (Vec::new(), 0, 0);
    while at < tokens.len() {
        if tokens[at] == "," {
            parts.push(&tokens[begin..at]);
            begin = at + 1;
        }
        at = after_group(tokens, at);
    }
    parts.push(&tokens[begin..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_no_names() {
        let text = "// fn a\nfn b<'c>(d: &'c str) { /* fn e */ '\\''; '\"'; \"fn \\\"f\"; r#\"\"fn g\"#; }";
        let expected = "fn b < ' c > ( d : & ' c str ) { \"\" ; \"\" ; \"\" ; \"\" ; }";
        assert_eq!(tokens(text).join(" "), expected);
    }
}
