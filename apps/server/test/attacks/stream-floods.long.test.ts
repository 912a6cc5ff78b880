/**
 * What others notice while strangers send streams cut into single bytes, in bursts and without an end, and slow imports:
 * their mail is delivered and pages are answered within a second at the median, sign-ins within three.
 */
import { connect, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { printFigures } from "@kauke/testkit/long-rounds";
import { registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Scene, startScene } from "./scenes/bystander.testing.ts";

const SAMPLES = 5;

let scene: Scene;
let cookies: string[];
/** Address of an alias of this test's own: an unconfirmed mailbox gets few messages a day. */
let alias = "";
beforeAll(async () => {
  scene = await startScene({ env: { KAUKE_LIMITS: "register=1000/3600,import_create=1000/86400,login_ip=1000/600" } });
  const people = await Promise.all(Array.from({ length: 6 }, () => registerPerson(scene.server.url)));
  cookies = people.map(({ cookie }) => cookie);
});
afterAll(async () => {
  await scene[Symbol.asyncDispose]();
  await removeDataDirs();
});

interface Stream {
  head: string;
  body: Buffer;
  address: string;
  /** Milliseconds between two writes of the body; it is written once by default. */
  everyMs?: number;
}

/** Keeps so many connections that send the stream, each again when it is closed. @returns function that ends them */
function flood(count: number, streamAt: (n: number) => Stream): () => void {
  const open = new Set<Socket>();
  let isOver = false;
  const enter = (n: number) => {
    if (isOver) return;
    const { head, body, address, everyMs } = streamAt(n);
    const socket = connect({ port: scene.server.httpPort, host: "127.0.0.1", localAddress: address });
    open.add(socket);
    socket.on("error", () => {}).resume();
    socket.write(head);
    socket.write(body);
    const timer = everyMs === undefined ? undefined : setInterval(() => socket.write(body), everyMs);
    socket.on("close", () => {
      clearInterval(timer);
      open.delete(socket);
      setTimeout(() => enter(n), 100);
    });
  };
  for (let n = 0; n < count; n++) enter(n);
  return () => {
    isOver = true;
    for (const socket of open) socket.destroy();
  };
}

const single = Buffer.from("1\r\nx\r\n".repeat(60_000));
const burst = Buffer.from("1\r\nx\r\n".repeat(3_000_000));
const head = (line: string, fields: string) =>
  `${line} HTTP/1.1\r\nhost: localhost:3000\r\ntransfer-encoding: chunked\r\n${fields}\r\n`;
const json = "content-type: application/json\r\n";
const fileOf = (n: number) => `content-type: application/octet-stream\r\ncookie: ${cookies[n % cookies.length]}\r\n`;

const attacks: Record<string, () => () => void> = {
  "120 bodies in single bytes": () =>
    flood(120, () => ({ head: head("POST /api/auth/login", json), body: single, address: "127.66.0.1" })),
  "bursts of three million chunks": () =>
    flood(2, (n) => ({ head: head("GET /healthz", ""), body: burst, address: `127.67.${n}.1` })),
  "imports in single bytes": () =>
    flood(6, (n) => ({ head: head("POST /api/imports", fileOf(n)), body: single, address: `127.68.${n}.1` })),
  "slow imports": () =>
    flood(6, (n) => ({
      head: head("POST /api/imports", fileOf(n)),
      body: Buffer.from("b\r\nalias,note\n\r\n"),
      address: `127.69.${n}.1`,
      everyMs: 500,
    })),
};

async function mail(): Promise<void> {
  const subject = `bystander ${performance.now()}`;
  const message = `From: Rasa <rasa@example.net>\r\nSubject: ${subject}\r\n\r\nLabas!\r\n`;
  const { server, relay } = scene;
  const mail = { port: server.mxPort, from: "rasa@example.net", to: alias, message, localAddress: "127.99.9.9" };
  expect((await sendMail(mail)).last).toMatch(/^250/);
  while (!relay.messages.some(({ bytes }) => bytes.includes(`Subject: ${subject}\r\n`))) await sleep(5);
}

const acts: Record<string, { act: () => Promise<void>; withinMs: number }> = {
  mail: { act: mail, withinMs: 1000 },
  page: {
    act: async () => expect((await fetch(`${scene.server.url}/healthz`)).status).toBe(200),
    withinMs: 1000,
  },
  "sign-in": {
    act: async () => {
      const { email, password } = scene.owner;
      const body = JSON.stringify({ email, password });
      const headers = { "content-type": "application/json" };
      expect((await fetch(`${scene.server.url}/api/auth/login`, { method: "POST", headers, body })).status).toBe(200);
    },
    withinMs: 3000,
  },
};

/** @returns median milliseconds of each act */
async function medians(): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  for (const [name, { act }] of Object.entries(acts)) {
    const times: number[] = [];
    for (let sample = 0; sample < SAMPLES; sample++) {
      const began = performance.now();
      await act();
      times.push(performance.now() - began);
      await sleep(100);
    }
    found[name] = Math.round(times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] as number);
  }
  return found;
}

test.each(Object.keys(attacks))("%s", { timeout: 300_000 }, async (name) => {
  const made = await scene.owner.createAlias({ forwardTo: `${name.replaceAll(" ", "-")}@inbox.example` });
  alias = `${made.alias}@${made.domain}`;
  const idle = await medians();
  const end = attacks[name]!();
  await sleep(1000);
  const seen = await medians();
  end();
  printFigures(name, { idle: JSON.stringify(idle), seen: JSON.stringify(seen) });
  for (const [act, { withinMs }] of Object.entries(acts))
    expect([act, seen[act]! < Math.max(withinMs, 5 * idle[act]!)]).toEqual([act, true]);
});
