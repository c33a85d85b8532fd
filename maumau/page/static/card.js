// Cards and small parts of the table as elements. Strangers' text goes in as text, never as markup.

export const SIGNS = { C: "♣", S: "♠", H: "♥", D: "♦" };
const SVG = "http://www.w3.org/2000/svg";

export function make(tag, classes = "", ...inside) {
  const made = document.createElement(tag);
  if (classes) made.className = classes;
  made.append(...inside);
  return made;
}

// What a card is called in words: "TC" is "10♣", "" a card face down.
export function cardText(name) {
  if (!name) return "";
  if (name === "XX") return "★";
  return (name[0] === "T" ? "10" : name[0]) + SIGNS[name[1]];
}

// A card; "" is one face down.
export function makeCard(name, classes = "") {
  if (!name) return make("span", `card back ${classes}`.trim());
  const made = make("span", `card ${name === "XX" ? "X" : name[1]} ${classes}`.trim());
  made.setAttribute("role", "img");
  made.setAttribute("aria-label", cardText(name));
  made.title = name;
  if (name === "XX") made.append("★");
  else made.append(make("b", "", name[0] === "T" ? "10" : name[0]), make("i"));
  return made;
}

// A bot's name with its mark: player = {name, hue, path}.
export function makeBot(player) {
  const made = make("span", "bot"), mark = document.createElementNS(SVG, "svg"), path = document.createElementNS(SVG, "path");
  if (player.path) {
    mark.setAttribute("class", "mark");
    mark.setAttribute("viewBox", "-.5 -.5 6 6");
    mark.setAttribute("aria-hidden", "true");
    path.setAttribute("d", player.path);
    path.setAttribute("fill", `hsl(${player.hue} 55% 62%)`);
    mark.append(path);
    made.append(mark);
  }
  made.append(make("bdi", "", player.name));
  return made;
}
