// my-bot: lays what most of its hand can follow, sevens and eights when somebody is about to go out. One JSON message a line.
"use strict";

// The cards an action takes out of the hand: "9H+KH>C" gives ["9H", "KH"], "draw" none.
function laid(action) {
  const cards = action.split(/[~>@/!]/)[0].split("+");
  return cards.every((card) => /^([2-9TJQKA][CSHD]|XX)$/.test(card)) ? cards : [];
}

function choose(message) {
  let best = message.legal[0];
  let most = -Infinity;
  for (const action of message.legal) {
    const worth = value(action, message);
    if (worth > most) [best, most] = [action, worth];
  }
  return best;
}

// Of several actions that are worth the same the first one in the list is taken.
function value(action, message) {
  const cards = laid(action);
  const wish = (action.match(/>([CSHD])/) || [])[1];
  const rest = [...message.hand];
  for (const card of cards) rest.splice(rest.indexOf(card), 1);
  if (cards.length === 0) return rest.filter((card) => card[1] === wish).length - 100; // draw, take, pass
  const top = cards[cards.length - 1];
  const follows = (card) => (wish ? card[1] === wish : card[1] === top[1] || card[0] === top[0]);
  const danger = message.counts.some((count, seat) => seat !== message.seat && count > 0 && count <= 2);
  const attack = danger && "78".includes(top[0]) ? 8 : 0;
  return 10 * cards.length + rest.filter(follows).length - (wish && rest.length ? 5 : 0) + attack;
}

function answer(message) {
  if (message.hello) return JSON.stringify({ ready: "my-bot" });
  if (message.ask) {
    const action = choose(message);
    return action + (message.call[action] || ""); // say Mau where it is owed
  }
  if (message.bye) process.exit(0);
  return null; // the end of a deal, and whatever newer arenas may send
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (chunk) => {
  const lines = (rest + chunk).split("\n");
  rest = lines.pop();
  const replies = lines.filter(Boolean).map((line) => answer(JSON.parse(line)));
  const out = replies.filter((reply) => reply !== null).map((reply) => reply + "\n").join("");
  if (out) process.stdout.write(out);
});
