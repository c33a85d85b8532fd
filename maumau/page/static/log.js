// What happened in a deal, as a list, with the bots' notes where they were said; logs and faults beside it.

import { make } from "./card.js";
import { eventsOf, sayWho } from "./replay.js";

// The notes that were said in each stage, as everybody (view -1) or one seat reads them.
export function notesByStage(deal, view) {
  let shown = -1;
  return deal.stages.map((stage) => {
    const found = (deal.notes || []).filter((note) => note.event > shown && note.event <= stage.event && (view < 0 || view === note.seat));
    shown = stage.event;
    return found;
  });
}

// choose(step) is called for the line that is clicked.
export function drawEvents(root, deal, view, choose) {
  const notes = notesByStage(deal, view);
  root.replaceChildren(...deal.stages.flatMap((stage, number) => {
    const lines = eventsOf(stage, view).map((event) => {
      const line = make("button", "", deal.words[event] || event);
      line.type = "button";
      line.title = event;
      line.dataset.step = number;
      line.addEventListener("click", () => choose(number));
      return make("li", "", line);
    });
    return [...lines, ...notes[number].map((note) => make("li", "note", make("bdi", "", sayWho(deal, note.seat)), ": ", make("bdi", "", note.text)))];
  }));
}

// Marks the lines of a step and those that are still to come.
export function markStep(root, step) {
  for (const line of root.querySelectorAll("button")) {
    line.className = Number(line.dataset.step) === step ? "now" : Number(line.dataset.step) > step ? "later" : "";
  }
  const now = root.querySelector(".now");
  if (now) root.scrollTop = now.parentElement.offsetTop - root.clientHeight / 2;
}

function makeText(title, text, isOpen = false) {
  const pre = make("pre", "", text), made = make("details", "", make("summary", "", title), pre);
  pre.tabIndex = 0; // it scrolls
  made.open = isOpen;
  return made;
}

// What the programs wrote, of all seats or of the one that is looked from.
export function drawLogs(root, deal, view, words) {
  const logs = (deal.logs || []).map((text, seat) => (text && (view < 0 || view === seat) ? makeText(words.log_of.replace("#", sayWho(deal, seat)), text) : null));
  root.replaceChildren(...logs.filter(Boolean));
}

// How a seat has lost the deal by its own doing; a click leads to where it happened.
export function drawBlame(root, deal, words, choose) {
  const blame = deal.blame;
  if (!blame) return;
  const who = sayWho(deal, blame.seat), head = make("button", "", `${words.blamed.replace("#", who)} ${blame.words}`);
  head.type = "button";
  head.addEventListener("click", () => choose(blame.stage));
  root.prepend(make("section", "blame", make("h3", "", head), make("p", "", words.stands_in.replace("#", who)), ...blame.parts.map(([title, text]) => makeText(title, text, true))));
}
