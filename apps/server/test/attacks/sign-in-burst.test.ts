/**
 * Two hundred networks that try a password at the same moment: hashing is bounded, and the server must not get to the
 * next client only after the work of all of them.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { startTestServer } from "@kauke/server/http/test/test-server";
import { asCaller } from "@kauke/server/runtime/fair-queue/fair-queue";
import { openStore } from "@kauke/server/store/open-store";
import { isLongRun, rounds } from "@kauke/testkit/long-rounds";
import { makeDataDir, removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { attackTime, type Scene, startScene } from "./scenes/bystander.testing.ts";
import { expectServed, watchTimes } from "./scenes/bystander-times.testing.ts";
import { confirmMailboxOfScene } from "./scenes/confirm-mailbox.testing.ts";
import { requestFrom } from "./scenes/request-from.testing.ts";

const NETWORKS = rounds(80, 200);

afterAll(removeDataDirs);

/**
 * Clients in a thread of their own: `NETWORKS` connect and try a password, then one more, who requests `/healthz`. Says
 * `all` when every try was answered.
 */
const crowd = `
  const { connect } = require("node:net");
  const { parentPort, workerData: { port, networks } } = require("node:worker_threads");
  const open = (localAddress, text, done) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => socket.write(text));
    socket.on("error", () => {});
    socket.once("data", () => { socket.destroy(); done(); });
  };
  let answered = 0;
  for (let network = 0; network < networks; network++) {
    const body = JSON.stringify({ email: "nobody" + network + "@example.net", password: "wrong horse" });
    const head = "POST /api/auth/login HTTP/1.1\\r\\nHost: localhost:3000\\r\\nContent-Type: application/json\\r\\n";
    open("127.77." + network + ".1", head + "Content-Length: " + body.length + "\\r\\n\\r\\n" + body, () => {
      if (++answered === networks) parentPort.postMessage("all");
    });
  }
  open("127.99.9.9", "GET /healthz HTTP/1.1\\r\\nHost: localhost:3000\\r\\n\\r\\n", () => {});`;

test("wrong passwords from many networks at once: who connects after them is answered before the work of most is done", async () => {
  const store = await openStore({ databaseUrl: null, dataDir: await makeDataDir(), secretKey: null });
  // Each try is counted in the database before the password is looked at.
  const { rateLimits } = store;
  let counted = 0;
  let beforeHealth = -1;
  const counting = new Proxy(rateLimits, {
    get: (limits, name: keyof typeof rateLimits) => {
      const method = limits[name] as (...args: unknown[]) => Promise<unknown>;
      return async (...args: unknown[]) => {
        const result = await method(...args);
        counted += 1;
        return result;
      };
    },
  });
  const isReady = () => {
    beforeHealth = counted;
    return true;
  };
  const server = await startTestServer({
    store,
    rateLimits: counting,
    asCaller,
    isReady,
    config: { trustedProxies: [] },
  });
  await server.app.listen({ host: "127.0.0.1", port: 0, backlog: 4096 });
  const { port } = server.app.server.address() as { port: number };
  const clients = new Worker(crowd, { eval: true, workerData: { port, networks: NETWORKS } });
  await new Promise((resolve) => clients.once("message", resolve));
  await clients.terminate();
  await server.close();
  await store.close();
  expect(beforeHealth).toBeGreaterThanOrEqual(0);
  expect(beforeHealth).toBeLessThan(counted / 4);
  // Control: every try was counted, once or more.
  expect(counted).toBeGreaterThanOrEqual(NETWORKS);
});

describe.runIf(isLongRun)("wrong passwords from two hundred networks, and the public totals, all the time", () => {
  let scene: Scene;
  beforeAll(async () => {
    const names = ["login_ip", "login_known", "mail_alias", "mail_account", "mail_destination"];
    scene = await startScene({ env: { KAUKE_LIMITS: names.map((it) => `${it}=100000/3600`).join() } });
    await confirmMailboxOfScene(scene);
  });
  afterAll(() => scene[Symbol.asyncDispose]());

  let tries = 0;
  const tryPassword = (network: number) =>
    requestFrom(scene.server.httpPort, `127.77.${network}.1`, {
      method: "POST",
      path: "/api/auth/login",
      body: { email: `nobody${++tries}@example.net`, password: "wrong horse" },
    });

  test("delay neither mail nor pages nor sign-ins of known browsers", { timeout: 300_000 }, async () => {
    const { server, owner, alias } = scene;
    const watched = { server, owner, alias };
    const idle = await watchTimes(watched, () => sleep(5000));
    const goesOn = attackTime();
    const attack = async () => {
      while (goesOn()) {
        const totals = Array.from({ length: NETWORKS }, (_, network) =>
          requestFrom(server.httpPort, `127.88.${network}.1`, { path: "/api/stats" }),
        );
        await Promise.all([...Array.from({ length: NETWORKS }, (_, network) => tryPassword(network)), ...totals]);
      }
    };
    const seen = await watchTimes(watched, attack);
    expectServed("wrong passwords from two hundred networks", { idle, seen });
  });
});
