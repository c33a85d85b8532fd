// A player at live tables in Node, made from proto/ and docs/live.md alone.
//   npm install @grpc/grpc-js @grpc/proto-loader
//   node live.mjs 127.0.0.1:7103 mm_ACCOUNT prsi      makes a table, prints the token of seat B, plays seat A
//   node live.mjs 127.0.0.1:7103 table_…/1/…          plays the seat of this token
// It prints a JSON object a line: the token to give away, then the end of the deal.
import { randomUUID } from "node:crypto";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createRequire } from "node:module";

const require = createRequire(join(process.cwd(), "package.json"));
const grpc = require("@grpc/grpc-js");
const loader = require("@grpc/proto-loader");

const [address, token, rules = "prsi"] = process.argv.slice(2);
const proto = process.env.MAUMAU_PROTO ?? join(dirname(fileURLToPath(import.meta.url)), "..", "..", "proto");
const options = { keepCase: true, longs: Number, enums: String, defaults: true, oneofs: true, includeDirs: [proto] };
const { maumau } = grpc.loadPackageDefinition(loader.loadSync("maumau/v1/engine.proto", options));
const engine = new maumau.v1.EngineService(address, grpc.credentials.createInsecure());

// The whole strategy: the first legal action, with the call that it owes.
function choose(ask) {
  const action = ask.legal[0];
  return action + (ask.call[action] ?? "");
}

function createTable() {
  const metadata = new grpc.Metadata();
  metadata.set("authorization", `Bearer ${token}`);
  return new Promise((resolve, reject) =>
    engine.CreateTable({ rules: { name: rules }, seats: 2 }, metadata, (error, made) =>
      error ? reject(error) : resolve(made)));
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
  for (let tries = 0; tries < 30; tries += 1) {
    const end = await stream(seat, state);
    if (end !== undefined) return end;
    await new Promise((again) => setTimeout(again, 1000));
  }
  throw new Error("the arena does not answer");
}

let seat = token;
if (!token.startsWith("table_")) {
  const made = await createTable();
  console.log(JSON.stringify({ table: made.table.id, give: made.seat_tokens[1] }));
  seat = made.seat_tokens[0];
}
console.log(JSON.stringify({ end: await play(seat) }));
engine.close();
