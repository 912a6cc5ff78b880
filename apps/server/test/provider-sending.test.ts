/** Mail through the forwarding provider, from the API request to what its owner reads about it. */
import type { AliasWire, CreatedEmailJob, EmailJobStatusWire, PreviewSummary } from "@kauke/contract";
import { closeAfterEach } from "@kauke/testkit/close-after-each";
import { FakeForwardEmail } from "@kauke/testkit/fakes/fake-forward-email";
import { FakeMx } from "@kauke/testkit/fakes/fake-mx";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import { makeDataDir, quickServer, removeDataDirs, startServerProcess } from "@kauke/testkit/server-process";
import { relayTo, type SystemOptions, startSystem } from "@kauke/testkit/system";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";

const closers = closeAfterEach();
afterAll(removeDataDirs);
let fake: FakeForwardEmail;

beforeEach(async () => {
  fake = await FakeForwardEmail.start({ domains: ["kauke.test"] });
  closers.push(() => fake.close());
});

const envOf = (env: Record<string, string> = {}) => ({
  KAUKE_FORWARDING: "forward-email",
  KAUKE_PROVIDER_URL: fake.url,
  KAUKE_PROVIDER_KEY: fake.key,
  KAUKE_WEBHOOK_ALLOW: "127.0.0.1",
  KAUKE_UNDO_SECONDS: "1",
  ...env,
});

async function start(options: SystemOptions = {}) {
  const system = await startSystem({ ...options, env: envOf(options.env) });
  closers.push(() => system.close());
  return system;
}

async function sender(url: string): Promise<{ person: Person; alias: AliasWire; from: string }> {
  const person = await registerPerson(url);
  const alias = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  await person.createSmtpCredential(alias.id);
  return { person, alias, from: `${alias.alias}@${alias.domain}` };
}

async function compose(person: Person, alias: AliasWire, to = "rasa@people.example"): Promise<string> {
  const draft = { to, subject: "Sutartis", body: "Labas, Rasa\n.\nAčiū" };
  const { status, body } = await person.call("POST", "/api/email-jobs", { ...draft, fromAliasId: alias.id });
  expect(status, JSON.stringify(body)).toBe(201);
  return (body as CreatedEmailJob).jobId;
}

const statusOf = async (person: Person, jobId: string) =>
  (await person.call("GET", `/api/email-jobs/${jobId}/status`)).body as EmailJobStatusWire;
const cancel = (person: Person, jobId: string) => person.call("POST", `/api/email-jobs/${jobId}/cancel`);
const until = <T>(check: () => T | Promise<T>, timeout = 12_000) => vi.waitFor(check, { timeout, interval: 50 });
const emailTo = (address: string) => fake.emails.find(({ envelope }) => envelope.to.includes(address));
const arrival = (address: string): Promise<FakeForwardEmail["emails"][number]> =>
  until(() => {
    const email = emailTo(address);
    if (email === undefined) throw new Error(`nothing for ${address}`);
    return email;
  });

describe("composed mail", () => {
  test("goes to the provider once the time to undo is over, and cannot be cancelled from then on", async () => {
    const { url } = await start();
    const { person, alias, from } = await sender(url);
    const undone = await compose(person, alias, "undone@people.example");
    expect((await cancel(person, undone)).status).toBe(200);
    const jobId = await compose(person, alias);
    expect(await statusOf(person, jobId)).toMatchObject({ status: "pending" });
    const { envelope, message, messageId } = await arrival("rasa@people.example");
    expect(envelope).toEqual({ from: from.toLowerCase(), to: ["rasa@people.example"] });
    expect(message).toContain(`\r\nFrom: ${from}\r\n`);
    expect(message).not.toMatch(/jonas|inbox\.example|DKIM-Signature/);
    await until(async () => expect(await statusOf(person, jobId)).toMatchObject({ status: "sending" }));
    expect(await statusOf(person, jobId)).toMatchObject({ lastError: null, messageId: `<${messageId}>` });
    expect((await cancel(person, jobId)).status).toBe(409);
    fake.setEmailStatus(arrivedId("rasa@people.example"), "sent");
    await until(async () => expect(await statusOf(person, jobId)).toMatchObject({ status: "sent" }));
    expect(fake.emails).toHaveLength(1);
    expect(violations()).toEqual([]);
  });

  test("that the provider could not deliver fails in our words, and its texts reach nobody", async () => {
    const { url, log } = await start();
    const { person, alias } = await sender(url);
    const failures = { bounced: "nobody@people.example", rejected: "spam@people.example" } as const;
    const jobs = new Map<string, string>();
    for (const [status, to] of Object.entries(failures)) {
      jobs.set(status, await compose(person, alias, to));
      const { id } = await arrival(to);
      const response = "550 5.1.1 <https://provider.example/why> Marker-of-the-provider";
      const rejected = { recipient: to, responseCode: 550, response, message: response };
      fake.setEmailStatus(id, status as keyof typeof failures, [rejected]);
    }
    const ended = async (status: string) => {
      const job = await statusOf(person, jobs.get(status) ?? "");
      expect(job.status).toBe("failed");
      return job.lastError;
    };
    expect(await until(() => ended("bounced"))).toBe(
      "The recipient's address did not take it: there is no such mailbox.",
    );
    expect(await until(() => ended("rejected"))).toBe(
      "It was not sent: the provider that sends our mail did not take it.",
    );
    const told = JSON.stringify([await person.notices(), log.events]);
    expect(told).toContain("there is no such mailbox");
    expect(told).not.toMatch(/Marker|provider\.example/);
  });

  test("waits while the provider takes no more for today, says so, and can be cancelled", async () => {
    fake.store.limits.createEmail = 0;
    const { url } = await start();
    const { person, alias } = await sender(url);
    const jobId = await compose(person, alias);
    const lastError = "It was not sent: the provider that sends our mail takes no more for now.";
    const waits = { status: "pending", currentRetries: 0, lastError };
    await until(async () => expect(await statusOf(person, jobId)).toMatchObject(waits));
    expect((await cancel(person, jobId)).status).toBe(200);
    expect(fake.calls.filter(({ path }) => path === "/v1/emails")).toHaveLength(1);
  });

  test("leaves the last messages of the day to our own mail, and can be cancelled meanwhile", async () => {
    const body = { count: 270, limit: 300 };
    fake.faultFor(({ path }) => (path === "/v1/emails/limit" ? { kind: "status", status: 200, body } : null));
    const { url } = await start({ confirmation: true });
    const { person, alias } = await sender(url);
    const jobId = await compose(person, alias);
    const waits = { status: "pending", currentRetries: 0, lastError: expect.stringContaining("no more for now") };
    await until(async () => expect(await statusOf(person, jobId)).toMatchObject(waits));
    await arrival("jonas@inbox.example");
    expect(fake.emails).toHaveLength(1);
    expect((await cancel(person, jobId)).status).toBe(200);
  });

  test("is sent once although the process was killed before the provider's response", async () => {
    const dataDir = await makeDataDir();
    const run = () => startServerProcess({ dataDir, program: quickServer, env: envOf({ KAUKE_LIMITS: "off" }) });
    const first = await run();
    expect(first.output()).toContain(`Forwarding     by the provider at ${new URL(fake.url).host}`);
    const { person, alias } = await sender(first.url);
    fake.faultFor(({ method, path }) =>
      method === "POST" && path === "/v1/emails" ? { kind: "slow", ms: 30_000 } : null,
    );
    const jobId = await compose(person, alias);
    await arrival("rasa@people.example");
    await first.kill();
    fake.faultFor(() => null);
    const second = await run();
    closers.push(() => second.kill());
    const again = { ...person, call: callerAt(second.url, person.cookie) };
    // The embedded database ends the killed process' leases at its start.
    await until(() => expect(fake.calls.filter(({ path }) => path === "/v1/emails").length).toBeGreaterThan(1));
    fake.setEmailStatus(arrivedId("rasa@people.example"), "sent");
    await until(async () => expect(await statusOf(again, jobId)).toMatchObject({ status: "sent" }));
    expect(fake.emails).toHaveLength(1);
  }, 60_000);
});

describe("copies that this server had queued when a provider took over forwarding", () => {
  test("wait, are shown to the operator, and go out through a relay", async () => {
    const mx = await FakeMx.start({ answer: ({ stage }) => (stage === "rcpt" ? "451 4.3.0 later" : undefined) });
    closers.push(() => mx[Symbol.asyncDispose]());
    const KAUKE_DATA_DIR = await makeDataDir();
    const shared = { KAUKE_DATA_DIR, KAUKE_RETRY_SCHEDULE: "1s,1s,1s,1s,1s,1h" };
    const engine = await startSystem({ env: { ...shared, ...relayTo(mx), KAUKE_FORWARDING: "engine" } });
    const { from } = await sender(engine.url);
    const message = `Date: Fri, 27 Nov 2026 12:00:00 +0000\r\nFrom: a@shop.example\r\nTo: ${from}\r\n\r\nHello\r\n`;
    const sent = await sendMail({ port: engine.mxPort, from: "a@shop.example", to: from, message });
    expect(sent.last).toMatch(/^250/);
    await engine.close();

    const provider = await startSystem({ env: envOf(shared) });
    const state = () => provider.server.control["provider-state"]({});
    await until(async () => expect(await state()).toMatchObject({ forEngine: 1 }));
    const { hosts } = await provider.server.control["queue-hosts"]({});
    expect(hosts).toMatchObject([{ open: 1, failure: expect.stringContaining("before a provider began to forward") }]);
    expect(fake.emails).toEqual([]);
    await provider.close();

    mx.options = {};
    const relay = await start({ env: { ...shared, ...relayTo(mx), KAUKE_DELIVERY: "relay" } });
    expect(await relay.server.control["queue-retry"]({ host: "inbox.example" })).toBe(1);
    const [copy] = await mx.waitForMessages(1);
    expect(copy?.rcptTo).toEqual(["jonas@inbox.example"]);
  }, 30_000);
});

const violations = () => fake.violations.filter((text) => text.includes("/v1/emails"));
const arrivedId = (address: string) => emailTo(address)?.id ?? "";

function callerAt(url: string, cookie: string): Person["call"] {
  return async (method, path) => {
    const response = await fetch(`${url}${path}`, { method, headers: { cookie } });
    return { status: response.status, body: await response.json() };
  };
}

test("our own mail leaves as no-reply@ of the first domain; a mailbox is asked before anything is forwarded", async () => {
  const { url } = await start({ confirmation: true });
  const person = await registerPerson(url, "ann@home.example");
  await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const { envelope, message } = await arrival("jonas@inbox.example");
  expect(envelope.from).toBe("no-reply@kauke.test");
  expect(message).toContain("Until then nothing is forwarded.");
  expect(violations()).toEqual([]);
});

test("no mail comes in and no mail program sends here; the panel names the provider's host", async () => {
  const system = await start();
  const { ports } = system.server;
  expect(ports).toMatchObject({ mx: null, submission: null, submissions: null });
  const { person, alias } = await sender(system.url);
  const { body } = await person.call("GET", `/api/smtp-credentials/alias/${alias.id}`);
  const username = `${alias.alias}@kauke.test`.toLowerCase();
  expect(body).toMatchObject({ host: "127.0.0.1", local: null, credentials: [{ username }] });
});

test("with the preview inbox, composed mail goes there, also to our own aliases, and takes no replies", async () => {
  const { url, previewToken } = await start({ env: { KAUKE_DELIVERY: "preview" } });
  const { person, alias, from } = await sender(url);
  const other = await person.createAlias({ forwardTo: "jonas@inbox.example" });
  const to = `${other.alias}@${other.domain}`;
  await compose(person, alias, to);
  const headers = { "x-preview-token": previewToken ?? "", "content-type": "application/json" };
  const [shown] = await until(async () => {
    const { messages } = (await (await fetch(`${url}/preview/api/messages`, { headers })).json()) as {
      messages: PreviewSummary[];
    };
    expect(messages).toHaveLength(1);
    return messages;
  });
  expect(shown).toMatchObject({ envelopeFrom: from, rcptTo: to });
  const path = `/preview/api/messages/${shown?.id}/reply`;
  const reply = await fetch(`${url}${path}`, {
    method: "POST",
    headers,
    body: JSON.stringify({ text: "hi", all: false }),
  });
  expect(await reply.json()).toMatchObject({ message: expect.stringContaining("a provider forwards") });
  expect(fake.emails).toEqual([]);
});
