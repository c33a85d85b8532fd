// A deal that was played, stage by stage: every hand open or as one seat sees it, what may be laid raised.

import { cutOf, drawBoard } from "./board.js";

const FANNED = 4; // cards of the pile that are seen
export const LETTERS = "ABCDEFGHIJ";
const SUITS = { C: "♣", S: "♠", H: "♥", D: "♦" };

// The cards that the actions of a list take out of the hand.
export function laidBy(actions) {
  return new Set(actions.flatMap((action) => action.split(/[~>@/!]/)[0].split("+")));
}

// A seat's letter and its bot.
export function sayWho(deal, seat) {
  return [LETTERS[seat], deal.players[seat].name].filter(Boolean).join(" ");
}

// What happened since the stage before, as everybody (view -1) or one seat has seen it.
export function eventsOf(stage, view) {
  return view < 0 ? stage.open : stage.seen[view];
}

// The tops of the pile up to a stage, the newest last, a card that stays named once.
export function pileAt(stages, step) {
  const tops = stages.slice(0, step + 1).map((stage) => stage.top).filter(Boolean);
  return tops.filter((card, n) => n === 0 || card !== tops[n - 1]).slice(-FANNED);
}

// The first stage at which two seatings of a deal differ; the shorter one's length if they never do.
export function partingStep(one, other) {
  const most = Math.min(one.stages.length, other.stages.length);
  for (let n = 0; n < most; n++) {
    if (one.stages[n].open.join() !== other.stages[n].open.join()) return n;
  }
  return most;
}

// Cards or a suit of an action, with signs.
function showCards(text) {
  return text.replaceAll("+", " ").replace(/[CSHD]/g, (suit) => SUITS[suit]).replace(/\bT/g, "10");
}

// An action that lays no card, in words.
export function sayAction(action, words) {
  const plain = words["action_" + action], colon = action.indexOf(":") + 1;
  return plain || words["action_" + action.slice(0, colon)]?.replace("#", showCards(action.slice(colon))) || action;
}

// What is to be decided and by whom, with the actions that lay no card of those whose cards are seen.
export function sayAsked(deal, stage, view, words) {
  const menus = stage.to_act.map((seat) => (view < 0 || view === seat ? stage.legal?.[seat] || [] : []));
  const others = [...new Set(menus.flat())].filter((action) => !/^[2-9TJQKAX][CSHDX]/.test(action));
  const asked = stage.to_act.length ? words["asked_" + stage.asks].replace("#", stage.to_act.map((seat) => deal.players[seat].name || LETTERS[seat]).join(", ")) : "";
  return [asked, others.length ? `${words.or} ${others.map((action) => sayAction(action, words)).join(", ")}` : ""].filter(Boolean).join(" · ");
}

function sayNote(deal, stage, seat, isLast, words) {
  if (!isLast || !deal.places.length) return stage.out?.includes(seat) ? words.is_out : "";
  const place = words.place_n.replace("#", deal.places[seat]);
  return deal.points?.some(Boolean) ? `${place} · ${words.points_n.replace("#", deal.points[seat])}` : place;
}

// A stage as a picture for drawBoard, with every hand open or as one seat sees it.
export function pictureOfStage(deal, step, view, words) {
  const stage = deal.stages[Math.min(step, deal.stages.length - 1)], isLast = step >= deal.stages.length - 1;
  const seats = stage.hands.map((hand, n) => {
    const isHidden = view >= 0 && view !== n;
    return {
      player: deal.players[n], letter: LETTERS[n], count: hand.length, cards: isHidden ? null : hand,
      can: isHidden ? null : laidBy(stage.legal?.[n] || []), acts: stage.to_act.includes(n), note: sayNote(deal, stage, n, isLast, words),
    };
  });
  const events = eventsOf(stage, view), said = events.map((event) => deal.words[event] || event).join(" · ") || words.begins;
  return {
    seats, pile: pileAt(deal.stages, step), wish: stage.wish, owed: stage.owed, skips: stage.skips, direction: stage.direction,
    stock: stage.stock, cut: cutOf(events), said, asked: sayAsked(deal, stage, view, words), broken: isLast ? deal.error : "",
  };
}

export function drawStage(root, deal, step, view, words) {
  drawBoard(root, pictureOfStage(deal, step, view, words), words);
}
