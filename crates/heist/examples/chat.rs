//! A chat with rooms, line by line. Your first line is your name; `/join ROOM` takes you to another room.
//!
//!     cargo run --example chat -- 127.0.0.1:7000
//!     nc 127.0.0.1 7000
//!
//! Nobody shares memory, so there are no locks. Each connection has two tasks: one reads lines and tells the
//! host about them, the other writes what comes out of the guest's channel. The host is a task that knows all
//! guests.

mod common;

use async_channel::{Receiver, Sender, bounded};
use futures::{
    AsyncBufReadExt, AsyncWriteExt, StreamExt,
    io::{BufReader, Lines},
};
use heist::{
    net::{
        TcpListener,
        tcp::{OwnedReadHalf, OwnedWriteHalf},
    },
    task,
};
use std::{collections::HashMap, io, net::SocketAddr};

/// Where everybody is at first.
const LOBBY: &str = "lobby";

/// A guest who is so many lines behind is shown out: nobody waits for the slow.
const PATIENCE: usize = 100;

struct Guest {
    name: String,
    room: String,
    lines: Sender<String>,
}

/// What the host hears from a connection.
enum News {
    Comes(Guest),
    Moves(String),
    Says(String),
    Leaves,
}

fn main() -> io::Result<()> {
    common::run(serve)
}

pub async fn serve(listener: TcpListener) {
    let (to_host, news) = bounded(100);
    task::spawn(host(news));
    loop {
        let (stream, peer) = common::accept(&listener).await;
        let (reader, writer) = stream.into_split();
        let (to_guest, lines) = bounded(PATIENCE);
        task::spawn(write(writer, lines));
        let to_host = to_host.clone();
        task::spawn(async move {
            // However it ends: the guest is gone.
            let _ = listen(peer, BufReader::new(reader).lines(), to_guest, &to_host).await;
            let _ = to_host.send((peer, News::Leaves)).await;
        });
    }
}

/// Reads what a guest types.
async fn listen(
    peer: SocketAddr,
    mut typed: Lines<BufReader<OwnedReadHalf>>,
    lines: Sender<String>,
    to_host: &Sender<(SocketAddr, News)>,
) -> io::Result<()> {
    let tell = async |news| to_host.send((peer, news)).await.map_err(io::Error::other);
    let Some(name) = typed.next().await.transpose()? else { return Ok(()) };
    tell(News::Comes(Guest { name, room: LOBBY.to_owned(), lines })).await?;
    while let Some(line) = typed.next().await.transpose()? {
        match line.strip_prefix("/join ") {
            Some(room) => tell(News::Moves(room.to_owned())).await?,
            None => tell(News::Says(line)).await?,
        }
    }
    Ok(())
}

/// Writes what a guest should read, until the host has let go of the channel.
async fn write(mut writer: OwnedWriteHalf, lines: Receiver<String>) -> io::Result<()> {
    while let Ok(line) = lines.recv().await {
        writer.write_all(format!("{line}\n").as_bytes()).await?;
    }
    Ok(())
}

/// Knows who is where, and passes on what they say.
async fn host(news: Receiver<(SocketAddr, News)>) {
    let mut guests = HashMap::new();
    while let Ok((peer, news)) = news.recv().await {
        match news {
            News::Comes(guest) => enter(&mut guests, peer, guest),
            News::Moves(room) => {
                if let Some(guest) = leave(&mut guests, peer) {
                    enter(&mut guests, peer, Guest { room, ..guest });
                }
            }
            News::Says(text) => {
                if let Some(Guest { name, room, .. }) = guests.get(&peer) {
                    let (line, room) = (format!("{name}: {text}"), room.clone());
                    announce(&mut guests, &room, &line);
                }
            }
            News::Leaves => drop(leave(&mut guests, peer)),
        }
    }
}

fn enter(guests: &mut HashMap<SocketAddr, Guest>, peer: SocketAddr, guest: Guest) {
    let (line, room) = (format!("* {} is in {}", guest.name, guest.room), guest.room.clone());
    guests.insert(peer, guest);
    announce(guests, &room, &line);
}

fn leave(guests: &mut HashMap<SocketAddr, Guest>, peer: SocketAddr) -> Option<Guest> {
    let guest = guests.remove(&peer)?;
    announce(guests, &guest.room, &format!("* {} has left", guest.name));
    Some(guest)
}

/// To everybody in a room. A channel that is full, or closed, is a guest we part with.
fn announce(guests: &mut HashMap<SocketAddr, Guest>, room: &str, line: &str) {
    guests.retain(|_, guest| guest.room != room || guest.lines.try_send(line.to_owned()).is_ok());
}
