// my-bot: lays as many cards as it can, wishes for the suit it has most of. One JSON message a line.
"use strict";

const RANKS = "23456789TJQKA";

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

function value(action, message) {
  const cards = laid(action);
  if (cards.length === 0) return -100; // draw, take, pass: only when nothing can be laid
  const wish = action.match(/>([CSHD])/);
  const held = wish ? message.hand.filter((card) => card[1] === wish[1]).length : 0;
  return 20 * cards.length + held - (wish ? 10 : 0) + RANKS.indexOf(cards[0][0]) / 100;
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
