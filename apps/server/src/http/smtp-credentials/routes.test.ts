import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineForwarding } from "../../core/forwarding/forwarding-provider.ts";
import { smtpAuthenticator } from "../../core/smtp-credential.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
let bob: Visitor;
beforeAll(async () => {
  server = await startTestServer();
  [ann, bob] = await Promise.all([new Visitor(server).register(), new Visitor(server).register()]);
});
afterAll(() => server.close());

const PASSWORD = /^(?:[2-9A-HJ-NP-Za-kmnp-z]{4}-){5}[2-9A-HJ-NP-Za-kmnp-z]{4}$/;

async function withCredential() {
  const alias = await ann.createAlias({ alias: `Shop.${randomUUID().slice(0, 8)}` });
  const { status, body, headers } = await ann.call("createSmtpCredential", { body: { aliasId: alias.id } });
  expect(status).toBe(201);
  const { credential } = body;
  return { alias, credential, headers, params: { aliasId: alias.id, credentialId: credential.id } };
}

/** Signs in with SMTP credentials as the submission service does. */
function signIn(username: string, password: string) {
  const authenticate = smtpAuthenticator({
    smtpCredentials: server.store.smtpCredentials,
    rateLimits: server.store.rateLimits,
    limitRules: null,
    clock: server.clock,
  });
  return authenticate({ username, password, clientAddress: "192.0.2.1" });
}

describe("creating SMTP credentials", () => {
  it("returns them with the password, which signs in at once", async () => {
    const { alias, credential, headers } = await withCredential();
    const username = `${alias.alias}@kauke.test`;
    expect(credential).toEqual({
      id: credential.id,
      aliasId: alias.id,
      username,
      password: expect.stringMatching(PASSWORD),
    });
    expect(headers["cache-control"]).toBe("no-store");
    expect(await signIn(username, credential.password)).toMatchObject({
      kind: "signed_in",
      aliasId: alias.id,
      aliasAddress: username.toLowerCase(),
      userId: ann.userId,
    });
  });

  it("lists them without the password, with the host to connect to", async () => {
    const { id: none } = await ann.createAlias();
    expect((await ann.call("listSmtpCredentials", { params: { aliasId: none } })).body).toEqual({
      credentials: [],
      host: "smtp.kauke.test",
      local: { submission: 2587, submissions: 2465 },
      setsUpPrograms: true,
      canTest: false,
    });
    const { credential, params } = await withCredential();
    const { body } = await ann.call("listSmtpCredentials", { params });
    const createdAt = server.clock.now().toISOString();
    const { id, username } = credential;
    expect(body.credentials).toEqual([{ id, username, active: true, lastUsedOn: null, createdAt }]);
  });

  it("names the host of a forwarding provider, and the user name as the provider spells it", async () => {
    const about = { name: "Forward Email", smtpHost: "smtp.provider.example" };
    const forwarding = { ...engineForwarding, about };
    const theirs = await startTestServer({ store: server.store, forwarding });
    const cleo = await new Visitor(theirs).register();
    const { id: aliasId } = await cleo.createAlias({ alias: `Shop-${randomUUID().slice(0, 8)}` });
    const { body: created } = await cleo.call("createSmtpCredential", { body: { aliasId } });
    const { body } = await cleo.call("listSmtpCredentials", { params: { aliasId } });
    const { username } = body.credentials[0];
    expect(body).toMatchObject({ host: about.smtpHost, local: null });
    expect([created.credential.username, username]).toEqual([username, username.toLowerCase()]);
    await theirs.close();
  });

  it("refuses a second pair for an alias", async () => {
    const { params, credential } = await withCredential();
    const again = await ann.call("createSmtpCredential", { body: { aliasId: params.aliasId } });
    expect([again.status, again.body.code]).toEqual([409, "smtp_credential_exists"]);
    expect(await signIn(credential.username, credential.password)).not.toBeNull();
  });

  it("succeeds for one of many concurrent requests", async () => {
    const { id: aliasId } = await ann.createAlias();
    const calls = Array.from({ length: 4 }, () => ann.call("createSmtpCredential", { body: { aliasId } }));
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([201, 409, 409, 409]);
  });

  it.each([
    [{}, "Alias ID is required"],
    [{ aliasId: "" }, "Alias ID is required"],
    [{ aliasId: " " }, "Alias ID is required"],
    [{ aliasId: null }, "Alias ID is required"],
    [{ aliasId: "no id" }, "Alias ID is not valid"],
    [{ aliasId: `${randomUUID()}'` }, "Alias ID is not valid"],
  ])("refuses %j with an error for its field", async (body, message) => {
    const reply = await ann.call("createSmtpCredential", { body });
    expect([reply.status, reply.body]).toEqual([400, { code: "invalid", message, errors: { aliasId: [message] } }]);
  });

  it("says when to try again once the limit is reached", async () => {
    const limits = new Map([["secret_change", { max: 1, windowSeconds: 60 }]]);
    const limited = await startTestServer({ store: server.store, config: { limits } });
    const cleo = await new Visitor(limited).register();
    const [one, two] = [await cleo.createAlias(), await cleo.createAlias()];
    expect((await cleo.call("createSmtpCredential", { body: { aliasId: one.id } })).status).toBe(201);
    const { status, body } = await cleo.call("createSmtpCredential", { body: { aliasId: two.id } });
    expect([status, body.rateLimited]).toEqual([429, true]);
    await limited.close();
  });
});

describe("the password", () => {
  it("can be read again, and must not be cached", async () => {
    const { credential, params } = await withCredential();
    const { body, headers } = await ann.call("readSmtpPassword", { params });
    expect(body).toEqual({ success: true, password: credential.password });
    expect(headers["cache-control"]).toBe("no-store");
    expect(headers["content-type"]).toMatch(/^application\/json/);
  });

  it("is not found before credentials were created", async () => {
    const { id: aliasId } = await ann.createAlias();
    const { status, body } = await ann.call("readSmtpPassword", { params: { aliasId } });
    expect([status, body.message]).toEqual([404, "SMTP credentials not found"]);
  });

  it("regenerated, replaces the old one at once", async () => {
    const { credential, params } = await withCredential();
    const { body } = await ann.call("regenerateSmtpPassword", { params });
    const { id, username, password } = credential;
    expect(body).toEqual({ credential: { id, username, password: expect.stringMatching(PASSWORD) } });
    expect(body.credential.password).not.toBe(password);
    expect(await signIn(username, password)).toBeNull();
    expect(await signIn(username, body.credential.password)).not.toBeNull();
    expect((await ann.call("readSmtpPassword", { params })).body.password).toBe(body.credential.password);
  });

  it("is invalid once the credentials are deleted", async () => {
    const { credential, params } = await withCredential();
    const { body } = await ann.call("deleteSmtpCredential", { params });
    expect(body).toEqual({ message: "SMTP credentials deleted" });
    expect(await signIn(credential.username, credential.password)).toBeNull();
    expect((await ann.call("deleteSmtpCredential", { params })).status).toBe(404);
    expect((await ann.call("listSmtpCredentials", { params })).body.credentials).toEqual([]);
  });
});

describe("an alias with SMTP credentials", () => {
  it("signs in by its new name only after a rename", async () => {
    const { credential, params } = await withCredential();
    const name = `new-${randomUUID().slice(0, 8)}`;
    await ann.call("updateAlias", { params, body: { alias: name } });
    expect(await signIn(credential.username, credential.password)).toBeNull();
    expect(await signIn(`${name}@kauke.test`, credential.password)).toMatchObject({ kind: "signed_in" });
    const { body } = await ann.call("listSmtpCredentials", { params });
    expect(body.credentials[0].username).toBe(`${name}@kauke.test`);
  });

  it("may not send while paused, and is not offered for composing", async () => {
    const dora = await new Visitor(server).register();
    const { id, alias, domain } = await dora.createAlias();
    const { body } = await dora.call("createSmtpCredential", { body: { aliasId: id } });
    expect((await dora.call("listAliasesWithSmtp")).body.aliases).toEqual([{ id, alias, domain }]);
    expect((await dora.call("getAccountStats")).body.stats.smtpCredentials).toBe(1);
    await dora.call("toggleAlias", { params: { aliasId: id }, body: { active: false } });
    expect((await dora.call("listAliasesWithSmtp")).body.aliases).toEqual([]);
    expect(await signIn(body.credential.username, body.credential.password)).toEqual({ kind: "paused" });
  });

  it("is for its owner only: others get a 404", async () => {
    const { credential, params } = await withCredential();
    const { id: theirs } = await bob.createAlias();
    const replies = [
      await bob.call("createSmtpCredential", { body: { aliasId: params.aliasId } }),
      await bob.call("listSmtpCredentials", { params }),
      await bob.call("readSmtpPassword", { params }),
      await bob.call("regenerateSmtpPassword", { params }),
      await bob.call("regenerateSmtpPassword", { params: { ...params, aliasId: theirs } }),
      await bob.call("deleteSmtpCredential", { params }),
      await bob.call("deleteSmtpCredential", { params: { ...params, aliasId: theirs } }),
      await ann.call("deleteSmtpCredential", { params: { ...params, credentialId: "no id" } }),
      await ann.call("regenerateSmtpPassword", { params: { ...params, credentialId: randomUUID() } }),
    ];
    expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 404));
    expect(await signIn(credential.username, credential.password)).not.toBeNull();
  });
});
