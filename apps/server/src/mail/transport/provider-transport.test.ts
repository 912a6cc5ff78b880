import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { afterEach, beforeEach, describe, expect, it, test } from "vitest";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { bounds } from "../../limits/table.ts";
import { apiClient } from "../../platform/forward-email/api-client.ts";
import { emailSender } from "../../platform/forward-email/send-email.ts";
import { parseAllowList } from "./address-guard.ts";
import { guardedCall } from "./guarded-call.ts";
import { ongoingAttempt, outgoingMail } from "./outgoing-mail.testing.ts";
import { createProviderTransport } from "./provider-transport.ts";
import type { MailTransport, OutgoingMail } from "./transport.ts";

const idn = "xn--kauk-yva.example";
let fake: FakeForwardEmail;
let nowMs: number;
let transport: MailTransport;

const after = (ms: number) => new Date(nowMs + ms);
const pass = (seconds: number) => (nowMs += seconds * 1000);

/** What a restarted process has: no memory. */
function restart(): MailTransport {
  const noDns = { resolver: null as never, allow: parseAllowList(["127.0.0.1"]) };
  const api = apiClient(guardedCall(noDns), { url: new URL(fake.url), key: fake.key });
  const provider = emailSender(api, { now: () => nowMs });
  return createProviderTransport({ provider, domains: ["kauke.example", idn], clock: { now: () => after(0) } });
}

beforeEach(async () => {
  fake = await FakeForwardEmail.start();
  nowMs = Date.parse("2026-11-27T12:00:00Z");
  fake.store.now = () => nowMs;
  transport = restart();
});
afterEach(async () => {
  expect(fake.violations).toEqual([]);
  await transport.close();
  await fake.close();
});

const header = "Date: Fri, 27 Nov 2026 12:00:00 +0000\r\nFrom: shop@kauke.example\r\nTo: rasa@example.org\r\n";
const withText = (text: string) => ({ wire: () => [Buffer.from(text)], sizeBytes: Buffer.byteLength(text) });
const composed = (changes: Partial<OutgoingMail> = {}, id = "a1") =>
  outgoingMail({
    envelopeFrom: "shop@kauke.example",
    rcptTo: "rasa@example.org",
    ...withText(`${header}Message-ID: <${id}@kauke.example>\r\nSubject: hi\r\n\r\nhello\r\n..\r\n`),
    ...changes,
  });
const send = async (mail = composed()) => (await transport.send(mail, ongoingAttempt())).outcome;
const waiting = (seconds: number): DeliveryOutcome => ({
  kind: "deferred",
  failure: { code: "at_provider", enhancedStatus: "4.4.0" },
  uncounted: "handed_over",
  notBefore: after(seconds * 1000),
});
const calls = (method: string) => fake.calls.filter((call) => call.method === method).length;
const settled = (status: Parameters<FakeForwardEmail["setEmailStatus"]>[1], reply?: string) =>
  fake.setEmailStatus(
    fake.emails[0]?.id ?? "",
    status,
    reply ? [{ recipient: "rasa@example.org", responseCode: 550, response: reply, message: reply }] : [],
  );

describe("a message that the provider has taken", () => {
  it("went there as it is, for one recipient, and is asked for until it is sent", async () => {
    expect(await send()).toEqual(waiting(5));
    expect(fake.emails).toMatchObject([
      {
        envelope: { from: "shop@kauke.example", to: ["rasa@example.org"] },
        messageId: "a1@kauke.example",
        message: `${header}Message-ID: <a1@kauke.example>\r\nSubject: hi\r\n\r\nhello\r\n.\r\n`,
      },
    ]);
    for (const seconds of [15, 60, 300, 900, 3600, 3600]) {
      pass(seconds);
      expect(await send()).toEqual(waiting(seconds));
    }
    settled("sent");
    pass(3600);
    expect(await send()).toEqual({ kind: "taken" });
    expect(calls("POST")).toBe(1);
  });

  it.each([
    ["pending", waiting],
    ["deferred", waiting],
    ["sent", { kind: "taken" }],
    ["partially_sent", { kind: "taken" }],
    ["rejected", { kind: "refused", failure: { code: "provider_refused", enhancedStatus: "5.7.1" } }],
    ["bounced", { kind: "refused", failure: { code: "mailbox_unknown", enhancedStatus: "5.1.1" } }],
  ] as const)("and is %s there ends accordingly, in our words", async (status, expected) => {
    await send();
    pass(5);
    settled(status, status === "bounced" ? "550 5.1.1 rasa@example.org is unknown, see https://provider.example" : "");
    expect(await send()).toEqual(typeof expected === "function" ? expected(15) : expected);
  });

  it("is not sent again by another process, which asks for it first", async () => {
    await send();
    transport = restart();
    expect(await send(composed({ lastFailure: "at_provider" }))).toEqual(waiting(5));
    expect(calls("POST")).toBe(1);
  });

  it("is not sent again by a process that does not know of it, because the former one was killed", async () => {
    await send();
    transport = restart();
    expect(await send()).toEqual(waiting(5));
    expect([calls("POST"), fake.emails.length]).toEqual([2, 1]);
  });

  it("counts as sent when the provider lists it no more", async () => {
    await send();
    fake.store.emails.splice(0);
    pass(5);
    expect(await send()).toEqual(waiting(15));
    pass(15);
    expect(await send()).toEqual({ kind: "taken" });
  });
});

describe("a call whose response is lost", () => {
  const onPost = (fault: "lost" | "dropped") =>
    fake.faultFor(({ method }) => (method === "POST" ? { kind: fault } : null));

  it("is looked up at once, and not repeated when it was carried out", async () => {
    onPost("lost");
    expect(await send()).toEqual(waiting(5));
    fake.faultFor(() => null);
    pass(5);
    expect(await send()).toEqual(waiting(15));
    expect([calls("POST"), fake.emails.length]).toEqual([1, 1]);
  });

  it("is repeated a minute later when it was not, and counts as an attempt", async () => {
    onPost("dropped");
    const failure = { code: "provider_silent", enhancedStatus: "4.4.2" };
    expect(await send()).toEqual({ kind: "deferred", failure });
    fake.faultFor(() => null);
    pass(30);
    const again = () => send(composed({ lastFailure: "provider_silent" }));
    expect(await again()).toEqual({ kind: "deferred", failure, uncounted: "handed_over", notBefore: after(30_000) });
    expect(calls("POST")).toBe(1);
    pass(30);
    expect(await again()).toEqual(waiting(5));
    expect(fake.emails).toHaveLength(1);
  });

  it("is repeated without waiting for a day by which the clock was set back", async () => {
    onPost("dropped");
    await send();
    fake.faultFor(() => null);
    pass(-86_400);
    expect(await send(composed({ lastFailure: "provider_silent" }))).toEqual(waiting(5));
  });

  it("is not repeated when it was carried out late", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "late", ms: 400 } : null));
    expect(await send()).toMatchObject({ failure: { code: "provider_silent" } });
    await fake.settled();
    pass(60);
    expect(await send(composed({ lastFailure: "provider_silent" }))).toEqual(waiting(5));
    expect([calls("POST"), fake.emails.length]).toEqual([1, 1]);
  });

  it("is not repeated while the provider can't be asked", async () => {
    onPost("lost");
    await send();
    transport = restart();
    fake.faultFor(() => ({ kind: "status", status: 500 }));
    const again = await send(composed({ lastFailure: "provider_silent" }));
    expect(again).toMatchObject({ uncounted: "handed_over", notBefore: after(60_000) });
    expect(calls("POST")).toBe(1);
  });
});

describe("a provider that takes nothing now", () => {
  it.each([
    [401, "provider_closed"],
    [402, "provider_closed"],
    [403, "provider_closed"],
    [404, "provider_closed"],
    [500, "provider_silent"],
    [503, "provider_silent"],
  ])("with status %d defers the message", async (status, code) => {
    const body = { statusCode: status, error: "Error", message: "<b>rasa@example.org</b>" };
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "status", status, body } : null));
    const outcome = await send();
    expect(outcome).toMatchObject({ kind: "deferred", failure: { code } });
    expect(JSON.stringify(outcome)).not.toContain("rasa");
    fake.faultFor(() => null);
    pass(60);
    expect(await send()).toEqual(waiting(5));
  });

  it("because its limit is reached, is not called before the time it names; nothing counts as an attempt", async () => {
    fake.store.limits.createEmail = 1;
    fake.store.limitWindowMs = 1_200_000;
    await send();
    const busy = { code: "provider_busy", enhancedStatus: "4.7.1" };
    const outcome = { kind: "deferred", failure: busy, uncounted: "for_leave", notBefore: after(1_200_000) };
    expect(await send(composed({}, "a2"))).toEqual(outcome);
    expect(await send(composed({}, "a3"))).toEqual(outcome);
    expect(calls("POST")).toBe(2);
    pass(1200);
    expect(await send(composed({}, "a2"))).toEqual(waiting(5));
  });

  it("because it can't be reached, defers the message", async () => {
    await fake.close();
    const failure = { code: "provider_unreachable", enhancedStatus: "4.4.1" };
    expect(await send()).toEqual({ kind: "deferred", failure });
  });
});

describe("the last messages of the provider's daily limit", () => {
  const sendAs = async (party: string, id: string, changes: Partial<OutgoingMail> = { isComposed: true }) =>
    (await transport.send(composed(changes, id), ongoingAttempt({ party }))).outcome;
  const readings = () => fake.calls.filter(({ path }) => path === "/v1/emails/limit").length;
  const waits = (seconds: number): DeliveryOutcome => ({
    kind: "deferred",
    failure: { code: "provider_busy", enhancedStatus: "4.7.1" },
    uncounted: "for_leave",
    notBefore: after(seconds * 1000),
  });
  const sendMany = async (party: string, count: number) => {
    for (let number = 0; number < count; number += 1) await sendAs(party, `${party}${number}`);
    return fake.emails.length;
  };
  beforeEach(() => (fake.store.limits.createEmail = 40));

  it("are for the server's own mail: composed mail waits, also what is sent at the same moment", async () => {
    const parties = Array.from({ length: 40 }, (_, at) => `account${at}`);
    await Promise.all(parties.map((party) => sendAs(party, party)));
    expect(fake.emails).toHaveLength(30);
    expect(await sendAs("other", "late")).toEqual(waits(1200));
    for (let number = 0; number < 10; number += 1) expect(await sendAs("", `own${number}`, {})).toEqual(waiting(5));
    expect(fake.emails).toHaveLength(40);
    expect(await sendAs("", "own10", {})).toMatchObject({ failure: { code: "provider_busy" } });
    expect(readings()).toBe(1);
  });

  it("and before them, one account gets only half while others go on", async () => {
    expect(await sendMany("greedy", 40)).toBe(21);
    expect(await sendAs("greedy", "more")).toEqual(waits(1200));
    expect(await sendAs("other", "o1")).toEqual(waiting(5));
  });

  it("are free again a day later", async () => {
    await sendMany("greedy", 40);
    pass(86_400);
    expect(await sendAs("greedy", "again")).toEqual(waiting(5));
  });

  it("are found in at most one reading each 20 minutes, which also counts what others sent", async () => {
    await sendAs("a", "first");
    const [email] = fake.emails;
    if (email) fake.store.emails.push(...Array.from({ length: 29 }, (_, at) => ({ ...email, id: `x${at}` })));
    pass(1199);
    expect(await sendAs("a", "second")).toEqual(waiting(5));
    expect(readings()).toBe(1);
    pass(1);
    expect(await sendAs("a", "third")).toEqual(waits(1200));
    expect(readings()).toBe(2);
  });

  it("are not used up by messages that the provider refuses", async () => {
    fake.faultFor(({ method }) => (method === "POST" ? { kind: "status", status: 401 } : null));
    for (let number = 0; number < 40; number += 1)
      expect(await sendAs(`a${number}`, `r${number}`)).toMatchObject({ failure: { code: "provider_closed" } });
    fake.faultFor(() => null);
    expect(await sendAs("a", "again")).toEqual(waiting(5));
  });

  it.each([
    { kind: "status", status: 500 },
    { kind: "status", status: 429 },
    { kind: "type", contentType: "application/json", body: '{"count":"300","limit":300}' },
    { kind: "type", contentType: "application/json", body: '{"count":-1,"limit":300}' },
    { kind: "type", contentType: "application/json", body: '{"count":0,"limit":0}' },
    { kind: "type", contentType: "application/json", body: "null" },
  ] as const)("are not reserved after the reply %o, which is not asked for again at once", async (fault) => {
    fake.faultFor(({ path }) => (path === "/v1/emails/limit" ? fault : null));
    expect(await sendMany("greedy", 40)).toBe(40);
    expect(readings()).toBe(1);
  });

  it("do not make a message wait longer for the reading than its attempt may last", async () => {
    fake.faultFor(({ path }) => (path === "/v1/emails/limit" ? { kind: "slow", ms: 3000 } : null));
    const attempt = ongoingAttempt({ signal: AbortSignal.timeout(50) });
    const startedAt = performance.now();
    await transport.send(composed({ isComposed: true }), attempt);
    expect(performance.now() - startedAt).toBeLessThan(2000);
    expect(fake.emails).toEqual([]);
  });
});

describe("mail that only our own engine can send", () => {
  const stranger = `Date: Fri, 27 Nov 2026 12:00:00 +0000\r\nFrom: a@shop.example\r\nMessage-ID: <a1@shop.example>\r\n\r\n`;
  it.each([
    ["a forwarded copy", { isForwarded: true, ...withText(stranger) }],
    ["a forwarded copy with an author of ours", { isForwarded: true }],
    ["a forwarded copy that could not be handed over", { isForwarded: true, ...withText("Subject: hi\r\n\r\n") }],
    ["anything else with a foreign author", withText(stranger)],
  ])("%s waits, and the provider is not called", async (_, changes) => {
    expect(await send(composed(changes))).toEqual({
      kind: "deferred",
      failure: { code: "engine_needed", enhancedStatus: "4.3.5" },
      uncounted: "for_engine",
      notBefore: after(900_000),
    });
    expect(fake.calls).toEqual([]);
  });
});

describe("a message that the provider never takes", () => {
  const off = { code: "provider_refused", enhancedStatus: "4.7.1" } as const;

  it("is refused the second time, e.g. because the alias is switched off there", async () => {
    fake.putAlias("shop@kauke.example", { is_enabled: false });
    expect(await send()).toEqual({ kind: "deferred", failure: off });
    const failure = { code: "provider_refused", enhancedStatus: "5.7.1" };
    expect(await send(composed({ lastFailure: "provider_refused" }))).toEqual({ kind: "refused", failure });
  });

  it("is not lost when the alias is switched on there between the two tries", async () => {
    fake.putAlias("shop@kauke.example", { is_enabled: false });
    expect(await send()).toEqual({ kind: "deferred", failure: off });
    fake.putAlias("shop@kauke.example", { is_enabled: true });
    expect(await send(composed({ lastFailure: "provider_refused" }))).toEqual(waiting(5));
  });

  it("does not use up the readings of others: an account whose messages are refused again and again waits", async () => {
    fake.putAlias("shop@kauke.example", { is_enabled: false });
    let refused = 0;
    for (let number = 0; number < 200; number++) {
      const attempt = ongoingAttempt({ party: "greedy" });
      const { outcome } = await transport.send(composed({}, `r${number}`), attempt);
      if (outcome.kind === "deferred" && outcome.failure.code === "provider_refused") refused += 1;
      else expect(outcome).toMatchObject({ failure: { code: "provider_busy" }, uncounted: "for_leave" });
    }
    expect(refused).toBe(bounds.providerMail.refusals);
    expect(calls("POST")).toBe(refused);
    expect(calls("GET")).toBe(refused);
    const attempt = ongoingAttempt({ party: "other" });
    expect((await transport.send(composed(), attempt)).outcome).toEqual({ kind: "deferred", failure: off });
  });

  it.each([
    ["has other characters in its header", withText(`${header}Message-ID: <a1@k>\r\nX: ū\r\n\r\n`), "not_supported"],
    ["has a recipient that is not ASCII", { rcptTo: "rūta@example.org" }, "not_supported"],
    ["has two authors", withText(`${header}From: b@kauke.example\r\nMessage-ID: <a1@k>\r\n\r\n`), "refused_content"],
    ["has no Message-ID", withText(`${header}\r\n`), "refused_content"],
    ["is larger than 50 MB", withText(`${header}\r\n${"a".repeat(50 * 1024 * 1024)}`), "too_large"],
  ])("is not handed over when it %s", async (_, changes, code) => {
    expect(await send(composed(changes))).toMatchObject({ kind: "refused", failure: { code } });
    expect(fake.calls).toEqual([]);
  });
});

it("a domain with other letters sends by its ASCII name", async () => {
  fake.store.addDomain(idn, true);
  const text = `${header.replace("kauke.example", idn)}Message-ID: <a1@kauke.example>\r\n\r\nhello\r\n`;
  expect(await send(composed({ envelopeFrom: `shop@${idn}`, rcptTo: `rasa@${idn}`, ...withText(text) }))).toEqual(
    waiting(5),
  );
});

it("the field Bcc is left out, folded or not", async () => {
  const id = "Message-ID: <a1@kauke.example>\r\n";
  await send(
    composed(withText(`Bcc: a@x.example\r\n${header}Bcc: b@x.example,\r\n c@x.example\r\n${id}\r\nhello\r\n`)),
  );
  expect(fake.emails[0]?.message).toBe(`${header}${id}\r\nhello\r\n`);
});

it("a body in 8bit is encoded, since the provider's interface takes text", async () => {
  await send(composed(withText(`${header}Message-ID: <a1@kauke.example>\r\n\r\nAčiū\r\n`)));
  expect(fake.emails[0]?.message).toContain(
    "\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nA=C4=8Di=C5=AB\r\n",
  );
});

test("one reading tells what became of many messages", async () => {
  const ids = Array.from({ length: 30 }, (_, at) => `m${at}`);
  for (const id of ids) await send(composed({}, id));
  pass(5);
  await Promise.all(ids.map((id) => send(composed({}, id))));
  expect(calls("GET")).toBe(1);
});

test("readings are spared once fifty were made in a short time", async () => {
  await send();
  for (let asked = 0; asked < 60; asked += 1) {
    pass(6);
    await send();
  }
  expect(calls("GET")).toBe(50);
  settled("sent");
  pass(1800);
  expect(await send()).toEqual({ kind: "taken" });
});

describe("a hostile provider", () => {
  it.each([
    [{ kind: "type", contentType: "text/html", body: "<script>" }],
    [{ kind: "huge", bytes: 9_000_000 }],
    [{ kind: "redirect", to: "http://127.0.0.1:1/" }],
    [{ kind: "type", contentType: "application/json", body: "[null, 7, {}]" }],
  ] as const)("%o ends nothing", async (fault) => {
    fake.faultFor(({ method }) => (method === "POST" ? fault : null));
    expect(await send()).toMatchObject({ kind: "deferred", failure: { code: "provider_silent" } });
    fake.faultFor(() => null);
    pass(60);
    await send();
    fake.faultFor(() => fault);
    pass(5);
    expect(await send()).toMatchObject({ kind: "deferred", failure: { code: "at_provider" } });
    expect(fake.emails).toHaveLength(1);
  });
});
