/** Every state that can go wrong has a sentence and a next step. */
import { type AddressInfo, createServer, type Server } from "node:net";
import { createFakeDns, type FakeDnsZone } from "@kauke/testkit/fakes/fake-dns";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LookDeps, lookAround, type Wanted } from "./look.ts";

let mailHost: Server;
let greeting = "220 mx.elsewhere.test\r\n";
beforeAll(async () => {
  mailHost = createServer((socket) => void socket.on("error", () => {}).write(greeting));
  await new Promise<void>((done) => mailHost.listen(0, "127.0.0.1", done));
});
afterAll(() => void mailHost.close());

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const time = new Date("2026-11-27T12:00:00Z");

const goodZone: FakeDnsZone = {
  "1.2.0.192.in-addr.arpa": { ptr: ["mail.kauke.example"] },
  "elsewhere.test": { mx: [[10, "127.0.0.1"]] },
  "kauke.example": { a: ["192.0.2.1"] },
};

interface Change {
  zone?: FakeDnsZone;
  wanted?: Partial<Wanted>;
  deps?: Partial<LookDeps>;
}

/** What is not as it should be: state, check and sentence. */
async function troubles({ zone, wanted, deps }: Change = {}): Promise<string[]> {
  const results = await lookAround(
    {
      domain: "kauke.example",
      mailbox: "you@elsewhere.test",
      mailHost: "mail.kauke.example",
      mailHosts: ["mail.kauke.example"],
      isDirect: true,
      addresses: ["192.0.2.1"],
      host: "127.0.0.1",
      ports: { mx: 0 },
      ...wanted,
    },
    {
      resolver: createFakeDns({ ...goodZone, ...zone }),
      isRunning: false,
      takeOver: false,
      checkBlockLists: true,
      greetedBy: [],
      smtpPort: portOf(mailHost),
      issuerTime: async () => time,
      now: () => time,
      ...deps,
    },
  );
  return results.filter(({ state }) => state !== "ok").map(({ state, check, says }) => `${state} ${check}: ${says}`);
}

describe("what setup finds on a machine", () => {
  it("is nothing to complain about when everything is in order", async () => {
    expect(await troubles()).toEqual([]);
  });

  it("no public address: names the option", async () => {
    const [first] = await troubles({ wanted: { addresses: [] } });
    expect(first).toBe(
      "fix address: It has no public address of its own: name the one that leads here, with --address.",
    );
  });

  it.each<[string, FakeDnsZone, RegExp]>([
    [
      "another reverse name",
      { "1.2.0.192.in-addr.arpa": { ptr: ["vps7.host.test"] } },
      /^warn reverse-name: .*vps7\.host\.test: set it to mail/,
    ],
    ["no reverse name", { "1.2.0.192.in-addr.arpa": {} }, /^warn reverse-name: It has no reverse name: set it to mail/],
    ["a failing DNS", { "1.2.0.192.in-addr.arpa": { fails: true } }, /^warn reverse-name: .*run this again/],
    [
      "mail that goes elsewhere",
      { "kauke.example": { mx: [[10, "mx.other.test"]] } },
      /^fix mx: .*mx\.other\.test today.*--take-over/,
    ],
    [
      "a block list",
      { "1.2.0.192.zen.spamhaus.org": { a: ["127.0.0.2"] } },
      /^warn block-list: It is on zen\.spamhaus\.org/,
    ],
    ["no mail host to try", { "elsewhere.test": {} }, /^warn port: No mail host is known/],
  ])("%s", async (_, zone, says) => {
    const found = await troubles({ zone });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(says);
  });

  it("a block list that does not talk to this resolver lists nothing", async () => {
    expect(await troubles({ zone: { "1.2.0.192.zen.spamhaus.org": { a: ["127.255.255.254"] } } })).toEqual([]);
  });

  it("mail that goes elsewhere is only mentioned with --take-over", async () => {
    const zone = { "kauke.example": { mx: [[10, "mx.other.test"]] as [number, string][] } };
    const [first] = await troubles({ zone, deps: { takeOver: true } });
    expect(first).toBe("warn mx: Its mail goes to mx.other.test today, and would come here instead.");
  });

  it("a port that another program has, unless it is our own server", async () => {
    const wanted = { ports: { mx: portOf(mailHost) } };
    expect(await troubles({ wanted })).toEqual([
      "fix port: Another program listens there: stop it (`ss -ltnp` names it).",
    ]);
    expect(await troubles({ wanted, deps: { isRunning: true } })).toEqual([]);
  });

  it("a blocked way out, and a host that does not greet", async () => {
    const closed = await new Promise<number>((done) => {
      const server = createServer().listen(0, "127.0.0.1", () => {
        const port = portOf(server);
        server.close(() => done(port));
      });
    });
    expect((await troubles({ deps: { smtpPort: closed } }))[0]).toMatch(
      /^fix port: 127\.0\.0\.1 did not greet us: .*\(--forwarding forward-email\)/,
    );
    greeting = "554 go away\r\n";
    expect((await troubles())[0]).toMatch(/^fix port: 127\.0\.0\.1 did not greet us/);
    greeting = "220 mx.elsewhere.test\r\n";
  });

  it.each([
    [-10, "fix clock: It is 10 minutes ahead: set it, and keep it synchronised (NTP)."],
    [1440, "fix clock: It is 1440 minutes behind: set it, and keep it synchronised (NTP)."],
  ])("a clock that is wrong by %i minutes", async (minutes, says) => {
    const theirs = new Date(time.getTime() + minutes * 60_000);
    expect(await troubles({ deps: { issuerTime: async () => theirs } })).toEqual([says]);
    expect(await troubles({ deps: { issuerTime: async () => null } })).toEqual([
      "warn clock: The certificate issuer did not answer, so the clock was not compared.",
    ]);
  });

  it("with a provider, port 25 and this machine's names do not matter, and its hosts may have the mail", async () => {
    const zone = { "1.2.0.192.in-addr.arpa": {}, "elsewhere.test": {} };
    const wanted = { isDirect: false, mailHosts: ["mx1.provider.test", "mail.kauke.example"] };
    expect(await troubles({ zone, wanted })).toEqual([]);
    const mx = (host: string) => ({ ...zone, "kauke.example": { mx: [[10, host]] as [number, string][] } });
    expect(await troubles({ zone: mx("MX1.provider.test."), wanted })).toEqual([]);
    expect(await troubles({ zone: mx("mx.other.test"), wanted })).toEqual([
      "fix mx: Its mail goes to mx.other.test today, and would go to the provider instead: use another domain, or add --take-over.",
    ]);
    expect(await troubles({ zone: mx("mx.other.test"), wanted: { ...wanted, mailHosts: null } })).toEqual([]);
  });
});
