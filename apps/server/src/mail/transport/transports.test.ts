import { stuff } from "@kauke/mail-rfc";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { createFakeDns } from "@kauke/testkit/fakes/fake-dns";
import { FakeMx, type FakeMxOptions, ordinaryExtensions } from "@kauke/testkit/fakes/fake-mx";
import { FakeWebhook } from "@kauke/testkit/fakes/fake-webhook";
import { logSpy } from "@kauke/testkit/log-spy";
import { testCertificate, testKey } from "@kauke/testkit/test-certificate";
import { describe, expect, test } from "vitest";
import { PreviewInbox } from "../../core/preview/preview-inbox.ts";
import type { DeliveryMode } from "../../settings/config.ts";
import { parseAllowList } from "./address-guard.ts";
import { chooseTransports } from "./choose-transport.ts";
import { createDirectTransport, type DirectTransportOptions } from "./direct-transport.ts";
import { outgoingMail, postingBy, sendingBy } from "./outgoing-mail.testing.ts";
import { createRelayTransport, relayPeer } from "./relay-transport.ts";

const open = closeAfterEach();

async function fakeMx(options: FakeMxOptions = {}): Promise<FakeMx> {
  const mx = await FakeMx.start(options);
  open.push(() => mx.close());
  return mx;
}

const body = "Subject: hi\r\n\r\n.hello\r\n..\r\n";
const mail = (rcptTo = "b@to.example") => {
  const wire = stuff(Buffer.from(body));
  return outgoingMail({ rcptTo, wire: () => [wire.subarray(0, 9), wire.subarray(9)], sizeBytes: wire.length });
};
const mailHost = "mail.kauke.test";
const inbox = () => new PreviewInbox({ now: () => new Date() });

describe("direct", () => {
  const zone = {
    "to.example": {
      mx: [
        [1, "one.example"],
        [2, "two.example"],
      ] as const,
    },
    "one.example": { a: ["127.0.0.2"] },
    "two.example": { a: ["127.0.0.1"] },
  };

  function direct(port: number, changes: Partial<DirectTransportOptions> = {}) {
    const transport = createDirectTransport({
      resolver: createFakeDns(zone),
      allow: parseAllowList(["127.0.0.0/8"]),
      port,
      mailHost,
      ...changes,
    });
    open.push(() => transport.close());
    return sendingBy(transport);
  }

  /** Two mail hosts on one port; the one at 127.0.0.2 is preferred. */
  async function twoHosts(first: FakeMxOptions, second: FakeMxOptions = {}) {
    const two = await fakeMx(second);
    const one = await fakeMx({ ...first, host: "127.0.0.2", port: two.port });
    return { one, two, transport: direct(two.port) };
  }

  test("delivers to the most preferred host", async () => {
    const { one, two, transport } = await twoHosts({});
    expect(await transport.send(mail())).toEqual({ kind: "taken" });
    expect([one.messages.length, two.messages.length]).toEqual([1, 0]);
    expect(one.messages[0]?.bytes.toString()).toBe(body);
  });

  test.each([
    ["refuses everybody at the greeting", { answer: ({ stage }) => (stage === "greeting" ? "554 no" : undefined) }],
    ["is full for now", { answer: ({ stage }) => (stage === "rcpt" ? "452 4.3.1 full" : undefined) }],
    ["hangs up on the envelope", { answer: ({ stage }) => (stage === "mail" ? { drop: true } : undefined) }],
    ["defers after the body", { answer: ({ stage }) => (stage === "body" ? "451 4.3.0 no" : undefined) }],
  ] satisfies [string, FakeMxOptions][])("goes to the next when the first %s", async (_, first) => {
    const { two, transport } = await twoHosts(first);
    expect(await transport.send(mail())).toEqual({ kind: "taken" });
    expect(two.messages).toHaveLength(1);
  });

  test("tries the next host when the first is down", async () => {
    const two = await fakeMx();
    expect(await direct(two.port).send(mail())).toEqual({ kind: "taken" });
  });

  test("tries no other host after a refusal, or when the first may have the message", async () => {
    const refusing = await twoHosts({ answer: ({ stage }) => (stage === "rcpt" ? "550 5.1.1 no" : undefined) });
    expect(await refusing.transport.send(mail())).toMatchObject({
      kind: "refused",
      failure: { code: "mailbox_unknown" },
    });
    const unsure = await twoHosts({ answer: ({ stage }) => (stage === "body" ? { drop: true } : undefined) });
    expect(await unsure.transport.send(mail())).toMatchObject({
      kind: "deferred",
      failure: { code: "connection_lost" },
    });
    expect([refusing.two.connections, unsure.two.connections]).toEqual([0, 0]);
  });

  test("reports the failure of the most preferred host when all fail", async () => {
    const answer: FakeMxOptions["answer"] = ({ stage }) => (stage === "rcpt" ? "452 4.2.2 full" : undefined);
    const { transport } = await twoHosts(
      { answer },
      { answer: ({ stage }) => (stage === "greeting" ? "421 no" : undefined) },
    );
    expect(await transport.send(mail())).toMatchObject({ kind: "deferred", failure: { code: "mailbox_full" } });
  });

  test("makes no connection to a host with an internal address", async () => {
    const mx = await fakeMx();
    const transport = direct(mx.port, { allow: parseAllowList([]) });
    expect(await transport.send(mail())).toMatchObject({ kind: "refused", failure: { code: "address_not_allowed" } });
    expect(mx.connections).toBe(0);
  });
});

describe("relay", () => {
  const relay = (url: string, extra = {}) => {
    const transport = createRelayTransport({ url: new URL(url), mailHost, ...extra });
    open.push(() => transport.close());
    return sendingBy(transport);
  };

  test("all mail goes to the one host, over few connections", async () => {
    const mx = await fakeMx();
    const transport = relay(`smtp://127.0.0.1:${mx.port}`);
    for (const to of ["a@x.example", "b@y.example", "c@z.example"])
      expect(await transport.send(mail(to))).toEqual({ kind: "taken" });
    expect(mx.messages.map((it) => it.rcptTo[0])).toEqual(["a@x.example", "b@y.example", "c@z.example"]);
    expect(mx.connections).toBe(1);
  });

  test("smtps with a login delivers over TLS", async () => {
    const mx = await fakeMx({
      tls: { key: testKey, cert: testCertificate },
      implicitTls: true,
      extensions: [...ordinaryExtensions, "AUTH PLAIN"],
    });
    expect(await relay(`smtps://user:p%40ss@localhost:${mx.port}`).send(mail())).toEqual({ kind: "taken" });
    expect(mx.commands).toContain(`AUTH PLAIN ${Buffer.from("\0user\0p@ss").toString("base64")}`);
    expect(mx.messages[0]?.isSecure).toBe(true);
  });

  test.each<[string, object]>([
    ["smtp://relay.example", { port: 25, tls: "opportunistic", isVerified: false, login: null }],
    ["smtp://relay.example:2525", { port: 2525, tls: "opportunistic" }],
    ["smtp://u:p@relay.example", { port: 587, tls: "starttls", isVerified: true, login: { user: "u", password: "p" } }],
    ["smtp://u%40x:p%3A@relay.example:25", { port: 25, tls: "starttls", login: { user: "u@x", password: "p:" } }],
    ["smtps://relay.example", { port: 465, tls: "implicit", isVerified: true }],
    ["smtps://u:p@127.0.0.1:1", { port: 1, tls: "implicit", isVerified: false }],
    ["smtp://u:p@localhost:1", { tls: "opportunistic", isVerified: false }],
    ["smtp://u:p@[::1]:1", { host: "::1", tls: "opportunistic" }],
    ["smtp://u:p@127.0.0.1.example.org:1", { tls: "starttls", isVerified: true }],
  ])("the relay URL %s", (url, expected) => {
    expect(relayPeer(new URL(url))).toMatchObject(expected);
  });

  test("other URL schemes are rejected", () => {
    for (const url of ["http://relay.example", "smtp:relay", "smtp://u%ZZ:p@relay.example"])
      expect(() => relayPeer(new URL(url))).toThrow("invalid");
  });
});

describe("choosing transports by configuration", () => {
  const choose = (delivery: DeliveryMode, preview: PreviewInbox | null, webhookAllow: string[] = []) => {
    const clock = { now: () => new Date() };
    const resolver = createFakeDns();
    const metrics = { count: () => {} };
    const parts = { preview, clock, resolver, metrics, logger: logSpy(), sendByProvider: null };
    const transports = chooseTransports({ delivery, domains: [], mailHost, webhookAllow, dnsServers: null }, parts);
    open.push(() => transports.close());
    return { mail: sendingBy(transports.mail), webhook: postingBy(transports.webhook) };
  };

  test("preview stores the message as its recipient would have got it", async () => {
    const preview = inbox();
    expect(await choose({ kind: "preview" }, preview).mail.send(mail())).toEqual({ kind: "taken" });
    const [summary] = await preview.list();
    expect(summary).toMatchObject({ envelopeFrom: "a@from.example", rcptTo: "b@to.example", subject: "hi" });
    expect(preview.raw(summary?.id ?? "")?.toString()).toBe(body);
  });

  test.each([
    { kind: "preview" },
    { kind: "direct" },
    { kind: "relay", url: new URL("smtp://127.0.0.1:9") },
  ] satisfies DeliveryMode[])("$kind does not send again what a provider has", async (delivery) => {
    const preview = inbox();
    const handedOver = { ...mail(), lastFailure: "at_provider" } as const;
    expect(await choose(delivery, preview).mail.send(handedOver)).toEqual({ kind: "taken" });
    expect(await preview.list()).toEqual([]);
  });

  test("relay and direct do not use the preview inbox", async () => {
    const mx = await fakeMx();
    const preview = inbox();
    await choose({ kind: "relay", url: new URL(`smtp://127.0.0.1:${mx.port}`) }, preview).mail.send(mail());
    expect(mx.messages).toHaveLength(1);
    expect(await choose({ kind: "direct" }, preview).mail.send(mail())).toMatchObject({
      failure: { code: "no_mail_host" },
    });
    expect(await preview.list()).toEqual([]);
  });

  test("webhooks are called in preview mode too, through the address guard", async () => {
    await using hook = await FakeWebhook.start();
    const call = { url: hook.url, id: "1", secret: Buffer.alloc(32), body: Buffer.from("{}") };
    const guarded = await choose({ kind: "preview" }, inbox()).webhook.post(call);
    expect(guarded).toMatchObject({ kind: "refused", failure: { code: "address_not_allowed" } });
    const allowed = choose({ kind: "preview" }, inbox(), [`127.0.0.1:${hook.port}`]);
    expect(await allowed.webhook.post(call)).toEqual({ kind: "taken" });
    expect(hook.requests).toHaveLength(1);
  });
});
