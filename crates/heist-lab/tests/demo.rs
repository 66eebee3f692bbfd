//! The demo's server as a browser meets it: the real program, on a port of its own, over plain sockets.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Output, Stdio};

use serde_json::{Value, json};

/// The program, serving. It is ended when this is dropped.
struct Demo {
    child: Child,
    address: String,
}

impl Demo {
    fn start() -> Self {
        Self::start_with(Command::new(env!("CARGO_BIN_EXE_heist")).args(["demo", "--port", "0"]))
    }

    fn start_with(command: &mut Command) -> Self {
        let mut child = command.stdout(Stdio::piped()).spawn().expect("the program can be started");
        let mut line = String::new();
        let output = child.stdout.as_mut().expect("it is piped");
        BufReader::new(output).read_line(&mut line).expect("it says where it is");
        let address = line.strip_prefix("heist demo: http://").and_then(|rest| rest.split('/').next());
        let address = address.unwrap_or_else(|| panic!("no address in {line:?}")).to_owned();
        assert!(line.contains("Ctrl-C"), "{line}");
        Demo { child, address }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.address).expect("it listens")
    }

    /// Sends what may be no request at all, and returns what comes back.
    fn send(&self, request: &[u8]) -> Reply {
        let mut stream = self.connect();
        stream.write_all(request).expect("it reads");
        Reply::read(stream)
    }

    fn get(&self, path: &str) -> Reply {
        self.send(request("GET", path, &self.address, "", "").as_bytes())
    }

    fn post(&self, path: &str, body: &str) -> Reply {
        self.send(post(path, &self.address, body).as_bytes())
    }

    /// Runs a set-up, and returns the recording.
    fn run(&self, setup: &Value) -> Value {
        let reply = self.post("/api/run", &setup.to_string());
        assert_eq!(reply.status, 200, "{setup}: {}", reply.body);
        reply.json()
    }

    fn about(&self) -> Value {
        let reply = self.get("/api/about");
        assert_eq!(reply.status, 200, "{}", reply.body);
        reply.json()
    }
}

impl Drop for Demo {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn request(method: &str, path: &str, host: &str, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {length}\r\n\
         {headers}\r\n{body}"
    )
}

const JSON: &str = "content-type: application/json\r\n";

fn post(path: &str, host: &str, body: &str) -> String {
    request("POST", path, host, JSON, body)
}

#[derive(Debug)]
struct Reply {
    status: u16,
    head: String,
    body: String,
}

impl Reply {
    fn read(mut stream: TcpStream) -> Self {
        let mut text = Vec::new();
        // A server that has said what it had to may close while we still send.
        let _ = stream.read_to_end(&mut text);
        let text = String::from_utf8(text).expect("replies are text");
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no reply but {text:?}"));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
        Reply {
            status: status.unwrap_or_else(|| panic!("no status in {head}")),
            head: head.to_ascii_lowercase(),
            body: body.to_owned(),
        }
    }

    fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    /// The sentence that says what is wrong.
    fn error(&self) -> String {
        self.json()["error"].as_str().unwrap_or_else(|| panic!("no error in {}", self.body)).to_owned()
    }
}

fn setup(program: &str, strategy: &str, steal: &str, tasks: Value) -> Value {
    json!({ "program": program, "workers": 3, "strategy": strategy, "steal": steal, "tasks": tasks })
}

/// One second of work, for one worker.
fn long_run() -> Value {
    json!({ "program": "burst", "workers": 1, "strategy": "static",
            "tasks": [{ "size_us": 50_000, "count": 20 }] })
}

fn short_run() -> Value {
    setup("tasks", "stealing", "one", json!([{ "worker": 0, "size_us": 100, "count": 6 }]))
}

/// Follows each task from place to place, and complains about the first that is not where it should be.
fn follow(recording: &Value) {
    let tasks = recording["tasks"].as_array().expect("tasks").len();
    let mut places: HashMap<u64, String> = HashMap::new();
    let mut last = 0.0;
    for event in recording["events"].as_array().expect("events") {
        let at = event["at"].as_f64().expect("a time");
        assert!(at >= last, "{event} comes before {last}");
        last = at;
        let (worker, queue) = (&event["worker"], event["queue"].as_str().unwrap_or_default());
        let owner = match queue {
            "injector" | "central" => String::new(),
            "inbox" if event["what"] == "inject" => event["to"].to_string(),
            _ if event["what"] == "steal" => event["from"].to_string(),
            _ => worker.to_string(),
        };
        let mut go = |task: &Value, from: &[&str], to: String| {
            let task = task.as_u64().expect("a task");
            let place = places.insert(task, to).unwrap_or_else(|| "unborn".to_owned());
            assert!(from.contains(&place.as_str()), "{event}: task {task} is {place}, and not {from:?}");
        };
        let (hand, running) = (format!("hand {worker}"), format!("running {worker}"));
        let own = ["deque", "ring", "slot", "inbox"].map(|queue| format!("{queue} {worker}"));
        let there = format!("{queue} {owner}");
        match event["what"].as_str().expect("something happened") {
            "push" | "inject" => {
                if let Some(evicted) = event["evicted"].as_u64() {
                    go(&evicted.into(), &[&own[2]], own[1].clone());
                }
                go(&event["task"], &["unborn", "suspended"], there);
            }
            "steal" | "take" => {
                for (place, task) in event["tasks"].as_array().expect("tasks").iter().enumerate() {
                    go(task, &[&there], if place == 0 { hand.clone() } else { own[1].clone() });
                }
            }
            "start" => {
                let mut from: Vec<&str> = own.iter().map(String::as_str).collect();
                from.push(&hand);
                go(&event["task"], &from, running);
            }
            "end" => {
                let to = if event["more"] == true { "suspended" } else { "done" };
                go(&event["task"], &[&running], to.to_owned());
            }
            "wait" | "resume" | "park" | "wake" => assert!(worker.is_u64(), "{event}"),
            other => panic!("nobody knows what {other} is"),
        }
    }
    assert_eq!(places.len(), tasks, "all are born");
    assert!(places.values().all(|place| place == "done"), "{places:?}");
}

/// Whether the figures are such as a run can have.
fn check_figures(recording: &Value) {
    let stats = &recording["stats"];
    let number = |name: &str| stats[name].as_f64().unwrap_or_else(|| panic!("no {name} in {stats}"));
    let duration = recording["duration_us"].as_f64().expect("a duration");
    assert!(duration >= number("bound_us"), "{duration} is less than possible: {stats}");
    assert!(number("span_us") <= number("work_us") * 1.001 && number("parallelism") >= 0.999, "{stats}");
    for share in stats["utilisation"].as_array().expect("one per worker") {
        assert!((0.0..=1.001).contains(&share.as_f64().expect("a number")), "{stats}");
    }
    let steals = recording["events"].as_array().expect("events").iter();
    assert_eq!(steals.filter(|event| event["what"] == "steal").count() as f64, number("steals"));
    assert!(recording["real"].as_str().expect("a sentence").starts_with("Recorded on a real pool of "));
}

#[test]
fn the_page_is_served_and_may_run_no_script_but_its_own() {
    let demo = Demo::start();
    let page = demo.get("/");
    assert_eq!(page.status, 200);
    assert!(page.head.contains("content-type: text/html"), "{}", page.head);
    assert!(page.head.contains("content-security-policy: default-src 'self';"), "{}", page.head);
    assert!(page.body.to_ascii_lowercase().starts_with("<!doctype html>"), "{}", page.body);
}

#[test]
fn every_scenario_runs_as_it_says() {
    let demo = Demo::start();
    let about = demo.about();
    let scenarios = about["scenarios"].as_array().expect("scenarios");
    assert_eq!(scenarios.len(), 10);
    for scenario in scenarios {
        let recording = demo.run(&scenario["setup"]);
        assert_eq!(recording["setup"], scenario["setup"]);
        follow(&recording);
        check_figures(&recording);
        assert!(!recording["facts"].as_array().expect("facts").is_empty(), "{}", scenario["name"]);
        let compares = scenario["setup"]["program"] == "tasks";
        assert_eq!(recording["comparison"].as_array().map_or(0, Vec::len), if compares { 5 } else { 0 });
    }
}

#[test]
fn every_strategy_does_the_same_tasks() {
    let demo = Demo::start();
    let groups = json!([
        { "worker": 0, "size_us": 300, "count": 12 },
        { "worker": 2, "size_us": 1_000, "count": 2 },
    ]);
    for program in ["tasks", "burst"] {
        for strategy in ["stealing", "static", "central", "sharing"] {
            for steal in ["one", "half"] {
                let recording = demo.run(&setup(program, strategy, steal, groups.clone()));
                follow(&recording);
                check_figures(&recording);
                let tasks = recording["tasks"].as_array().expect("tasks");
                assert_eq!(tasks.len(), if program == "tasks" { 14 } else { 12 });
                let is_born = |task: &Value| task["born"].is_u64() == (program == "tasks");
                assert!(tasks.iter().all(is_born), "{program}, {strategy}");
            }
        }
    }
}

#[test]
fn a_static_partition_leaves_tasks_where_they_were_put() {
    let demo = Demo::start();
    let groups = json!([{ "worker": 1, "size_us": 100, "count": 5 }]);
    let recording = demo.run(&setup("tasks", "static", "one", groups));
    let events = recording["events"].as_array().expect("events");
    let starts: Vec<&Value> = events.iter().filter(|event| event["what"] == "start").collect();
    assert_eq!(starts.len(), 5);
    assert!(starts.iter().all(|start| start["worker"] == 1), "{starts:?}");
}

#[test]
fn bad_set_ups_are_refused_with_a_sentence_and_the_server_goes_on() {
    let demo = Demo::start();
    let group = |group: &str| format!(r#"{{ "program": "tasks", "workers": 4, "tasks": [{group}] }}"#);
    let table = [
        ("", "This is no set-up: "),
        ("{", "This is no set-up: "),
        ("[]", "This is no set-up: "),
        ("null", "This is no set-up: "),
        ("\u{0}\u{1}", "This is no set-up: "),
        (r#"{ "program": "tea", "workers": 1, "tasks": [] }"#, "This is no set-up: unknown variant `tea`"),
        (
            r#"{ "program": "tasks", "workers": 0, "tasks": [] }"#,
            "The number of workers is 0; allowed is 1 to 8.",
        ),
        (r#"{ "program": "tasks", "workers": -1, "tasks": [] }"#, "The number of workers is -1;"),
        (r#"{ "program": "tasks", "workers": 1e9, "tasks": [] }"#, "This is no set-up: "),
        (r#"{ "program": "tasks", "workers": 1, "tasks": [] }"#, "There is nothing to run"),
        (
            r#"{ "program": "tasks", "workers": 1, "tasks": [], "extra": 1 }"#,
            "This is no set-up: unknown field",
        ),
        (
            &group(r#"{ "size_us": -5, "count": 1 }"#),
            "The size of a task in µs is -5; allowed is 1 to 50,000.",
        ),
        (&group(r#"{ "size_us": 1, "count": 1000000000 }"#), "The number of tasks is 1000000000;"),
        (&group(r#"{ "size_us": 50000, "count": 256 }"#), "This is 12,800,000 µs of work;"),
        (&group(r#"{ "worker": 4, "size_us": 1, "count": 1 }"#), "The worker that tasks are for is 4;"),
    ];
    for (body, message) in table {
        let reply = demo.post("/api/run", body);
        assert_eq!(reply.status, 400, "{body}: {}", reply.body);
        assert!(reply.error().starts_with(message), "{body}: {}", reply.error());
    }
    follow(&demo.run(&short_run()));
}

#[test]
fn bad_requests_are_refused_with_a_sentence_and_the_server_goes_on() {
    let demo = Demo::start();
    let host = demo.address.as_str();
    let body = short_run().to_string();
    let huge = " ".repeat(17 * 1024);
    let table = [
        (request("GET", "/nothing", host, "", ""), 404),
        (request("GET", "/../Cargo.toml", host, "", ""), 404),
        (request("GET", "/api/run", host, "", ""), 405),
        (request("DELETE", "/", host, "", ""), 405),
        (request("POST", "/api/about", host, JSON, "{}"), 405),
        (request("POST", "/api/run", host, "content-type: text/plain\r\n", &body), 415),
        (request("POST", "/api/run", host, "", &body), 415),
        (request("POST", "/api/run", host, JSON, &huge), 413),
        (request("POST", "/api/run", "example.com", JSON, &body), 403),
        (request("GET", "/", "example.com", "", ""), 403),
        (request("GET", "/", "127.0.0.1.example.com:80", "", ""), 403),
    ];
    for (request, status) in table {
        let reply = demo.send(request.as_bytes());
        let line = request.lines().next().unwrap_or_default();
        assert_eq!(reply.status, status, "{line}: {}", reply.body);
        assert!(reply.error().ends_with('.'), "{line}: {}", reply.error());
    }
    for name in ["localhost", "localhost:1", "127.0.0.1", "[::1]:80"] {
        assert_eq!(demo.send(request("GET", "/", name, "", "").as_bytes()).status, 200, "{name}");
    }
    follow(&demo.run(&short_run()));
}

#[test]
fn what_is_no_http_ends_the_connection_and_not_the_server() {
    let demo = Demo::start();
    for garbage in [&b"\x16\x03\x01\x00\xa5"[..], b"hello\r\n\r\n", b"GET / HTTP/9\r\n\r\n", &[0xff; 70_000]]
    {
        let mut stream = demo.connect();
        // It may have hung up before all was sent.
        let _ = stream.write_all(garbage);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let _ = stream.read_to_end(&mut Vec::new());
    }
    assert_eq!(demo.get("/").status, 200);
}

#[test]
fn a_browser_that_goes_away_in_the_middle_leaves_a_server_that_goes_on() {
    let demo = Demo::start();
    let run = post("/api/run", &demo.address, &long_run().to_string());
    let half = &run[..run.len() / 2];
    for part in ["", "GET", half, &run[..run.len() - 1], &run] {
        let mut stream = demo.connect();
        stream.write_all(part.as_bytes()).expect("it listens");
        drop(stream);
    }
    // Also without saying good-bye: what is left unread makes the system reset the connection.
    let mut stream = demo.connect();
    stream.write_all(request("GET", "/api/about", &demo.address, "", "").as_bytes()).expect("it listens");
    stream.peek(&mut [0]).expect("it answers");
    drop(stream);
    // Waits for the run that nobody waits for, if that has begun.
    follow(&demo.run(&short_run()));
}

#[test]
fn who_comes_while_too_many_wait_is_told_so_and_the_others_are_served() {
    let demo = Demo::start();
    let setup = json!({ "program": "tasks", "workers": 1, "tasks": [{ "size_us": 50_000, "count": 8 }] });
    let request = post("/api/run", &demo.address, &setup.to_string());
    let streams: Vec<TcpStream> = (0..16)
        .map(|_| {
            let mut stream = demo.connect();
            stream.write_all(request.as_bytes()).expect("it listens");
            stream
        })
        .collect();
    let replies: Vec<Reply> = streams.into_iter().map(Reply::read).collect();
    let served = replies.iter().filter(|reply| reply.status == 200).count();
    assert!((1..16).contains(&served), "{served} were served");
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        assert_eq!(reply.status, 429, "{}", reply.body);
        assert!(reply.error().starts_with("Another run is under way"), "{}", reply.error());
    }
    follow(&demo.run(&short_run()));
}

fn fails(args: &[&str]) -> Output {
    let output = Command::new(env!("CARGO_BIN_EXE_heist")).args(args).output().expect("it can be started");
    assert!(!output.status.success(), "{args:?}");
    output
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("output is text")
}

#[test]
fn a_port_that_is_in_use_is_said_in_one_line() {
    let demo = Demo::start();
    let port = demo.address.rsplit(':').next().expect("a port");
    let output = fails(&["demo", "--port", port]);
    assert_eq!(output.status.code(), Some(1));
    let message = text(&output.stderr);
    assert!(message.contains(&format!("port {port} is in use")) && message.contains("--port 0"), "{message}");
    assert_eq!(message.lines().count(), 1, "{message}");
    assert_eq!(demo.get("/").status, 200);
}

#[test]
fn absurd_options_are_refused() {
    for args in [["--port", "65536"], ["--port", "-1"], ["--port", "tea"], ["--host", "tea"], ["--host", ""]]
    {
        let output = fails(&[&["demo"], &args[..]].concat());
        assert!(text(&output.stderr).contains(args[0]), "{}", text(&output.stderr));
    }
}

#[test]
fn where_there_is_no_browser_the_server_serves_nevertheless() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_heist"));
    command.args(["demo", "--port", "0", "--open"]).env("PATH", "").stderr(Stdio::null());
    let demo = Demo::start_with(&mut command);
    assert_eq!(demo.get("/").status, 200);
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_it_also_while_a_run_is_under_way() {
    for busy in [false, true] {
        let mut demo = Demo::start();
        let mut stream = demo.connect();
        if busy {
            let run = post("/api/run", &demo.address, &long_run().to_string());
            stream.write_all(run.as_bytes()).expect("it listens");
        }
        assert_eq!(demo.get("/").status, 200);
        let kill = Command::new("kill").args(["-INT", &demo.child.id().to_string()]).status();
        assert!(kill.expect("there is such a program").success());
        assert_eq!(demo.child.wait().expect("it ends").code(), Some(0), "busy: {busy}");
    }
}
