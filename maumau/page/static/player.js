// The replay: one deal, or its seatings beside each other, stepped together by buttons, keys and a slider.

import { seatsOf } from "./board.js";
import { make } from "./card.js";
import { moveOf, showMove } from "./move.js";
import { drawBlame, drawEvents, drawLogs, markStep } from "./log.js";
import { LETTERS, drawStage, partingStep, sayWho } from "./replay.js";

const STEP_MS = 1000; // at speed 1
const SPEEDS = [0.5, 1, 2, 4, 8];

// What a key does; letters are those of the seats there are, so that a seat H comes before "back".
export function actionOf(key, seats) {
  const seat = key.length === 1 ? LETTERS.toLowerCase().indexOf(key) : -1;
  if (seat >= 0 && seat < seats) return { view: seat };
  const actions = {
    ArrowRight: "on", l: "on", ArrowLeft: "back", h: "back", Home: "first", g: "first", End: "last", G: "last",
    " ": "play", p: "part", "?": "keys",
  };
  if (key === "o") return { view: -1 };
  return key in actions ? { press: actions[key] } : null;
}

// Space does what the button in focus says, and a list in focus has all its own keys.
export function keepsKey(target, key) {
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

// The seats as one chooses them: with their bots where the same sit there in all deals.
function nameViews(deals, words) {
  const isOne = deals.every((deal) => deal.names.join("\n") === deals[0].names.join("\n"));
  const seats = deals[0].players.map((_, seat) => (isOne ? sayWho(deals[0], seat) : words.seat_n.replace("#", LETTERS[seat])));
  return [words.open_cards, ...seats];
}

function makeControls(deals, words) {
  const slider = make("input"), step = make("output"), keys = make("details", "", make("summary", "", words.keys), make("p", "", words.keys_say));
  Object.assign(slider, { type: "range", id: "slider", min: 0 });
  slider.setAttribute("aria-label", words.step);
  step.id = "step";
  keys.id = "keys";
  const bar = make("div", "controls", makeButton("play", words.play), makeButton("first", "|‹", words.to_first),
    makeButton("back", "‹", words.step_back), makeButton("on", "›", words.step_on), makeButton("last", "›|", words.to_last), slider, step);
  if (deals.length > 1) bar.append(makeButton("part", words.where_they_part));
  bar.append(makeChoice("view", words.view, nameViews(deals, words)), makeChoice("speed", words.speed, SPEEDS.map((speed) => `${speed}×`)), keys);
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", words.replay);
  return bar;
}

function makeSide(deal, number, count, words) {
  const felt = make("div", count > 1 ? "felt small" : "felt"), log = make("ol", "log"), about = make("div", "about");
  felt.id = `felt-${number}`;
  log.id = `log-${number}`;
  log.tabIndex = 0; // it scrolls
  log.setAttribute("aria-label", words.events);
  const side = make("section", "side", make("h2", "", words.seating_n.replace("#", number + 1)), felt, make("div", "beside", about, log));
  side.setAttribute("aria-label", words.seating_n.replace("#", number + 1));
  return { deal, felt, log, about, side };
}

// start: {step, view, speed}; moved(state) is told of every step. Returns {state, close}.
export function openReplay(root, deals, words, start = {}, moved = () => {}) {
  const last = Math.max(...deals.map((deal) => deal.stages.length)) - 1, seats = deals[0].players.length;
  const state = { step: 0, view: -1, speed: 1, ...start, timer: 0 };
  if (state.view >= seats) state.view = -1;
  state.step = Math.max(0, Math.min(last, Math.trunc(state.step)));
  const sides = deals.map((deal, number) => makeSide(deal, number, deals.length, words)), ending = new AbortController();
  const row = make("div", `sides ${deals.length > 1 ? "several" : "single"}`, ...sides.map((each) => each.side));
  root.replaceChildren(makeControls(deals, words), row);
  const at = (id) => root.querySelector(`#${id}`);
  let drawn = -1;

  function drawSide({ deal, felt, log }) {
    const step = Math.min(state.step, deal.stages.length - 1), stage = deal.stages[step];
    drawStage(felt, deal, step, state.view, words);
    markStep(log, step);
    if (state.step !== drawn + 1 || step !== state.step || !step) return;
    const counts = [step - 1, step].map((n) => deal.stages[n].hands.map((hand) => hand.length));
    const move = stage.open.map((event) => moveOf(event, ...counts)).findLast(Boolean);
    showMove(felt, seatsOf(felt), move);
  }
  function draw() {
    sides.forEach(drawSide);
    drawn = state.step;
    at("slider").value = state.step;
    at("slider").setAttribute("aria-valuetext", `${state.step} / ${last}`);
    at("step").textContent = `${state.step} / ${last}`;
    at("play").textContent = state.timer ? words.pause : words.play;
    at("play").setAttribute("aria-pressed", String(Boolean(state.timer)));
  }
  function go(step) {
    state.step = Math.max(0, Math.min(last, step));
    moved(state);
    draw();
  }
  function look(view) {
    state.view = view;
    at("view").selectedIndex = view + 1;
    for (const { deal, log, about } of sides) {
      drawEvents(log, deal, view, go);
      drawLogs(about, deal, view, words);
      drawBlame(about, deal, words, go);
    }
    draw();
  }
  function pause() {
    clearInterval(state.timer);
    state.timer = 0;
  }
  function toggle() {
    if (state.timer) { pause(); return draw(); }
    if (state.step >= last) state.step = -1;
    state.timer = setInterval(() => {
      if (state.step + 1 >= last) pause();
      go(state.step + 1);
    }, STEP_MS / state.speed);
    go(state.step + 1);
  }
  const presses = {
    play: toggle, first: () => go(0), back: () => go(state.step - 1), on: () => go(state.step + 1), last: () => go(last),
    part: () => { if (deals.length > 1) go(Math.min(...deals.slice(1).map((deal) => partingStep(deals[0], deal)))); }, keys: () => { at("keys").open = !at("keys").open; },
  };
  for (const id of ["play", "first", "back", "on", "last", "part"]) at(id)?.addEventListener("click", presses[id]);
  at("slider").max = last;
  at("slider").addEventListener("input", () => go(Number(at("slider").value)));
  at("speed").selectedIndex = SPEEDS.indexOf(state.speed);
  at("speed").addEventListener("change", () => {
    state.speed = SPEEDS[at("speed").selectedIndex];
    if (state.timer) { pause(); toggle(); }
  });
  at("view").addEventListener("change", () => look(at("view").selectedIndex - 1));
  document.addEventListener("keydown", (event) => {
    const found = actionOf(event.key, seats);
    if (!found || event.ctrlKey || event.metaKey || event.altKey || keepsKey(event.target, event.key)) return;
    event.preventDefault();
    if (found.press) presses[found.press]();
    else look(found.view);
  }, { signal: ending.signal });
  look(state.view);
  go(state.step);
  return { state, close: () => { pause(); ending.abort(); } };
}
