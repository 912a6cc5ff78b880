/** Floods of API requests: they must not delay everybody's mail at the one database, nor use up the memory. */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { attackTime, expectUnharmed, type Scene, startScene, watchBystander } from "./scenes/bystander.testing.ts";

const SOCKETS = 60;
/** Number of unanswered requests that each socket always has. */
const AHEAD = 8;
/** Minimum number of responses that shows that the requests were processed. */
const ANSWERS_MIN = 50;

let scene: Scene;
let mallory: Person;
beforeAll(async () => {
  scene = await startScene({ env: { KAUKE_LIMITS: "alias_create=1000/3600" } });
  mallory = await registerPerson(scene.server.url);
  for (let made = 0; made < rounds(40, 400); made++) await mallory.createAlias({ forwardTo: "eve@elsewhere.example" });
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await removeDataDirs();
});

const countOf = (answers: Record<string, number>) => Object.values(answers).reduce((sum, count) => sum + count, 0);

/** @returns number of responses by status */
async function flood(call: () => string): Promise<Record<string, number>> {
  const answers: Record<string, number> = {};
  const sockets = new Set<Socket>();
  const isOver = { now: false };
  const enter = () => {
    const socket = connect({ port: scene.server.httpPort, host: "127.0.0.1", localAddress: "127.66.0.1" });
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("connect", () => socket.write(Array.from({ length: AHEAD }, call).join("")));
    socket.on("data", (bytes) => {
      const found = bytes.toString("latin1").match(/HTTP\/1\.1 \d{3}/g) ?? [];
      for (const line of found) answers[line.slice(9)] = (answers[line.slice(9)] ?? 0) + 1;
      if (!isOver.now) socket.write(found.map(call).join(""));
    });
    socket.on("close", () => {
      sockets.delete(socket);
      if (!isOver.now) setTimeout(enter, 20);
    });
  };
  for (let made = 0; made < SOCKETS; made++) enter();
  const goesOn = attackTime();
  while (goesOn(countOf(answers) > ANSWERS_MIN)) await sleep(100);
  isOver.now = true;
  for (const socket of sockets) socket.destroy();
  return answers;
}

function request(line: string, { cookie = "", body = "" } = {}): string {
  const headers = [`${line} HTTP/1.1`, "Host: localhost:3000"];
  if (cookie !== "") headers.push(`Cookie: ${cookie}`);
  if (body !== "") headers.push("Content-Type: application/json", `Content-Length: ${Buffer.byteLength(body)}`);
  return `${headers.join("\r\n")}\r\n\r\n${body}`;
}

let tries = 0;
const calls: Record<string, () => string> = {
  "passwords tried by a stranger": () =>
    request("POST /api/auth/login", {
      body: JSON.stringify({ email: `nobody${++tries}@example.net`, password: "wrong horse" }),
    }),
  "changes of one account's settings": () =>
    request("PATCH /api/account/settings", {
      cookie: mallory.cookie,
      body: JSON.stringify({ leakGuard: ++tries % 2 === 0 }),
    }),
  "one account's list of aliases": () => request(`GET /api/aliases/${mallory.user.id}`, { cookie: mallory.cookie }),
};

test.each(Object.keys(calls).slice(0, rounds(1, 3)))(
  "%s, on sixty sockets at once, delay nobody's mail",
  { timeout: 180_000 },
  async (name) => {
    const attack = flood(calls[name] as () => string);
    const seen = await watchBystander(scene, attack);
    const answers = await attack;
    printFigures(name, { ...answers, ...seen, failures: seen.failures.length });
    expectUnharmed(seen);
    // Control: the requests arrived and were answered.
    expect(countOf(answers)).toBeGreaterThan(ANSWERS_MIN);
  },
);
