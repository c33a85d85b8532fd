// The strips of a match: a row for each block, a cell for each deal set, which leads to its replay.
//
// A cell's bar goes up for a set that the first won, down for one it lost, as far as it was won or lost; a set
// that nobody won is a line. One cell of all is in the order of the Tab key; the arrows go on from there.

import { make } from "./card.js";

// What a cell says: which set, of which block, what both scored, and the first's share of all sets so far.
export function describeSet(scores, unit, block, number) {
  const played = scores.slice(0, number + 1).reduce((sum, score) => sum + score, 0);
  return {
    set: number, block: Math.floor(number / block), first: scores[number], second: unit - scores[number], unit,
    share: (100 * played) / (unit * (number + 1)),
  };
}

// From -1 (the first lost all of it) to 1 (it won all of it).
export const leanOf = (score, unit) => (2 * score - unit) / unit;

// The cell that an arrow leads to, never beyond the ends.
export function nextCell(key, number, count, block) {
  const steps = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -block, ArrowDown: block, Home: -count, End: count };
  if (!(key in steps)) return -1;
  return Math.max(0, Math.min(count - 1, number + steps[key]));
}

export function sayIn(words, values) {
  return words.replace(/\[(\w+)\]/g, (_, name) => values[name]);
}

export function drawStrips(root) {
  const { unit, block } = { unit: Number(root.dataset.unit), block: Number(root.dataset.block) };
  const scores = root.dataset.scores.split(" ").map(Number), shown = scores.slice(0, Number(root.dataset.most));
  const said = make("output", "strip-says"), rows = make("div", "strips");
  rows.setAttribute("role", "group");
  rows.setAttribute("aria-label", root.dataset.label);
  const say = (number) => {
    const values = describeSet(scores, unit, block, number);
    const share = values.share.toFixed(1).replace(".", root.dataset.decimal);
    return sayIn(root.dataset.says, { ...values, share, firstName: root.dataset.first, secondName: root.dataset.second });
  };
  const cells = shown.map((score, number) => {
    const cell = make("a", "set"), lean = leanOf(score, unit);
    cell.classList.add(lean > 0 ? "up" : lean < 0 ? "down" : "even");
    cell.style.setProperty("--far", Math.abs(lean));
    cell.href = `${root.dataset.at}/${number}`;
    cell.tabIndex = number ? -1 : 0;
    cell.dataset.set = number;
    cell.setAttribute("aria-label", `${number}: ${score} : ${unit - score}`);
    return cell;
  });
  for (let first = 0; first < cells.length; first += block) {
    const row = make("div", "strip-row"), strip = make("div", "strip");
    strip.append(...cells.slice(first, first + block));
    row.append(make("span", "facts", `${root.dataset.row} ${first / block}`), strip);
    rows.append(row);
  }
  const find = (event) => event.target.closest?.(".set");
  const tell = (event) => {
    const cell = find(event);
    if (cell) said.textContent = say(Number(cell.dataset.set));
  };
  rows.addEventListener("pointerover", tell);
  rows.addEventListener("focusin", tell);
  rows.addEventListener("keydown", (event) => {
    const cell = find(event), to = cell ? nextCell(event.key, Number(cell.dataset.set), cells.length, block) : -1;
    if (to < 0) return;
    event.preventDefault();
    cell.tabIndex = -1;
    cells[to].tabIndex = 0;
    cells[to].focus();
  });
  said.textContent = say(shown.length - 1);
  root.replaceChildren(rows, said);
}

// Draws them, now and when the part that they are in has been replaced.
export function followStrips(root) {
  const place = root.getElementById("walk"), draw = () => {
    const strips = root.getElementById("strips");
    if (strips && !strips.firstChild) drawStrips(strips);
  };
  if (!place) return;
  draw();
  new MutationObserver(draw).observe(place, { childList: true });
}
