/**
 * Attacks that fill the web server with sockets, requests that never end and responses that nobody reads, over real
 * sockets.
 */
import type { AddressInfo } from "node:net";
import { SocketGuard, type SocketRules } from "@kauke/server/http/socket-guard";
import { startTestServer, Visitor } from "@kauke/server/http/test/test-server";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, describe, expect, test, vi } from "vitest";
import { ATTACK_MS, expectHarmless, startScene } from "./scenes/bystander.testing.ts";
import { Crowd, type CrowdOptions, crowdAddresses } from "./scenes/crowd.testing.ts";

afterAll(removeDataDirs);

const closers = closeAfterEach();

const small = { max: 40, maxPerNetwork: 20, maxPerBlock: 40, maxPerBlockWhenCrowded: 40 };
/** More bytes than the kernel buffers for a client that does not read. */
const large = Buffer.alloc(8 * 1024 * 1024, 0x20);

async function startHttp(rules: Partial<SocketRules> = {}, trustedProxies: string[] = []) {
  let letGo = () => {};
  let working = 0;
  const held = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  const gauges = new Map<string, () => number>();
  const server = await startTestServer({
    socketRules: { ...small, ...rules },
    metrics: { count() {}, gauge: (name, read) => void gauges.set(name, read) },
    config: { trustedProxies },
    extraRoutes: [
      (app) => {
        app.get("/api/working", () => {
          working++;
          return held.then(() => ({ status: "done" }));
        });
        app.get("/api/large", async (_, reply) => reply.send(large));
      },
    ],
  });
  await server.app.listen({ host: "127.0.0.1", port: 0 });
  const { port } = server.app.server.address() as AddressInfo;
  closers.push(
    () => server.close(),
    () => letGo(),
  );
  return { port, server, letGo, working: () => working, count: () => gauges.get("kauke_http_sockets")?.() };
}

async function gather(options: CrowdOptions): Promise<Crowd> {
  const crowd = await Crowd.gather(options);
  closers.push(() => crowd[Symbol.dispose]());
  return crowd;
}

const get = (path: string, more = "") => `GET ${path} HTTP/1.1\r\nhost: localhost:3000\r\n${more}\r\n`;
const hundred = "content-type: application/json\r\ncontent-length: 100\r\n";
const slowBody = `POST /api/auth/login HTTP/1.1\r\nhost: localhost:3000\r\n${hundred}\r\n{`;

/** Opens one more connection. @returns the status code of its response, `closed` if there is none */
async function ask(port: number, address = "127.90.0.1", text = get("/healthz")): Promise<string> {
  const crowd = await Crowd.gather({ port, addresses: [address], says: text });
  const [member] = crowd.members;
  await vi.waitFor(() => expect(member?.heard().includes("\r\n") || !member?.isOpen()).toBe(true), 5000);
  crowd[Symbol.dispose]();
  return /^HTTP\/1\.1 (\d+)/.exec(member?.heard() ?? "")?.[1] ?? "closed";
}

const answered = (crowd: Crowd, status: string) =>
  crowd.members.filter((it) => it.heard().startsWith(`HTTP/1.1 ${status}`));

describe("a whole server, while others send mail and watch its health", { timeout: 240_000 }, () => {
  const shapes: Record<string, string | undefined> = {
    "sockets that send nothing": undefined,
    "headers that never end": "GET / HTTP/1.1\r\nhost: x\r\nx-slow: ",
    "bodies that never end": slowBody,
    "clients that never read": get("/api/openapi.json").repeat(8),
    "packets with thousands of requests": get("/api/openapi.json").repeat(3000),
  };
  /** `npm test` makes all kinds of the attack at once, `npm run test:long` one after another. */
  const attacks = isLongRun ? Object.keys(shapes).map((it) => [it]) : [Object.keys(shapes)];

  test.each(attacks.map((names) => [names.join(", "), names] as const))("%s, from two /24", async (_, names) => {
    await using scene = await startScene();
    const attack = async () => {
      const gathered = names.map((name, at) => {
        const addresses = crowdAddresses(15, (n) => `127.${1 + (n % 2)}.0.${16 * at + n}`, 2400 / 15 / names.length);
        const says = shapes[name];
        return gather({ port: scene.server.httpPort, addresses, comesBack: true, ...(says && { says }) });
      });
      await Promise.all(gathered);
      await new Promise((resolve) => setTimeout(resolve, ATTACK_MS));
      for (const crowd of await Promise.all(gathered)) crowd[Symbol.dispose]();
    };
    const seen = await expectHarmless(scene, names.join(", "), attack());
    expect(seen.peakMib).toBeLessThan(600);
  });
});

test("of thousands of pipelined requests in one packet only a few are started, and no files are opened for the rest", async () => {
  const { port } = await startHttp();
  const packet = get("/").repeat(2400);
  let begun = 0;
  const guard = new SocketGuard({ hasShares: true, isTrustedProxy: () => false });
  const guarded = guard.createServer(() => void begun++);
  await new Promise<void>((resolve) => guarded.listen(0, "127.0.0.1", resolve));
  closers.push(() => guarded.close());
  const crowd = await gather({
    port: (guarded.address() as AddressInfo).port,
    addresses: ["127.1.0.1"],
    says: packet,
  });
  await vi.waitFor(() => expect(crowd.open).toEqual([]));
  expect(begun).toBe(8);
  // Requests after the eighth of a packet are not even parsed: that would cost 40 ms of the event loop for each 64 KiB.
  const before = process.threadCpuUsage();
  for (let sent = 0; sent < 20; sent++) {
    const next = await gather({
      port: (guarded.address() as AddressInfo).port,
      addresses: ["127.1.0.1"],
      says: packet,
    });
    await vi.waitFor(() => expect(next.open).toEqual([]), { interval: 2 });
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000 / 20).toBeLessThan(20);
  // Control: eight requests in one packet are served.
  const few = await gather({ port, addresses: ["127.1.0.1"], says: get("/healthz").repeat(8) });
  await vi.waitFor(() => expect(few.members[0]?.heard().match(/HTTP\/1\.1 200/g)).toHaveLength(8));
});

describe("a full web server", () => {
  test("control: while handlers work for every socket none is closed", async () => {
    const { port, letGo, working } = await startHttp();
    const addresses = crowdAddresses(40, (n) => `127.1.0.${n + 1}`);
    const crowd = await gather({ port, addresses, says: get("/api/working") });
    await vi.waitFor(() => expect(working()).toBe(40), 5000);
    expect(await ask(port)).toBe("closed");
    letGo();
    await vi.waitFor(() => expect(answered(crowd, "200")).toHaveLength(40));
  });

  const busyWays: readonly (readonly [what: string, says: string | undefined])[] = [
    ["keep their connection alive", get("/healthz")],
    ["never end their body", slowBody],
    ["never read their answer", get("/api/large")],
    ["send nothing", undefined],
    ["never end their headers", "GET / HTTP/1.1\r\nhost: x\r\nx-slow: "],
  ];

  test.each(busyWays.slice(0, isLongRun ? busyWays.length : 3))(
    "closes the sockets of the network with the most connections that %s, and spares networks with few",
    async (_what, says) => {
      const { port, count } = await startHttp({ slowAfterMs: 100 });
      const quiet = await gather({ port, addresses: ["127.2.0.1", "127.3.0.1"], says: get("/healthz") });
      const busy = await gather({
        port,
        addresses: crowdAddresses(38, (n) => `127.1.0.${1 + (n % 2)}`),
        ...(says && { says }),
      });
      for (const { socket } of busy.members) if (says === get("/api/large")) socket.pause();
      await vi.waitFor(() => expect(count()).toBe(40));
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (let came = 0; came < 5; came++) expect(await ask(port, `127.${20 + came}.0.1`)).toBe("200");
      expect(quiet.open).toHaveLength(2);
    },
  );

  test("gives an address at its own limit a new socket in place of its oldest idle one, so an office is not locked out", async () => {
    const { port, count } = await startHttp();
    const crowd = await gather({ port, addresses: crowdAddresses(20, () => "127.1.0.1"), says: get("/healthz") });
    await vi.waitFor(() => expect(answered(crowd, "200")).toHaveLength(20));
    expect(await ask(port, "127.1.0.1")).toBe("200");
    expect(crowd.open).toHaveLength(19);
    expect(count()).toBeLessThanOrEqual(20);
  });
});

test("headers and bodies that arrive byte by byte are cut off in time", async () => {
  const { port, count } = await startHttp({ headersWithinMs: 300, requestWithinMs: 600, checkedEveryMs: 100 });
  const headers = await gather({ port, addresses: ["127.1.0.1"], says: "GET / HTTP/1.1\r\nhost: x\r\nx-slow: " });
  const body = await gather({ port, addresses: ["127.1.0.1"], says: slowBody });
  const timer = setInterval(() => {
    for (const crowd of [headers, body]) crowd.sayAll("x");
  }, 50);
  closers.push(() => clearInterval(timer));
  await vi.waitFor(() => expect(count()).toBe(0), 5000);
  expect(answered(headers, "408")).toHaveLength(1);
});

test("the rest of a request that was refused before its end is cut off in time", async () => {
  const { port, count } = await startHttp({ requestWithinMs: 600, checkedEveryMs: 100 });
  const fields = "host: localhost:3000\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n";
  const refused = await gather({
    port,
    addresses: ["127.1.0.1"],
    says: `POST /api/email-jobs HTTP/1.1\r\n${fields}\r\n`,
  });
  await vi.waitFor(() => expect(answered(refused, "401")).toHaveLength(1));
  const timer = setInterval(() => refused.sayAll("1\r\nx\r\n"), 50);
  closers.push(() => clearInterval(timer));
  await vi.waitFor(() => expect(count()).toBe(0), 5000);
});

test("a request with too many header fields is refused, so that none of a proxy's is left out", async () => {
  const { port } = await startHttp({}, ["127.1.0.1"]);
  const fields = (count: number) => Array.from({ length: count }, (_, n) => `x${n}:\r\n`).join("");
  const proxied = (count: number) => get("/healthz", `${fields(count)}x-forwarded-for: 192.0.2.1\r\n`);
  expect(await ask(port, "127.1.0.1", proxied(150))).toBe("200");
  for (const count of [200, 1200, 1800]) expect(await ask(port, "127.1.0.1", proxied(count))).toBe("431");
});

describe("responses that nobody reads", () => {
  test("are cut off when no byte of them is read for a while", async () => {
    const { port, count } = await startHttp({ stalledMs: 300 });
    const crowd = await gather({ port, addresses: ["127.1.0.1"], says: get("/api/large") });
    for (const { socket } of crowd.members) socket.pause();
    await vi.waitFor(() => expect(count()).toBe(0), 5000);
    // A client is not disconnected for reading nothing while the server is still working on its request.
    const working = await gather({ port, addresses: ["127.1.0.1"], says: get("/api/working") });
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(working.open).toHaveLength(1);
  });

  test("may stay in memory up to a limit per network; beyond it the largest of the network with most are dropped first", async () => {
    const rules = { maxUnreadBytesPerNetwork: 3 * large.length, maxUnreadBytes: 8 * large.length, sweepMs: 100 };
    const { port, count } = await startHttp(rules);
    const readers = await gather({ port, addresses: crowdAddresses(10, () => "127.1.0.1"), says: get("/api/large") });
    const other = await gather({ port, addresses: ["127.2.0.1"], says: get("/api/large") });
    for (const { socket } of [...readers.members, ...other.members]) socket.pause();
    await vi.waitFor(() => expect(count()).toBeLessThanOrEqual(5), 5000);
    for (const { socket } of other.members) socket.resume();
    await vi.waitFor(() => expect(other.members[0]?.heardBytes()).toBeGreaterThan(large.length), 5000);
  });
});

describe("behind a trusted proxy", () => {
  const forwarded = (client: string, path = "/api/working") => get(path, `x-forwarded-for: ${client}\r\n`);

  test("the proxy's own address has no share of its own, its clients have one each, by /64 and /48, in any spelling", async () => {
    const shares = { maxPerNetwork: 3, maxPerBlock: 5, maxPerBlockWhenCrowded: 5, slowAfterMs: 60_000 };
    const { port, letGo } = await startHttp(shares, ["127.1.0.1"]);
    const at = (count: number, client: (n: number) => string) =>
      Promise.all(
        Array.from({ length: count }, (_, n) =>
          gather({ port, addresses: ["127.1.0.1"], says: forwarded(client(n)) }).then((crowd) => crowd.members[0]),
        ),
      );
    const isBusy = (members: Awaited<ReturnType<typeof at>>) =>
      members.filter((it) => it?.heard().startsWith("HTTP/1.1 429")).length;
    const one = await at(6, (n) => (n % 2 === 0 ? "2001:db8:1:1::7" : `"[2001:db8:1:1::${n}]:5012${n}"`));
    await vi.waitFor(() => expect(isBusy(one)).toBe(3));
    const same48 = await at(6, (n) => `2001:db8:1:${n + 2}::7`);
    await vi.waitFor(() => expect(isBusy(same48)).toBe(4));
    const others = await at(6, (n) => `[2001:db8:${n + 2}::7]:5012${n}`);
    expect(await ask(port, "127.1.0.1", forwarded("2001:db8:99::7", "/healthz"))).toBe("200");
    expect(isBusy(others)).toBe(0);
    letGo();
    await vi.waitFor(() =>
      expect(others.map((it) => it?.heard().slice(0, 12))).toEqual(others.map(() => "HTTP/1.1 200")),
    );
  });

  test("forwarding headers from any other address are ignored", async () => {
    const shares = { maxPerNetwork: 3, maxPerBlock: 5, maxPerBlockWhenCrowded: 5, slowAfterMs: 60_000 };
    const { port } = await startHttp(shares, ["127.1.0.1"]);
    const crowd = await gather({
      port,
      addresses: crowdAddresses(6, () => "127.5.0.1"),
      says: forwarded("2001:db8::7"),
    });
    await vi.waitFor(() => expect(crowd.open).toHaveLength(3));
  });
});

describe("large bodies that never end", () => {
  test("are limited to four at once per account, and twelve accounts do not keep others from sending theirs", async () => {
    const { port, server } = await startHttp({ max: 200, maxPerNetwork: 200, maxPerBlock: 200 });
    const accounts = await Promise.all(Array.from({ length: 13 }, () => new Visitor(server).register()));
    const large = (visitor: Visitor) => {
      const cookie = [...visitor.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const fields = `cookie: ${cookie}\r\ncontent-type: application/json\r\ncontent-length: 1000000\r\n`;
      return `POST /api/decrypt-manual HTTP/1.1\r\nhost: localhost:3000\r\n${fields}\r\n{`;
    };
    const [last, ...hostile] = accounts as [Visitor, ...Visitor[]];
    const crowds = await Promise.all(
      hostile
        .slice(0, 1)
        .map((it) => gather({ port, addresses: crowdAddresses(6, () => "127.1.0.1"), says: large(it) })),
    );
    await vi.waitFor(() => expect(crowds.flatMap((it) => answered(it, "429"))).toHaveLength(2));
    // Slow request bodies are evicted: a body that has not arrived after five seconds counts as slow.
    for (const it of hostile.slice(1))
      await gather({ port, addresses: crowdAddresses(4, () => "127.1.0.1"), says: large(it) });
    const asked = () => ask(port, "127.50.0.1", large(last).replace("1000000", "70000").concat(" ".repeat(69_999)));
    await vi.waitFor(async () => expect(await asked()).toBe("400"), { timeout: 15_000, interval: 500 });
  });
});
