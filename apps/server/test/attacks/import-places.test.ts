/** Uploads that arrive slowly or stop, and that start again whenever they end, while somebody imports a file. */
import { connect, type Socket } from "node:net";
import { printFigures, rounds } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { afterAll, beforeAll, expect, test } from "vitest";

let system: TestSystem;
beforeAll(async () => {
  system = await startSystem({ env: { KAUKE_LIMITS: "off" } });
});
afterAll(() => system.close());

const file = "alias,note,enabled,mailboxes\nshop@kauke.test,,True,ann@people.example\n";

/** Uploads as this person from the address: ten bytes a second, again and again. */
function uploadSlowly({ cookie }: Person, localAddress: string) {
  const attack = { isOver: false, started: 0, socket: null as Socket | null };
  const begin = () => {
    if (attack.isOver) return;
    attack.started += 1;
    const socket = connect({ port: Number(new URL(system.url).port), host: "127.0.0.1", localAddress });
    attack.socket = socket;
    const fields = `host: localhost:3000\r\ncookie: ${cookie}\r\ncontent-type: application/octet-stream\r\n`;
    socket.write(`POST /api/imports HTTP/1.1\r\n${fields}transfer-encoding: chunked\r\n\r\n`);
    const timer = setInterval(() => socket.write("b\r\nalias,note\n\r\n"), 1000);
    // The server has answered: the import is over, so the next one begins.
    socket.on("data", () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => {
      clearInterval(timer);
      begin();
    });
  };
  begin();
  return attack;
}

async function upload({ cookie }: Person): Promise<{ status: number; ms: number }> {
  const began = performance.now();
  const headers = { cookie, "content-type": "application/octet-stream" };
  const { status } = await fetch(`${system.url}/api/imports`, { method: "POST", headers, body: file });
  return { status, ms: Math.round(performance.now() - began) };
}

test("four slow uploads that start again at once do not keep others from importing", async () => {
  const [ann, ...hostile] = await Promise.all(Array.from({ length: 13 }, () => registerPerson(system.url)));
  const alone = await upload(ann as Person);
  expect(alone.status).toBe(201);
  const attacks = hostile.slice(0, 4).map((who, n) => uploadSlowly(who, `127.${n + 1}.0.1`));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const [first, second] = [await upload(ann as Person), await upload(ann as Person)];
  // More of them wait for a place, too.
  const more = hostile.slice(4, 4 + rounds(1, 8));
  attacks.push(...more.map((who, n) => uploadSlowly(who, `127.${n + 10}.0.1`)));
  await new Promise((resolve) => setTimeout(resolve, 500));
  const third = await upload(ann as Person);
  for (const attack of attacks) {
    attack.isOver = true;
    attack.socket?.destroy();
  }
  printFigures("imports beside slow uploads", { alone: alone.ms, first: first.ms, second: second.ms, third: third.ms });
  expect([first.status, second.status, third.status]).toEqual([201, 201, 201]);
  for (const { ms } of [first, second, third]) expect(ms).toBeLessThan(20_000);
  // Control: slow uploads were ended, and came back.
  expect(attacks.reduce((sum, { started }) => sum + started, 0)).toBeGreaterThan(attacks.length);
}, 120_000);
