// A deal that was played, stage by stage: every hand open or as one seat sees it, what may be laid raised.

import { drawBoard } from "./board.js";
import { make } from "./card.js";

const FANNED = 4; // cards of the pile that are seen
const LETTERS = "ABCDEFGHIJ";

// The cards that the actions of a list take out of the hand.
export function laidBy(actions) {
  return new Set(actions.flatMap((action) => action.split(/[~>@/!]/)[0].split("+")));
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

// A stage as a picture for drawBoard, with every hand open or as one seat sees it.
export function pictureOfStage(deal, step, view, words) {
  const stage = deal.stages[Math.min(step, deal.stages.length - 1)], last = step >= deal.stages.length - 1;
  const seats = stage.hands.map((hand, n) => {
    const hidden = view >= 0 && view !== n;
    return {
      player: deal.players[n], letter: LETTERS[n], count: hand.length, cards: hidden ? null : hand,
      can: hidden ? null : laidBy(stage.legal[n] || []), acts: stage.to_act.includes(n),
      note: last && deal.places.length ? words.place.replace("#", deal.places[n]) : "",
    };
  });
  const said = eventsOf(stage, view).map((event) => deal.words[event] || event).join(" · ") || words.begins;
  return {
    seats, pile: pileAt(deal.stages, step), wish: stage.wish, owed: stage.owed, skips: stage.skips,
    direction: stage.direction, stock: stage.stock, said,
  };
}

export function drawStage(root, deal, step, view, words) {
  drawBoard(root, pictureOfStage(deal, step, view, words), words);
}

// Draws what has happened as a list; choose(step) is called for the line that is clicked.
export function drawLog(root, deal, step, view, choose) {
  const lines = deal.stages.flatMap((stage, number) => eventsOf(stage, view).map((event) => {
    const line = make("button", number === step ? "now" : number > step ? "later" : "", deal.words[event] || event);
    line.type = "button";
    line.title = event;
    line.addEventListener("click", () => choose(number));
    return make("li", "", line);
  }));
  root.replaceChildren(...lines);
  const now = root.querySelector(".now");
  if (now) root.scrollTop = now.parentElement.offsetTop - root.clientHeight / 2;
}
