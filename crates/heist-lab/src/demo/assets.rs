//! The files of the page, which are part of the program.

/// A file, and as what it is served.
#[derive(Clone, Copy, Debug)]
pub struct Asset {
    path: &'static str,
    pub mime: &'static str,
    pub text: &'static str,
}

macro_rules! asset {
    ($path:literal, $mime:expr, $file:literal) => {
        Asset { path: $path, mime: $mime, text: include_str!(concat!("../../web/", $file)) }
    };
}

const HTML: &str = "text/html; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";

/// Everything that is served. A file that is not in here does not exist.
const ASSETS: &[Asset] = &[
    asset!("/", HTML, "index.html"),
    asset!("/style.css", STYLE, "style.css"),
    asset!("/api.js", SCRIPT, "api.js"),
    asset!("/app.js", SCRIPT, "app.js"),
    asset!("/controls.js", SCRIPT, "controls.js"),
    asset!("/lanes.js", SCRIPT, "lanes.js"),
    asset!("/layout.js", SCRIPT, "layout.js"),
    asset!("/legend.js", SCRIPT, "legend.js"),
    asset!("/log.js", SCRIPT, "log.js"),
    asset!("/player.js", SCRIPT, "player.js"),
    asset!("/setup.js", SCRIPT, "setup.js"),
    asset!("/state.js", SCRIPT, "state.js"),
    asset!("/stats.js", SCRIPT, "stats.js"),
    asset!("/svg.js", SCRIPT, "svg.js"),
    asset!("/theme.js", SCRIPT, "theme.js"),
    asset!("/timeline.js", SCRIPT, "timeline.js"),
    asset!("/url.js", SCRIPT, "url.js"),
    asset!("/words.js", SCRIPT, "words.js"),
];

/// The file that is served at a path.
pub fn find(path: &str) -> Option<Asset> {
    let path = if path == "/index.html" { "/" } else { path };
    ASSETS.iter().copied().find(|asset| asset.path == path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_two_names() {
        let page = find("/").expect("there is a page");
        assert!(page.text.starts_with("<!doctype html>") || page.text.starts_with("<!DOCTYPE html>"));
        assert_eq!(find("/index.html").expect("its other name").text, page.text);
    }

    #[test]
    fn what_the_page_asks_for_is_served() {
        let page = find("/").expect("there is a page").text;
        let asked = page.split(['"', '\'']).filter(|text| text.ends_with(".js") || text.ends_with(".css"));
        for path in asked {
            let path = path.trim_start_matches('.').trim_start_matches('/');
            assert!(find(&format!("/{path}")).is_some(), "{path}");
        }
    }

    #[test]
    fn what_a_module_imports_is_served() {
        let scripts = ASSETS.iter().filter(|asset| asset.mime == SCRIPT);
        let imports = scripts.flat_map(|asset| asset.text.split(" from './").skip(1));
        let names: Vec<&str> = imports.filter_map(|rest| rest.split('\'').next()).collect();
        assert!(names.len() > 10, "{names:?}");
        for name in names {
            assert!(find(&format!("/{name}")).is_some(), "{name}");
        }
    }

    #[test]
    fn a_path_that_leads_elsewhere_leads_nowhere() {
        for path in ["", "/..", "/../Cargo.toml", "//", "/web/index.html", "/%2e%2e/Cargo.toml"] {
            assert!(find(path).is_none(), "{path}");
        }
    }
}
