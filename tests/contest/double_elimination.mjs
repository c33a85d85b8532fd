// Prints the double eliminations of brackets-manager as JSON: for each number of entrants the matches that
// are played, each with the two it comes from: s4 (seed 4), wW1.2 or lW1.2 (winner or loser of a match).
// W: winners' bracket, L: losers' bracket, F: grand final; W1.2 is the second match of round 1.
//
// In a folder with the packages (see test_double_elimination.py): node double_elimination.mjs 4 5 6
import { createRequire } from "node:module";
const require = createRequire(process.cwd() + "/");
const { BracketsManager } = require("brackets-manager");
const { InMemoryDatabase } = require("brackets-memory-db");

const SIDES = ["opponent1", "opponent2"];
const READY = 2; // the status of a match whose two opponents are known and that nobody has won

async function start(count) {
  const storage = new InMemoryDatabase();
  const manager = new BracketsManager(storage);
  const size = 2 ** Math.ceil(Math.log2(count));
  const seeding = Array.from({ length: size }, (_, at) => (at < count ? `s${at + 1}` : null));
  // no seedOrdering: the defaults of the package
  const settings = { grandFinal: "double" };
  await manager.create.stage({ tournamentId: 0, name: "n", type: "double_elimination", seeding, settings });
  const rounds = new Map((await storage.select("round")).map((one) => [one.id, one.number]));
  const groups = new Map((await storage.select("group")).map((one) => [one.id, "WLF"[one.number - 1]]));
  const name = (one) => `${groups.get(one.group_id)}${rounds.get(one.round_id)}.${one.number}`;
  return { storage, manager, name };
}

// Plays on to the grand final; every result moves two names, and the sides where they come to lie are noted.
async function trace(count, winner) {
  const { storage, manager, name } = await start(count);
  const names = new Map((await storage.select("participant")).map((one) => [one.id, one.name]));
  const found = {};
  const last = new Map([...names]); // of each participant: the result that brought it where it is
  for (;;) {
    const matches = (await storage.select("match")).filter((one) => !name(one).startsWith("F2"));
    const open = matches.filter((one) => one.status === READY);
    if (!open.length) return found;
    for (const one of open) {
      const pair = SIDES.map((side) => last.get(one[side].id));
      found[name(one)] = pair.join(",");
      const loser = SIDES.find((side) => side !== winner);
      last.set(one[winner].id, `w${name(one)}`);
      last.set(one[loser].id, `l${name(one)}`);
      await manager.update.match({ id: one.id, [winner]: { result: "win" } });
    }
  }
}

const graphs = {};
for (const count of process.argv.slice(2).map(Number)) {
  const [one, other] = [await trace(count, SIDES[0]), await trace(count, SIDES[1])];
  const show = (found) => Object.keys(found).sort().map((key) => `${key}=${found[key]}`).join(" ");
  if (show(one) !== show(other)) throw new Error(`the graph of ${count} depends on results`);
  graphs[count] = show(one);
}
console.log(JSON.stringify(graphs, null, 0).replaceAll('","', '",\n"'));
