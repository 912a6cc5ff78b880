/**
 * Composed mail from the API request to its recipient, over real sockets: undo, retries, failures, schedule, restart.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AliasWire, CreatedEmailJob, EmailJobStatusWire } from "@kauke/contract";
import { setUpForwarding } from "@kauke/testkit/forwarding-system";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { relayTo, startSystem } from "@kauke/testkit/system";
import { beforeEach, describe, expect, test, vi } from "vitest";

const settings = { KAUKE_RETRY_SCHEDULE: "1s,1s,1s,1s,1s", KAUKE_UNDO_SECONDS: "1" };
const { mx, system } = await setUpForwarding({ env: settings });
let person: Person;
let alias: AliasWire;

beforeEach(async () => {
  mx.reset();
  person = await registerPerson(system.url);
  alias = await sendingAlias(person);
});

async function sendingAlias(owner: Person, forwardTo = "jonas@inbox.example"): Promise<AliasWire> {
  const made = await owner.createAlias({ forwardTo });
  await owner.createSmtpCredential(made.id);
  return made;
}

const draft = { to: "rasa@people.example", subject: "Sutartis, antras variantas", body: "Labas, Rasa\n.\nJonas" };
const post = (change: Record<string, unknown> = {}, who = person) =>
  who.call("POST", "/api/email-jobs", {
    ...draft,
    fromAliasId: alias.id,
    priority: 0,
    useEncryption: false,
    ...change,
  });
const addressOf = (it: AliasWire) => `${it.alias}@${it.domain}`;

async function compose(change: Record<string, unknown> = {}): Promise<string> {
  const { status, body } = await post(change);
  expect(status, JSON.stringify(body)).toBe(201);
  expect(body).toMatchObject({ canUndo: true });
  return (body as CreatedEmailJob).jobId;
}

async function statusOf(jobId: string, who = person): Promise<EmailJobStatusWire> {
  const { status, body } = await who.call("GET", `/api/email-jobs/${jobId}/status`);
  expect(status).toBe(200);
  return body as EmailJobStatusWire;
}

const waitFor = (jobId: string, status: string, who = person) =>
  vi.waitFor(async () => expect(await statusOf(jobId, who)).toMatchObject({ status }), {
    timeout: 15_000,
    interval: 50,
  });
const cancel = (jobId: string) => person.call("POST", `/api/email-jobs/${jobId}/cancel`);

describe("composed mail", () => {
  test("arrives from the alias, as typed, without a trace of its owner", async () => {
    const jobId = await compose();
    expect(await statusOf(jobId)).toMatchObject({ success: true, status: "pending", currentRetries: 0, maxRetries: 3 });
    await mx.waitForMessages(1);
    await waitFor(jobId, "sent");
    const [mail] = mx.messages;
    expect(mail).toMatchObject({ envelopeFrom: addressOf(alias), rcptTo: ["rasa@people.example"] });
    const text = mail?.bytes.toString() ?? "";
    const { messageId } = await statusOf(jobId);
    expect(text).toContain(`\r\nFrom: ${addressOf(alias)}\r\n`);
    expect(text).toContain(`\r\nMessage-ID: ${messageId}\r\n`);
    expect(text).toMatch(/^Date: \w{3}, \d{1,2} \w{3} \d{4} \d\d:\d\d:\d\d \+0000\r$/m);
    expect(text.endsWith("\r\n\r\nLabas, Rasa\r\n.\r\nJonas\r\n")).toBe(true);
    expect(messageId).toMatch(/^<[a-z2-7]{26}@kauke\.test>$/);
    for (const fact of [
      "jonas@",
      "inbox.example",
      person.email,
      person.user.id,
      "127.0.0.1",
      "Received:",
      "X-Mailer",
      "User-Agent",
    ])
      expect(text.includes(fact)).toBe(false);
  });

  test("never arrives if undone in time", async () => {
    const jobId = await compose();
    expect(await cancel(jobId)).toMatchObject({ status: 200, body: { success: true } });
    expect(await statusOf(jobId)).toMatchObject({ status: "cancelled" });
    const later = await compose({ subject: "later" });
    await waitFor(later, "sent");
    expect(mx.messages.map((mail) => /Subject: (.*)\r/.exec(mail.bytes.toString())?.[1])).toEqual(["later"]);
    expect((await cancel(jobId)).status).toBe(200);
  });

  test("is remembered by its recipients' addresses once it has left, and not if it was undone", async () => {
    const people = async () => {
      const { contacts } = (await person.call("GET", "/api/people")).body as { contacts: { address: string }[] };
      return contacts.map(({ address }) => address).toSorted();
    };
    const undone = await compose({ to: "undone@people.example" });
    await cancel(undone);
    const jobId = await compose({ bcc: ["ruta@people.example"] });
    expect(await people()).toEqual([]);
    await waitFor(jobId, "sent");
    await vi.waitFor(async () => expect(await people()).toEqual(["rasa@people.example", "ruta@people.example"]));
  });

  test("can't be undone too late, and the response says so", async () => {
    const jobId = await compose();
    await waitFor(jobId, "sent");
    const { status, body } = await cancel(jobId);
    expect(status).toBe(409);
    expect(body).toMatchObject({ message: "The email may have already been sent." });
    expect(mx.messages).toHaveLength(1);
  });

  test("undone at the moment of sending: cancelled means that nothing arrived", async () => {
    const jobs = await Promise.all(Array.from({ length: 40 }, (_, index) => compose({ subject: `race ${index}` })));
    await new Promise((done) => setTimeout(done, 850));
    const cancelled = new Set<string>();
    for (const jobId of jobs) {
      if ((await cancel(jobId)).status === 200) cancelled.add(jobId);
      await new Promise((done) => setTimeout(done, 8));
    }
    for (const jobId of jobs) await waitFor(jobId, cancelled.has(jobId) ? "cancelled" : "sent");
    const arrived = mx.messages.map((mail) => /Message-ID: (.*)\r/.exec(mail.bytes.toString())?.[1]).sort();
    const sent = await Promise.all(
      jobs.filter((it) => !cancelled.has(it)).map(async (it) => (await statusOf(it)).messageId),
    );
    expect(arrived).toEqual(sent.sort());
  });

  test("is tried again with the same Message-ID if the recipient's host is not ready", async () => {
    let asked = 0;
    mx.options = { answer: ({ stage }) => (stage === "rcpt" && asked++ === 0 ? "452 4.2.2 rasa is full" : undefined) };
    const jobId = await compose();
    const { messageId } = await statusOf(jobId);
    await vi.waitFor(async () => expect((await statusOf(jobId)).currentRetries).toBe(1), { timeout: 5000 });
    const { status, lastError } = await statusOf(jobId);
    if (status !== "sent") expect(lastError).toBe("The recipient's address did not take it: the mailbox is full.");
    await waitFor(jobId, "sent");
    expect(mx.messages[0]?.bytes.toString()).toContain(`Message-ID: ${messageId}\r\n`);
    expect(await statusOf(jobId)).toMatchObject({ currentRetries: 1, lastError: null });
  });

  test("fails at once if refused, in our own words", async () => {
    mx.options = { answer: ({ stage }) => (stage === "rcpt" ? "550 5.1.1 rasa@people.example who" : undefined) };
    const jobId = await compose();
    await waitFor(jobId, "failed");
    expect(await statusOf(jobId)).toMatchObject({
      currentRetries: 0,
      lastError: "The recipient's address did not take it: there is no such mailbox.",
    });
    const [notice] = await person.notices();
    expect(notice?.text).toBe(
      `Your mail from ${addressOf(alias)} could not be delivered to rasa@people.example: there is no such mailbox.`,
    );
  });

  test("fails after three retries if the recipient's host is never ready", async () => {
    let asked = 0;
    mx.options = { answer: ({ stage }) => (stage === "rcpt" ? `45${asked++ % 3} 4.2.0 later` : undefined) };
    const jobId = await compose();
    await waitFor(jobId, "failed");
    expect(await statusOf(jobId)).toMatchObject({ currentRetries: 3, maxRetries: 3 });
    expect(asked).toBe(4);
    expect(await system.server.store.deliveries.count()).toBe(0);
  });

  test("goes to every recipient by a delivery of its own, and to the hidden ones without a trace", async () => {
    mx.options = {
      answer: ({ stage, line }) => (stage === "rcpt" && /ruta@/.test(line) ? "550 5.1.1 who" : undefined),
    };
    const lists = {
      to: ["rasa@people.example", "jonas@people.example"],
      cc: ["ruta@people.example", "RASA@people.example"],
      bcc: ["hidden.one@people.example", "hidden.two@people.example"],
    };
    const jobId = await compose(lists);
    const all = [...lists.to, "ruta@people.example", ...lists.bcc];
    const waiting = (await person.call("GET", "/api/email-jobs")).body as { jobs: Record<string, unknown>[] };
    expect(waiting.jobs[0]).toMatchObject({ jobId, to: all[0] });
    expect(waiting.jobs[0]?.recipients).toMatchObject(all.map((address) => ({ address, state: "pending" })));
    await waitFor(jobId, "sent");
    expect(mx.messages.map((mail) => mail.rcptTo).toSorted()).toEqual(
      [[all[0]], [all[1]], [all[3]], [all[4]]].toSorted(),
    );
    const texts = new Set(mx.messages.map((mail) => mail.bytes.toString()));
    for (const text of texts) {
      expect(text).toContain("\r\nTo: rasa@people.example, jonas@people.example\r\nCc: ruta@people.example\r\n");
      expect(text).not.toMatch(/hidden|bcc/i);
    }
    const status = await statusOf(jobId);
    const refused = "The recipient's address did not take it: there is no such mailbox.";
    expect(status.lastError).toBe(`For 1 of 5 recipients: ${refused}`);
    expect(status.recipients).toEqual([
      { address: null, kind: "to", state: "sent", lastError: null },
      { address: null, kind: "to", state: "sent", lastError: null },
      { address: null, kind: "cc", state: "failed", lastError: refused },
      { address: null, kind: "bcc", state: "sent", lastError: null },
      { address: null, kind: "bcc", state: "sent", lastError: null },
    ]);
    const { ended } = (await person.call("GET", "/api/email-jobs?ended=true")).body as { ended: unknown[] };
    expect(ended[0]).toEqual({
      jobId,
      aliasId: alias.id,
      status: "sent",
      endedAt: expect.any(String),
      lastError: status.lastError,
      recipients: status.recipients,
    });
    expect((await person.call("GET", "/api/email-jobs?ended=maybe")).status).toBe(400);
    const [notice] = await person.notices();
    expect(notice?.text).toContain("could not be delivered to ruta@people.example: there is no such mailbox.");
    const other = await registerPerson(system.url);
    expect((await other.call("GET", "/api/email-jobs?ended=true")).body).toEqual({ jobs: [], ended: [] });
  });

  test("to several, undone in time, arrives nowhere", async () => {
    const jobId = await compose({ to: ["rasa@people.example", "jonas@people.example"] });
    expect((await cancel(jobId)).status).toBe(200);
    expect((await statusOf(jobId)).recipients.map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
    await waitFor(await compose({ subject: "later" }), "sent");
    expect(mx.messages).toHaveLength(1);
  });

  test.each([
    [{ to: ["rasa@people.example", "rasa"] }, "to", "Please enter a valid email address: rasa"],
    [{ cc: ["x@y"] }, "cc", "Please enter a valid email address: x@y"],
    [{ bcc: ["a@b.example\r\nX: y"] }, "bcc", "Please enter a valid email address: a@b.example\r\nX: y"],
  ])("with recipients %j is refused, and the error names the address", async (change, field, message) => {
    expect(await post(change)).toMatchObject({ status: 400, body: { errors: { [field]: [message] } } });
  });

  test("is sent at its scheduled time; a time in the past means now", async () => {
    const at = Date.now() + 3000;
    const [late, now] = [
      await compose({ scheduledAt: new Date(at).toISOString(), subject: "late" }),
      await compose({ scheduledAt: "2020-01-01T00:00:00+02:00", subject: "now" }),
    ];
    await waitFor(now, "sent");
    expect(await statusOf(late)).toMatchObject({ status: "pending" });
    await waitFor(late, "sent");
    expect(Date.now()).toBeGreaterThanOrEqual(at);
  });

  test("to an alias of ours is delivered internally, never through the outside", async () => {
    const other = await registerPerson(system.url);
    const theirs = await sendingAlias(other, "ruta@inbox.example");
    const jobId = await compose({ to: addressOf(theirs) });
    await waitFor(jobId, "sent");
    await mx.waitForMessages(1);
    expect(mx.messages.map((mail) => mail.rcptTo)).toEqual([["ruta@inbox.example"]]);
    expect(mx.messages[0]?.bytes.toString()).toContain("Labas, Rasa");
    const unknown = await compose({ to: "nobody.here@kauke.test" });
    await waitFor(unknown, "failed");
    expect(mx.messages).toHaveLength(1);
  });

  test("is cancelled when the alias is paused or deleted", async () => {
    const other = await sendingAlias(person);
    const [first, second] = [await compose(), await compose({ fromAliasId: other.id })];
    await person.call("PATCH", `/api/aliases/${alias.id}/toggle`, { active: false });
    await person.call("DELETE", `/api/aliases/${other.id}`);
    for (const jobId of [first, second]) expect(await statusOf(jobId)).toMatchObject({ status: "cancelled" });
    expect(await system.server.store.deliveries.count()).toBe(0);
  });

  test("another account's job is reported as unknown, and can't be undone", async () => {
    const jobId = await compose();
    const other = await registerPerson(system.url);
    expect((await other.call("GET", `/api/email-jobs/${jobId}/status`)).status).toBe(404);
    expect((await other.call("POST", `/api/email-jobs/${jobId}/cancel`)).status).toBe(404);
    await waitFor(jobId, "sent");
  });

  test("with an invalid request is not sent, and the response names the field", async () => {
    const bare = await person.createAlias({ forwardTo: "jonas@inbox.example" });
    const paused = await sendingAlias(person);
    await person.call("PATCH", `/api/aliases/${paused.id}/toggle`, { active: false });
    const stranger = await sendingAlias(await registerPerson(system.url));
    const unfit = "This alias can't send: it must be active and have SMTP credentials";
    const cases: [Record<string, unknown>, string, string][] = [
      [{ to: "rasa" }, "to", "Please enter a valid email address"],
      [{ to: "a@b.example\r\nBcc: eve@b.example" }, "to", "Please enter a valid email address"],
      [{ subject: " " }, "subject", "Subject is required"],
      [{ body: "\n" }, "body", "Email body is required"],
      [{ fromAliasId: "x" }, "fromAliasId", "Please select a sender alias"],
      [{ fromAliasId: bare.id }, "fromAliasId", unfit],
      [{ fromAliasId: paused.id }, "fromAliasId", unfit],
      [{ fromAliasId: stranger.id }, "fromAliasId", unfit],
      [{ useEncryption: true }, "recipientPublicKey", "Please provide the recipient's public key for encryption."],
      [{ priority: 11 }, "priority", "Priority must be a whole number from 0 to 10"],
      [{ scheduledAt: "tomorrow" }, "scheduledAt", "Please give the time as an ISO 8601 date and time"],
      [{ scheduledAt: "2120-01-01T00:00:00Z" }, "scheduledAt", "A message can wait 365 days at most"],
    ];
    for (const [change, field, message] of cases) {
      const { status, body } = await post(change);
      expect([status, body]).toMatchObject([400, { errors: { [field]: [message] } }]);
    }
    expect(await system.server.store.deliveries.count()).toBe(0);
  });

  test("that contains the address the alias forwards to is refused, unless its owner switched the leak guard off", async () => {
    const forwarded = "jonas@inbox.example";
    const why = "holds the address this alias forwards to. Take it out, or switch the leak guard off in Settings";
    const quoting = `> On Monday, Jonas <${forwarded}> wrote:`;
    const refused = await post({ body: quoting });
    expect(refused).toMatchObject({
      status: 400,
      body: { code: "invalid", errors: { body: [`Your message ${why}`] } },
    });
    const start = quoting.indexOf(forwarded);
    expect(refused.body).toMatchObject({ places: [{ field: "body", start, end: start + forwarded.length }] });
    const titled = await post({ subject: `About ${forwarded}` });
    expect(titled).toMatchObject({ status: 400, body: { errors: { subject: [`Your subject ${why}`] } } });
    for (const answer of [refused, titled]) expect(JSON.stringify(answer.body)).not.toContain(forwarded);
    expect(await system.server.store.deliveries.count()).toBe(0);

    // A message to the owner's own mailbox may contain that mailbox's address.
    await waitFor(await compose({ to: forwarded, body: "a note" }), "sent");
    await person.call("PATCH", "/api/account/settings", { leakGuard: false });
    await waitFor(await compose({ body: quoting }), "sent");
    expect(mx.messages.map((mail) => mail.bytes.includes(quoting))).toEqual([false, true]);
    await person.call("PATCH", "/api/account/settings", { leakGuard: true });
    expect((await post({ body: quoting })).status).toBe(400);
  });

  test("a megabyte of text is sent, more is refused", async () => {
    const jobId = await compose({ body: `${"žodis ".repeat(149_000)}` });
    await waitFor(jobId, "sent");
    expect((await post({ body: "ž".repeat(540_000) })).status).toBe(400);
    expect((await post({ body: "a".repeat(1_900_000) })).status).toBe(413);
  });

  test("no log line contains an address", () => {
    const lines = JSON.stringify(system.log.events);
    expect(lines).toContain("delivery_failed");
    for (const fact of ["rasa@", "inbox.example", "Sutartis", "Labas"]) expect(lines.includes(fact)).toBe(false);
  });
});

test("the daily limit of an account counts recipients, and the response says when to continue", async () => {
  const limited = await startSystem({ env: { ...relayTo(mx), ...settings, KAUKE_LIMITS: "email_job_create=4/86400" } });
  try {
    const owner = await registerPerson(limited.url);
    const { id } = await sendingAlias(owner);
    const several = (count: number) => ({
      fromAliasId: id,
      to: Array.from({ length: count }, (_, at) => `p${at}@b.example`),
    });
    expect((await post(several(5), owner)).status).toBe(429);
    expect((await post(several(2), owner)).status).toBe(201);
    for (const expected of [201, 201, 429]) expect((await post({ fromAliasId: id }, owner)).status).toBe(expected);
    const refused = await post({ fromAliasId: id }, owner);
    expect(refused.body).toMatchObject({ code: "rate_limited", rateLimited: true });
    expect((await post({ fromAliasId: id, to: "x" }, owner)).status).toBe(400);
  } finally {
    await limited.close();
  }
});

test("a waiting message survives a restart, and can still be undone", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "kauke-compose-"));
  const env = { ...relayTo(mx), ...settings, KAUKE_UNDO_SECONDS: "4", KAUKE_DATA_DIR: dataDir };
  const first = await startSystem({ env });
  const owner = await registerPerson(first.url);
  const { id } = await sendingAlias(owner);
  const jobs: string[] = [];
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  for (const change of [{ subject: "kept" }, { subject: "undone", scheduledAt: inAnHour }])
    jobs.push(((await post({ fromAliasId: id, ...change }, owner)).body as CreatedEmailJob).jobId);
  await first.close();
  const second = await startSystem({ env });
  try {
    const [kept = "", undone = ""] = jobs;
    const again = await callsAt(second.url, owner);
    expect((await again("POST", `/api/email-jobs/${undone}/cancel`)).status).toBe(200);
    await vi.waitFor(
      async () => expect((await again("GET", `/api/email-jobs/${kept}/status`)).body).toMatchObject({ status: "sent" }),
      { timeout: 15_000, interval: 100 },
    );
    expect(mx.messages.map((mail) => /Subject: (.*)\r/.exec(mail.bytes.toString())?.[1])).toEqual(["kept"]);
  } finally {
    await second.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});

/** @returns a function that calls the API at another origin in the session of this person */
async function callsAt(url: string, { cookie }: Person) {
  return async (method: string, path: string) => {
    const response = await fetch(`${url}${path}`, { method, headers: { cookie } });
    return { status: response.status, body: (await response.json()) as unknown };
  };
}
