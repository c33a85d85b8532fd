//! my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out. One JSON message a line.
use std::io::{self, BufRead, Write};

/// The text after `"name":` in a message: the arena writes JSON without spaces, and no text has quotes in it.
fn field<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let key = format!("\"{}\":", name);
    line.find(&key).map(|at| &line[at + key.len()..])
}

/// All texts of a list or an object, keys and values alike.
fn texts<'a>(line: &'a str, name: &str, open: char, close: char) -> Vec<&'a str> {
    let inside = field(line, name).and_then(|rest| rest.strip_prefix(open));
    let inside = inside.and_then(|rest| rest.find(close).map(|end| &rest[..end]));
    inside.unwrap_or("").split('"').skip(1).step_by(2).collect()
}

/// How many cards an action takes out of the hand: `9H+KH>C` two, `draw` none.
fn laid(action: &str) -> usize {
    let cards = action.split(|c| "~>@/!".contains(c)).next().unwrap_or("");
    let is_card = |card: &str| {
        let mut letters = card.chars();
        card.len() == 2
            && "23456789TJQKAX".contains(letters.next().unwrap())
            && "CSHDX".contains(letters.next().unwrap())
    };
    if cards.split('+').all(is_card) { cards.split('+').count() } else { 0 }
}

/// Whether somebody else is about to go out.
fn in_danger(line: &str) -> bool {
    let number = |text: &str| text.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap_or(0);
    let seat = field(line, "seat").map_or(0, number);
    let counts = field(line, "counts").and_then(|rest| rest.strip_prefix('[')).unwrap_or("");
    let counts = counts.split(']').next().unwrap_or("").split(',').map(number);
    counts.enumerate().any(|(other, count)| other != seat && (1..=2).contains(&count))
}

/// Of several actions that are worth the same the first one in the list is taken.
fn value(action: &str, hand: &[&str], danger: bool) -> i64 {
    let wish = action.split_once('>').map(|(_, suit)| &suit[..1]);
    let count = laid(action);
    let cards: Vec<&str> = if count == 0 { vec![] } else { action[..3 * count - 1].split('+').collect() };
    let mut rest = hand.to_vec();
    for card in &cards {
        let at = rest.iter().position(|held| held == card).unwrap();
        rest.remove(at);
    }
    let top = cards.last().unwrap_or(&"  ");
    let follows = |card: &&&str| match wish {
        Some(suit) => card[1..] == *suit,
        None => card[1..] == top[1..] || card[..1] == top[..1],
    };
    let followers = rest.iter().filter(follows).count() as i64;
    if count == 0 {
        return followers - 100; // draw, take, pass: only when nothing can be laid
    }
    let kept = if wish.is_some() && !rest.is_empty() { 5 } else { 0 }; // keep wild cards for later
    let attack = if danger && "78".contains(&top[..1]) { 8 } else { 0 };
    10 * count as i64 + followers - kept + attack
}

fn choose(line: &str) -> String {
    let hand = texts(line, "hand", '[', ']');
    let legal = texts(line, "legal", '[', ']');
    let call = texts(line, "call", '{', '}');
    let danger = in_danger(line);
    let best = legal.iter().rev().max_by_key(|action| value(action, &hand, danger)).unwrap();
    let owed = call.chunks(2).find(|pair| pair[0] == *best).map_or("", |pair| pair[1]);
    format!("{}{}", best, owed) // say Mau where it is owed
}

fn main() {
    let (input, mut output) = (io::stdin().lock(), io::stdout().lock());
    for line in input.lines().map_while(Result::ok) {
        if line.starts_with("{\"hello\":") {
            writeln!(output, "{{\"ready\":\"my-bot\"}}").unwrap();
        } else if field(&line, "ask").is_some() {
            writeln!(output, "{}", choose(&line)).unwrap();
        } else if field(&line, "bye").is_some() {
            return;
        }
        output.flush().unwrap();
    }
}
