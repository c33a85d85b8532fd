// What a replay is steered with: the bar of buttons, slider and choices, and what each key does.

import { make } from "./card.js";
import { LETTERS, sayWho } from "./replay.js";

export const SPEEDS = [0.5, 1, 2, 4, 8];
const PRESSED = ["play", "first", "back", "on", "last", "part"]; // ids of the buttons
const KEYS = {
  ArrowRight: "on", l: "on", ArrowLeft: "back", h: "back", Home: "first", g: "first", End: "last", G: "last",
  " ": "play", p: "part", "?": "keys",
};

// What a key does; letters are those of the seats there are, so that a seat H comes before "back".
export function actionOf(key, seats) {
  const seat = key.length === 1 ? LETTERS.toLowerCase().indexOf(key) : -1;
  if (seat >= 0 && seat < seats) return { view: seat };
  if (key === "o") return { view: -1 };
  return Object.hasOwn(KEYS, key) ? { press: KEYS[key] } : null;
}

// Whether Ctrl, Meta or Alt is held with the key: such keys are the browser's.
export function isModified(event) {
  return event.ctrlKey || event.metaKey || event.altKey;
}

// Space does what the button in focus says, and a list in focus has all its own keys.
function keepsKey(target, key) {
  const own = target instanceof Element && target.closest("select, input, button, summary, a");
  return Boolean(own) && (own.tagName === "SELECT" || (key === " " ? own.tagName !== "INPUT" : own.tagName === "INPUT"));
}

function makeButton(id, text, label) {
  const made = make("button", "", text);
  made.type = "button";
  made.id = id;
  if (label) made.setAttribute("aria-label", label);
  return made;
}

function makeChoice(id, label, options) {
  const select = make("select", "", ...options.map((text) => make("option", "", text)));
  select.id = id;
  return make("label", "", `${label} `, select);
}

function makeSlider(words) {
  const slider = make("input");
  Object.assign(slider, { type: "range", id: "slider", min: 0 });
  slider.setAttribute("aria-label", words.step);
  return slider;
}

function makeHelp(words) {
  const help = make("details", "", make("summary", "", words.keys), make("p", "", words.keys_say));
  help.id = "keys";
  return help;
}

// The seats as one chooses them: with their bots where the same sit there in all deals.
function nameViews(deals, words) {
  const isOne = deals.every((deal) => deal.names.join("\n") === deals[0].names.join("\n"));
  const seats = deals[0].players.map((_, seat) => (isOne ? sayWho(deals[0], seat) : words.seat_n.replace("#", LETTERS[seat])));
  return [words.open_cards, ...seats];
}

export function makeControls(deals, words) {
  const step = make("output");
  step.id = "step";
  const bar = make("div", "controls", makeButton("play", words.start), makeButton("first", "|‹", words.to_first),
    makeButton("back", "‹", words.step_back), makeButton("on", "›", words.step_on), makeButton("last", "›|", words.to_last), makeSlider(words), step);
  if (deals.length > 1) bar.append(makeButton("part", words.where_they_part));
  bar.append(makeChoice("view", words.view, nameViews(deals, words)), makeChoice("speed", words.speed, SPEEDS.map((speed) => `${speed}×`)), makeHelp(words));
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", words.replay);
  return bar;
}

// Shows on the bar where the playhead is.
export function markControls(bar, head, last, words) {
  const at = (id) => bar.querySelector(`#${id}`), where = `${head.step} / ${last}`;
  at("slider").max = last;
  at("slider").value = head.step;
  at("slider").setAttribute("aria-valuetext", where);
  at("step").textContent = where;
  at("view").selectedIndex = head.view + 1;
  at("speed").selectedIndex = SPEEDS.indexOf(head.speed);
  at("play").textContent = head.isPlaying ? words.pause : words.start;
  at("play").setAttribute("aria-pressed", String(head.isPlaying));
}

// What a press of each button does to the playhead; parting: the step at which the seatings part.
export function listPresses(head, last, parting) {
  return {
    play: () => head.togglePlay(), first: () => head.goTo(0), back: () => head.goTo(head.step - 1),
    on: () => head.goTo(head.step + 1), last: () => head.goTo(last), part: () => { if (parting !== null) head.goTo(parting); },
  };
}

// Lets buttons, slider, choices and keys move the playhead, the keys until the signal ends.
export function bindControls(bar, head, presses, seats, signal) {
  const at = (id) => bar.querySelector(`#${id}`);
  for (const id of PRESSED) at(id)?.addEventListener("click", presses[id]);
  at("slider").addEventListener("input", () => head.goTo(Number(at("slider").value)));
  at("speed").addEventListener("change", () => head.setSpeed(SPEEDS[at("speed").selectedIndex]));
  at("view").addEventListener("change", () => head.lookFrom(at("view").selectedIndex - 1));
  bar.ownerDocument.addEventListener("keydown", (event) => {
    const found = actionOf(event.key, seats);
    if (!found || isModified(event) || keepsKey(event.target, event.key)) return;
    event.preventDefault();
    if (found.press === "keys") at("keys").open = !at("keys").open;
    else if (found.press) presses[found.press]();
    else head.lookFrom(found.view);
  }, { signal });
}
