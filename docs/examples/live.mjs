// A player at live tables in Node, made from proto/ and docs/how-to/live.md alone.
//   npm install @grpc/grpc-js @grpc/proto-loader
//   node live.mjs 127.0.0.1:7103 mm_ACCOUNT prsi      makes a table, prints the token of seat B, plays seat A
//   node live.mjs 127.0.0.1:7103 table_…/1/…          plays the seat of this token
//   node live.mjs 127.0.0.1:7103 mm_ACCOUNT prsi 127.0.0.1:7104 10
//                                                     seeks others, after 10 s house bots, and plays them
// It prints a JSON object a line: the token to give away or who sits at the table, then the end of the deal.
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), "package.json"));
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [address, token, rules = "prsi", matchmaking, houseAfter = "10"] = process.argv.slice(2);
const proto = process.env.MAUMAU_PROTO ?? join(dirname(fileURLToPath(import.meta.url)), "..", "..", "proto");
const options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true, includeDirs: [proto] };
const files = ["maumau/v1/engine.proto", "maumau/v1/matchmaking.proto"];
const { maumau } = grpc.loadPackageDefinition(loader.loadSync(files, options));
const engine = new maumau.v1.EngineService(address, grpc.credentials.createInsecure());
const BOT = "node";
const TRIES = 30;  // it gives up after that many losses in a row
const pause = () => new Promise((again) => setTimeout(again, 1000));

// The whole strategy: the first legal action, with the call that it owes.
function choose(ask) {
  const action = ask.legal[0];
  return action + (ask.call[action] ?? "");
}

function account() {
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return metadata;
}

function createTable() {
  return new Promise((resolve, reject) =>
    engine.CreateTable({ rules: { name: rules }, seats: 2 }, account(), (error, made) =>
      error ? reject(error) : resolve(made)));
}

// One stream of a seek: the seat, or undefined if it was cut off. `wish` then has the seek's id.
function seekStream(service, wish) {
  return new Promise((resolve, reject) => {
    const call = service.Seek(wish, account());
    let seated, told;
    call.on("data", (message) => {
      wish.seek_id = message.seek_id;
      if (message.part === "seated") seated = message.seated;
      else if (message.waiting.words && message.waiting.words !== told) console.error(told = message.waiting.words);
    });
    call.on("error", (error) => {
      const lost = error.code === grpc.status.NOT_FOUND && wish.seek_id;  // the arena has lost the seek: seek again
      if (lost) delete wish.seek_id;
      if (lost || error.code === grpc.status.UNAVAILABLE) resolve(seated);
      else reject(error);
    });
    call.on("end", () => resolve(seated));
  });
}

async function seek() {
  const service = new maumau.v1.MatchmakingService(matchmaking, grpc.credentials.createInsecure());
  const wish = { rules: { name: rules }, seats: 2, bot_name: BOT, house_after: Number(houseAfter) };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const seated = await seekStream(service, wish);
    if (seated) {
      service.close();
      return seated;
    }
    await pause();
  }
  throw new Error("the arena does not answer");
}

// Plays one stream until the deal is over (its end), the table is void (null), or it was cut off (undefined).
function stream(seat, state) {
  return new Promise((resolve) => {
    const call = engine.Play();
    let end;
    call.on("data", (message) => {
      if (message.part === "line") {
        const said = JSON.parse(message.line.line);
        const asked = message.line.cursor;
        state.cursor = Math.max(state.cursor, asked);
        if (said.ask && state.reply?.cursor !== asked) {  // one that was asked already comes again after a loss
          state.reply = { cursor: asked, op_id: randomUUID(), line: choose(said) };
          call.write({ reply: state.reply });
        }
        if (said.end) end = said.end;
        if (said.bye) resolve(end);
      } else if (message.part === "refused") {
        console.error(message.refused.refusal.message);
      } else if (message.part === "voided" || message.part === "replaced") {
        resolve(null);
      }
    });
    call.on("error", () => resolve(undefined));
    call.on("end", () => resolve(end));
    call.write({ hello: { seat_token: seat, after: state.cursor } });
    if (state.reply) call.write({ reply: state.reply });  // it may have been lost; it counts once
  });
}

async function play(seat) {
  const state = { cursor: 0, reply: null };
  for (let tries = 0; tries < TRIES; tries += 1) {
    const end = await stream(seat, state);
    if (end !== undefined) return end;
    await pause();
  }
  throw new Error("the arena does not answer");
}

async function findSeat() {
  if (token.startsWith("table_")) return token;
  if (matchmaking) {
    const { table_id: table, seat, seat_token, names } = await seek();
    console.log(JSON.stringify({ table, seat, names }));
    return seat_token;
  }
  const made = await createTable();
  console.log(JSON.stringify({ table: made.table.id, give: made.seat_tokens[1] }));
  return made.seat_tokens[0];
}

console.log(JSON.stringify({ end: await play(await findSeat()) }));
engine.close();
