import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx, type FakeMxOptions, ordinaryExtensions } from "@kauke/testkit/fakes/fake-mx";
import { logSpy } from "@kauke/testkit/log-spy";
import { describe, expect, it } from "vitest";
import { noteRelayFailures } from "./choose-transport.ts";
import { sendingBy } from "./outgoing-mail.testing.ts";
import { askServers, askSystem, createRelayTransport, probeRelay } from "./relay-transport.ts";

const mailHost = "mail.kauke.test";
const withLogin: FakeMxOptions = { extensions: [...ordinaryExtensions, "AUTH PLAIN"] };

async function probe(options: FakeMxOptions, login = "user:secret@") {
  await using mx = await FakeMx.start(options);
  const url = new URL(`smtp://${login}127.0.0.1:${mx.port}`);
  const state = await probeRelay({ url, mailHost, findAddresses: askSystem, from: "postmaster@kauke.test" });
  return { state, commands: mx.commands };
}

const answers = (wanted: string, reply: string): FakeMxOptions => ({
  ...withLogin,
  answer: ({ stage }) => (stage === wanted ? reply : undefined),
});

describe("probing whether the relay accepts our mail", () => {
  it("logs in, begins a transaction and resets it without naming a recipient", async () => {
    const { state, commands } = await probe(withLogin);
    expect(state).toEqual({ kind: "ready", replyCode: 250 });
    expect(commands.join()).not.toContain("RCPT");
    expect(commands.slice(0, 4).map((line) => line.split(" ", 2).join(" ").slice(0, 10))).toEqual([
      "EHLO mail.",
      "AUTH PLAIN",
      "MAIL FROM:",
      "RSET",
    ]);
  });

  it.each<[string, FakeMxOptions, object]>([
    ["a wrong password", answers("auth", "535 5.7.8 no"), { stage: "auth", code: "login_failed", replyCode: 535 }],
    ["no AUTH at all", {}, { stage: "auth", code: "login_failed", replyCode: null }],
    ["a sender it refuses", answers("mail", "550 5.7.1 no"), { stage: "mail", replyCode: 550 }],
    ["a closed door", answers("greeting", "554 no"), { stage: "greeting", code: "try_later", replyCode: 554 }],
  ])("%s is reported with the reply code", async (_, options, expected) => {
    expect((await probe(options)).state).toMatchObject({ kind: "failed", ...expected });
  });

  it("a closed port and an unknown host name are reported without a reply code", async () => {
    const mx = await FakeMx.start();
    await mx.close();
    const url = new URL(`smtp://127.0.0.1:${mx.port}`);
    const common = { mailHost, from: "postmaster@kauke.test" };
    const failed = { kind: "failed", stage: "connect", code: "unreachable", replyCode: null };
    expect(await probeRelay({ url, findAddresses: askSystem, ...common })).toEqual(failed);
    const findAddresses = askServers(createFakeDns({ "broken.example": { fails: true } }));
    const named = (host: string) => probeRelay({ url: new URL(`smtp://${host}:25`), findAddresses, ...common });
    expect(await named("nowhere.example")).toEqual(failed);
    expect(await named("broken.example")).toEqual({ ...failed, code: "dns_failed" });
  });
});

describe("a relay given by host name", () => {
  it("is looked up at the configured name servers, and reached at its second address when the first is down", async () => {
    await using mx = await FakeMx.start();
    const dns = createFakeDns({ "relay.example": { a: ["127.0.0.9", "127.0.0.1"] } });
    const url = new URL(`smtp://relay.example:${mx.port}`);
    const transport = createRelayTransport({ url, mailHost, findAddresses: askServers(dns) });
    expect(await sendingBy(transport).send()).toEqual({ kind: "taken" });
    expect(dns.questions).toEqual(["A relay.example", "AAAA relay.example"]);
    await transport.close();
  });

  it("that refuses the login is counted each time, and logged once a minute with only the reply code", async () => {
    await using mx = await FakeMx.start(answers("auth", "535 5.7.8 user is wrong"));
    const logger = logSpy();
    const counted: object[] = [];
    const metrics = { count: (name: string, labels?: object) => void counted.push({ name, ...labels }) };
    let now = 0;
    const onOpenFailed = noteRelayFailures({ metrics, logger, now: () => now });
    const url = new URL(`smtp://user:secret@127.0.0.1:${mx.port}`);
    const transport = createRelayTransport({ url, mailHost, backOffMs: 0, onOpenFailed });
    const refused = { kind: "deferred", failure: { code: "login_failed" } };
    for (const at of [0, 30_000, 60_000]) {
      now = at;
      expect(await sendingBy(transport).send()).toMatchObject(refused);
    }
    expect(counted).toEqual(Array(3).fill({ name: "kauke_next_hop_failures_total", code: "login_failed" }));
    const event = { level: "warn", event: "relay_refused", fields: { code: "login_failed", status: 535 } };
    expect(logger.events).toEqual([event, event]);
    await transport.close();
  });
});
