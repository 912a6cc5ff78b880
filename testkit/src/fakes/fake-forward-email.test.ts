import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { FakeForwardEmail } from "./fake-forward-email.ts";
import { FORWARD_EMAIL_LIMITS } from "./fake-forward-email-store.ts";

const DOMAIN = "kauke.example";
const ALIASES = `/v1/domains/${DOMAIN}/aliases`;
const ann = { name: "ann", recipients: ["ann@mailbox.example"], is_enabled: true };
const whole = { ...ann, description: "kauke:3f1c", labels: ["shop"], error_code_if_disabled: 250 };
const message = { from: `ann@${DOMAIN}`, to: "bob@mailbox.example", subject: "Hello", text: "Hello" };

let provider: FakeForwardEmail;
beforeEach(async () => {
  provider = await FakeForwardEmail.start({ domains: [DOMAIN] });
});
afterEach(() => provider.close());

interface Sent {
  body?: unknown;
  key?: string;
  language?: string;
}

async function call(method: string, path: string, { body, key = provider.key, language = "en" }: Sent = {}) {
  const response = await fetch(provider.url + path, {
    method,
    redirect: "manual",
    headers: {
      authorization: `Basic ${Buffer.from(`${key}:`).toString("base64")}`,
      "accept-language": language,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
  const { status, headers } = response;
  return { status, headers, text, json: (isJson ? JSON.parse(text) : null) as Record<string, never> };
}

const create = (body: object) => call("POST", ALIASES, { body });

describe("the account", () => {
  test("a wrong key gets 401, and the language decides the text", async () => {
    expect(await call("GET", "/v1/account", { key: "wrong" })).toMatchObject({
      status: 401,
      json: { statusCode: 401, error: "Unauthorized", message: "The key is missing or wrong" },
    });
    const german = await call("GET", "/v1/account", { key: "wrong", language: "*" });
    expect(german.json).toMatchObject({ message: "Der Schlüssel fehlt oder ist falsch" });
    expect(provider.violations).toEqual(["GET /v1/account: Accept-Language is not English"]);
    expect(provider.calls.map(({ status, hasAuthorization }) => [status, hasAuthorization])).toEqual([
      [401, true],
      [401, true],
    ]);
  });

  test("the free plan gets 402, a locked account 403", async () => {
    provider.store.account.plan = "free";
    expect(await call("GET", "/v1/account")).toMatchObject({ status: 402 });
    Object.assign(provider.store.account, { plan: "team", isBanned: true });
    expect(await call("GET", "/v1/account")).toMatchObject({ status: 403 });
  });
});

describe("domains", () => {
  test("a new domain has a catch-all unless it is declined, and waits for records and approval", async () => {
    const declined = await call("POST", "/v1/domains", { body: { domain: "New.Example", catchall: false } });
    expect(declined.json).toMatchObject({ name: "new.example", has_smtp: false, has_catchall: true });
    expect(provider.aliases("new.example")).toEqual([]);
    expect(await call("GET", "/v1/domains/new.example/aliases/%2A")).toMatchObject({ status: 404 });
    expect(await call("GET", "/v1/domains/new.example/verify-records")).toMatchObject({ status: 400 });
    expect(provider.violations).toEqual([]);
    await call("POST", "/v1/domains", { body: { domain: "caught.example" } });
    expect(provider.forwardsTo("anything@caught.example")).toEqual(["owner@account.example"]);
    expect(await call("POST", "/v1/domains", { body: { domain: DOMAIN, catchall: false } })).toMatchObject({
      status: 400,
    });
  });

  test("a ready domain passes its checks in plain text, and is found by id", async () => {
    expect(await call("GET", `/v1/domains/${DOMAIN}/verify-smtp`)).toMatchObject({ status: 200, json: null });
    const { id } = provider.domain(DOMAIN);
    expect(await call("GET", `/v1/domains/${id}`)).toMatchObject({ status: 200, json: { name: DOMAIN } });
    provider.domain(DOMAIN).plan = "free";
    expect(await call("GET", ALIASES)).toMatchObject({ status: 402 });
  });
});

describe("aliases", () => {
  test("an alias is created, found by id and name, renamed and deleted", async () => {
    const { json } = await create({ ...whole, name: "Ann" });
    expect(json).toMatchObject({ object: "alias", name: "ann", description: "kauke:3f1c", labels: ["shop"] });
    expect(await call("GET", `${ALIASES}/${json["id"]}`)).toMatchObject({ json: { name: "ann" } });
    await call("PUT", `${ALIASES}/ann`, { body: { ...whole, name: "anna" } });
    expect(await call("GET", `${ALIASES}/ann`)).toMatchObject({ status: 404 });
    expect(provider.alias(`anna@${DOMAIN}`)?.id).toBe(json["id"]);
    expect(await call("DELETE", `${ALIASES}/anna`)).toMatchObject({ status: 200, json: { name: "anna" } });
    expect(await call("DELETE", `${ALIASES}/anna`)).toMatchObject({ status: 404 });
    expect(provider.violations).toEqual([]);
  });

  test("a name is used once, and a deletion may be refused", async () => {
    await create(ann);
    expect(await create({ ...ann, recipients: ["eve@mailbox.example"] })).toMatchObject({ status: 400 });
    provider.store.refusesDeletion = true;
    expect(await call("DELETE", `${ALIASES}/ann`)).toMatchObject({ status: 400 });
  });

  test("traps do what they do at the provider, and are reported", async () => {
    await create({ name: "own", is_enabled: true });
    expect(provider.forwardsTo(`own@${DOMAIN}`)).toEqual(["owner@account.example"]);
    await create({ name: "nil", recipients: ["null"], is_enabled: true });
    expect(provider.forwardsTo(`nil@${DOMAIN}`)).toEqual(["null"]);
    await create(whole);
    await call("PUT", `${ALIASES}/ann`, { body: { is_enabled: false } });
    expect(provider.alias(`ann@${DOMAIN}`)).toMatchObject({ ...ann, is_enabled: false, description: "", labels: [] });
    expect(await create({ ...ann, name: "secret", password: "x" })).toMatchObject({ status: 400 });
    expect(await call("GET", `${ALIASES}?fields=id`)).toMatchObject({ status: 200 });
    expect(provider.violations).toEqual([
      `POST ${ALIASES}: body.recipients is missing`,
      `POST ${ALIASES}: body.recipients is ["null"]`,
      `PUT ${ALIASES}/ann: body.recipients is missing`,
      `PUT ${ALIASES}/ann: body.description is missing`,
      `PUT ${ALIASES}/ann: body.error_code_if_disabled is missing`,
      `POST ${ALIASES}: body.password is not allowed`,
      `GET ${ALIASES}: query.fields is not allowed`,
    ]);
  });

  test.each([
    ["a name with a plus", { name: "a+b" }],
    ["a recipient that is no address", { recipients: ["nobody"] }],
    ["an unknown code", { error_code_if_disabled: 451 }],
    ["a description of 151 characters", { description: "x".repeat(151) }],
    ["itself as recipient", { recipients: [`ann@${DOMAIN}`] }],
    ["eleven recipients", { recipients: Array.from({ length: 11 }, (_, at) => `a${at}@mailbox.example`) }],
  ])("%s is refused", async (_, fields) => {
    expect(await create({ ...ann, ...fields })).toMatchObject({ status: 400 });
    expect(provider.aliases(DOMAIN)).toEqual([]);
  });

  test("a list comes in pages whose count is right and whose links are not", async () => {
    for (const name of ["a", "b", "c", "d", "e"])
      provider.putAlias(`${name}@${DOMAIN}`, { recipients: ["x@y.example"] });
    const { json, headers } = await call("GET", `${ALIASES}?limit=2&page=2&sort=name`);
    expect((json as unknown as { name: string }[]).map(({ name }) => name)).toEqual(["c", "d"]);
    expect(headers.get("x-item-count")).toBe("5");
    expect(headers.get("x-page-count")).toBe("3");
    expect(headers.get("link")).not.toContain('rel="next"');
    const found = await call("GET", `${ALIASES}?recipient=X@y`);
    expect(found.json).toHaveLength(5);
  });

  test("history shows to whom an address could forward from a time on", async () => {
    let now = 1_000_000;
    provider.store.now = () => now++;
    await create(ann);
    await call("PUT", `${ALIASES}/ann`, { body: { ...whole, recipients: ["new@mailbox.example"] } });
    const changed = now;
    await call("PUT", `${ALIASES}/ann`, { body: { ...whole, is_enabled: false } });
    expect(provider.forwardsTo(`ann@${DOMAIN}`)).toEqual([]);
    await call("DELETE", `${ALIASES}/ann`);
    expect(provider.history.map(({ recipients, isEnabled }) => [recipients[0], isEnabled])).toEqual([
      ["ann@mailbox.example", true],
      ["new@mailbox.example", true],
      ["ann@mailbox.example", false],
      [undefined, false],
    ]);
    expect(provider.reachedSince(`ann@${DOMAIN}`, 0)).toEqual(["ann@mailbox.example", "new@mailbox.example"]);
    expect(provider.reachedSince(`ann@${DOMAIN}`, changed)).toEqual(["new@mailbox.example"]);
    expect(provider.reachedSince(`ann@${DOMAIN}`, now)).toEqual([]);
  });

  test("an enabled alias without recipients forwards to the catch-all's, a disabled one to nobody", async () => {
    provider.putAlias(`*@${DOMAIN}`, { recipients: ["all@mailbox.example"] });
    await create(ann);
    await call("PUT", `${ALIASES}/ann`, { body: { ...whole, recipients: [] } });
    expect(provider.forwardsTo(`ann@${DOMAIN}`)).toEqual(["all@mailbox.example"]);
    provider.putAlias(`ann@${DOMAIN}`, { is_enabled: false });
    expect(provider.forwardsTo(`ann@${DOMAIN}`)).toEqual([]);
    provider.removeAlias(`ann@${DOMAIN}`);
    expect(provider.forwardsTo(`ann@${DOMAIN}`)).toEqual(["all@mailbox.example"]);
  });

  test("a password is generated or set, and replaced only on request", async () => {
    await create(ann);
    const path = `${ALIASES}/ann/generate-password`;
    const first = await call("POST", path, { body: {} });
    expect(first.json).toEqual({ username: `ann@${DOMAIN}`, password: provider.alias(`ann@${DOMAIN}`)?.password });
    expect(await call("POST", path, { body: {} })).toMatchObject({ status: 400 });
    const weak = { new_password: "hello", is_override: "true" };
    expect(await call("POST", path, { body: weak })).toMatchObject({ status: 400 });
    const strong = { new_password: "vK7wq2Zr9TbXn4LmPd6s", is_override: "true" };
    expect(await call("POST", path, { body: strong })).toMatchObject({ json: { password: strong.new_password } });
    const wrong = { password: "other", new_password: strong.new_password };
    expect(await call("POST", path, { body: wrong })).toMatchObject({ status: 403 });
    expect(provider.violations).toEqual([]);
  });
});

describe("limits", () => {
  test("the call over a limit gets 429 in plain text, until the window is over", async () => {
    let now = 5_000_000;
    provider.store.now = () => now;
    provider.store.limits = { ...FORWARD_EMAIL_LIMITS, createAlias: 1 };
    provider.store.limitWindowMs = 60_000;
    await create(ann);
    expect(await create({ ...ann, name: "b" })).toMatchObject({ status: 429, json: null });
    expect((await create({ ...ann, name: "b" })).headers.get("retry-after")).toBe("60");
    provider.retryAfter = "time";
    expect((await create({ ...ann, name: "b" })).headers.get("retry-after")).toBe("5060");
    now += 60_000;
    expect(await create({ ...ann, name: "b" })).toMatchObject({ status: 200 });
  });
});

describe("e-mails", () => {
  const fixed = { ...message, messageId: `<one@${DOMAIN}>`, date: "2026-11-27T12:00:00Z" };
  const send = (body: object) => call("POST", "/v1/emails", { body });

  test("the same e-mail is not sent twice, and is found by its message ID", async () => {
    const { json } = await send(fixed);
    expect(json).toMatchObject({ object: "email", status: "queued", messageId: `one@${DOMAIN}` });
    expect(await send(fixed)).toMatchObject({ status: 400 });
    expect(await send({ ...fixed, to: "eve@mailbox.example" })).toMatchObject({ status: 200 });
    expect(await call("GET", `/v1/emails/one@${DOMAIN}`)).toMatchObject({ json: { id: json["id"] } });
    expect(provider.emails).toHaveLength(2);
    expect(provider.violations).toEqual([]);
  });

  test("a raw message goes to the recipients of its headers, or to those sent beside it", async () => {
    const raw = `From: "Ann, A" <ann@${DOMAIN}>\r\nTo: a@x.example,\r\n b@x.example\r\nMessage-ID: <1@x>\r\n\r\nHi`;
    const whole = await send({ from: message.from, raw });
    expect(whole.json["envelope"]).toEqual({ from: message.from, to: ["a@x.example", "b@x.example"] });
    const single = await send({ from: message.from, to: ["b@x.example"], raw });
    expect(single.json["envelope"]).toEqual({ from: message.from, to: ["b@x.example"] });
    expect(provider.emails.map((email) => email.message)).toEqual([raw, raw]);
    expect(provider.violations[0]).toBe("POST /v1/emails: raw has no date");
  });

  test("what the provider does not send is refused", async () => {
    provider.putAlias(message.from, { is_enabled: false, recipients: ["x@y.example"] });
    expect(await send(message)).toMatchObject({ status: 400 });
    expect(await send({ ...message, from: "ann@elsewhere.example" })).toMatchObject({ status: 400 });
    provider.removeAlias(message.from);
    provider.domain(DOMAIN).has_smtp = false;
    expect(await send(message)).toMatchObject({ status: 403 });
    expect(provider.emails).toEqual([]);
  });

  test("statuses change, and only a waiting e-mail can be deleted", async () => {
    const { json } = await send(message);
    const id = String(json["id"]);
    provider.setEmailStatus(id, "sent");
    expect(await call("GET", `/v1/emails/${id}`)).toMatchObject({ json: { accepted: ["bob@mailbox.example"] } });
    expect(await call("DELETE", `/v1/emails/${id}`)).toMatchObject({ status: 400 });
    const rejection = { recipient: "bob@mailbox.example", responseCode: 450, response: "450 later", message: "later" };
    provider.setEmailStatus(id, "deferred", [rejection]);
    const list = await call("GET", "/v1/emails?sort=-created_at");
    expect(list.json).toEqual([expect.objectContaining({ status: "deferred", soft_bounces: ["bob@mailbox.example"] })]);
    expect(await call("DELETE", `/v1/emails/${id}`)).toMatchObject({ json: { status: "rejected" } });
    expect(await call("GET", "/v1/emails/limit")).toMatchObject({ json: { count: 1, limit: 300 } });
  });
});

describe("faults", () => {
  const names = () => provider.aliases(DOMAIN).map(({ name }) => name);

  test("status: a response is given without the work", async () => {
    provider.faultFor(() => ({ kind: "status", status: 503, body: "busy", headers: { "retry-after": "7" } }));
    const { status, text, headers } = await create(ann);
    expect([status, text, headers.get("retry-after")]).toEqual([503, "busy", "7"]);
    expect(names()).toEqual([]);
  });

  test("slow: the work is done at once, and the response comes later", async () => {
    provider.faultFor(({ method }) => (method === "POST" ? { kind: "slow", ms: 200 } : null));
    const started = performance.now();
    const created = create(ann);
    await expect.poll(names).toEqual(["ann"]);
    expect(await created).toMatchObject({ status: 200 });
    expect(performance.now() - started).toBeGreaterThan(190);
  });

  test("lost: the work is done, and the connection closes without a response", async () => {
    provider.faultFor(() => ({ kind: "lost" }));
    await expect(create(ann)).rejects.toThrow();
    expect(names()).toEqual(["ann"]);
    expect(provider.calls).toEqual([expect.objectContaining({ method: "POST", status: 0, body: ann })]);
  });

  test("dropped: the connection closes, and nothing is done", async () => {
    provider.faultFor(() => ({ kind: "dropped" }));
    await expect(create(ann)).rejects.toThrow();
    expect(names()).toEqual([]);
  });

  test("late: the connection closes, and the work is done later", async () => {
    provider.faultFor(() => ({ kind: "late", ms: 50 }));
    await expect(create(ann)).rejects.toThrow();
    expect(names()).toEqual([]);
    await provider.settled();
    expect(names()).toEqual(["ann"]);
  });

  test("twice: the work is done twice, and the second response is sent", async () => {
    provider.faultFor(() => ({ kind: "twice" }));
    expect(await create(ann)).toMatchObject({ status: 400 });
    expect(names()).toEqual(["ann"]);
  });

  test("redirect and type: another place, another content", async () => {
    provider.faultFor(() => ({ kind: "redirect", to: "http://10.0.0.1/" }));
    const redirect = await create(ann);
    expect([redirect.status, redirect.headers.get("location")]).toEqual([307, "http://10.0.0.1/"]);
    provider.faultFor(() => ({ kind: "type", contentType: "text/html", body: "<p>Hello</p>" }));
    const html = await create(ann);
    expect([html.status, html.headers.get("content-type"), html.text]).toEqual([200, "text/html", "<p>Hello</p>"]);
  });

  test("huge: megabytes of JSON, which stop when the client leaves", async () => {
    provider.faultFor(() => ({ kind: "huge", bytes: 3_000_000 }));
    expect(String((await call("GET", `${ALIASES}/ann`)).json["id"])).toHaveLength(3_000_000);
    provider.faultFor(() => ({ kind: "huge", bytes: 1e12 }));
    const response = await fetch(provider.url);
    await response.body?.cancel();
  });

  test("drip: the response arrives byte by byte", async () => {
    provider.putAlias(`ann@${DOMAIN}`, { recipients: ["x@y.example"] });
    provider.faultFor(() => ({ kind: "drip", bytesPerSecond: 2000 }));
    const started = performance.now();
    expect(await call("GET", `${ALIASES}/ann`)).toMatchObject({ json: { name: "ann" } });
    expect(performance.now() - started).toBeGreaterThan(150);
  });

  test("otherId: the response names another alias", async () => {
    const other = provider.putAlias(`other@${DOMAIN}`, { recipients: ["x@y.example"] });
    provider.faultFor(() => ({ kind: "otherId" }));
    expect(await create(ann)).toMatchObject({ json: { id: other.id, name: "other", recipients: ann.recipients } });
    expect(await call("GET", `${ALIASES}/ann`)).toMatchObject({ json: { id: other.id, name: "other" } });
  });
});
