// The replay: one deal, or its seatings beside each other, stepped together by buttons, keys and a slider.

import { seatsOf } from "./board.js";
import { make } from "./card.js";
import { bindControls, listPresses, makeControls, markControls } from "./controls.js";
import { drawBlame, drawEvents, drawLogs, markStep } from "./log.js";
import { moveOf, showMove } from "./move.js";
import { Playhead } from "./playhead.js";
import { drawStage, partingStep } from "./replay.js";

function makeSide(deal, number, count, words) {
  const felt = make("div", count > 1 ? "felt small" : "felt"), log = make("ol", "log"), about = make("div", "about");
  felt.id = `felt-${number}`;
  log.id = `log-${number}`;
  log.tabIndex = 0; // it scrolls
  log.setAttribute("aria-label", words.events);
  const heading = deal.heading || words.seating_n.replace("#", number);
  const side = make("section", "side", make("h2", "", heading), felt, make("div", "beside", about, log));
  side.setAttribute("aria-label", heading);
  return { deal, felt, log, about, side };
}

// The step at which the seatings part first; null for a deal that stands alone.
function findParting([first, ...others]) {
  return others.length ? Math.min(...others.map((other) => partingStep(first, other))) : null;
}

// What changes with the view alone: the list of events, logs, and who is to blame.
function drawTexts({ deal, log, about }, head, words) {
  const choose = (step) => head.goTo(step);
  drawEvents(log, deal, head.view, choose);
  drawLogs(about, deal, head.view, words);
  drawBlame(about, deal, words, choose);
}

// before: the step drawn last. A card moves only on the one step forward in which it was laid or drawn.
function drawTable({ deal, felt, log }, head, before, words) {
  const step = Math.min(head.step, deal.stages.length - 1);
  drawStage(felt, deal, step, head.view, words);
  markStep(log, step);
  if (step === before + 1 && step === head.step && step) showMove(felt, seatsOf(felt), findMove(deal, step));
}

function findMove(deal, step) {
  const counts = [step - 1, step].map((n) => deal.stages[n].hands.map((hand) => hand.length));
  return deal.stages[step].open.map((event) => moveOf(event, ...counts)).findLast(Boolean);
}

// start: {step, view, speed}; moved(head) is told of every step. Returns {head, close}.
export function openReplay(root, deals, words, start = {}, moved = () => {}) {
  const last = Math.max(...deals.map((deal) => deal.stages.length)) - 1, seats = deals[0].players.length;
  const sides = deals.map((deal, number) => makeSide(deal, number, deals.length, words)), bar = makeControls(deals, words);
  const ending = new AbortController(), head = new Playhead(last, seats, start, draw), drawn = { step: -1, view: null };

  function draw() {
    if (head.view !== drawn.view) sides.forEach((side) => drawTexts(side, head, words));
    sides.forEach((side) => drawTable(side, head, drawn.step, words));
    markControls(bar, head, last, words);
    Object.assign(drawn, { step: head.step, view: head.view });
    moved(head);
  }
  root.replaceChildren(bar, make("div", `sides ${deals.length > 1 ? "several" : "single"}`, ...sides.map(({ side }) => side)));
  bindControls(bar, head, listPresses(head, last, findParting(deals)), seats, ending.signal);
  draw();
  return { head, close: () => { head.stop(); ending.abort(); } };
}
