import { execFileSync } from "node:child_process";
import { limits } from "@kauke/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { engineForwarding } from "../../core/forwarding/forwarding-provider.ts";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
let ann: Visitor;
const tested: { username: string; password: string }[] = [];
const found = { name: "found", connection: "open", certificate: "valid" } as const;
beforeAll(async () => {
  const testSubmission = async (login: { username: string; password: string }) => {
    tested.push(login);
    return { ...found, signIn: "refused" as const };
  };
  server = await startTestServer({ testSubmission });
  ann = await new Visitor(server).register();
});
afterAll(() => server.close());

async function withCredential() {
  const { id: aliasId } = await ann.createAlias({});
  const { credential } = (await ann.call("createSmtpCredential", { body: { aliasId } })).body;
  return { credential, params: { aliasId, credentialId: credential.id } };
}

const linkOf = async (params: { aliasId: string }): Promise<string> => {
  const { status, body } = await ann.call("createMailProfile", { params });
  expect(status).toBe(201);
  return new URL(body.url).pathname;
};

/** Opens a link without a session, as a phone does. */
const open = (url: string, headers: Record<string, string> = {}, method: "GET" | "HEAD" = "GET") =>
  new Visitor(server).send({ method, url, headers });

/** The account of a profile, read by Python's plistlib. */
function accountOf(profile: string): Record<string, unknown> {
  const program = "import sys, json, plistlib; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))";
  const read = JSON.parse(execFileSync("python3", ["-c", program], { input: profile }).toString());
  expect(read.PayloadType).toBe("Configuration");
  return read.PayloadContent[0];
}

describe("a link to a configuration profile", () => {
  it("gives one program all that it needs, once", async () => {
    const { credential, params } = await withCredential();
    const { body } = await ann.call("createMailProfile", { params });
    expect(body.url).toMatch(/^http:\/\/localhost:3000\/mail-profile\/[a-z2-7]{32}$/);
    const { pathname } = new URL(body.url);
    const profile = await open(pathname);
    expect([profile.status, profile.headers["cache-control"]]).toEqual([200, "no-store"]);
    expect(profile.headers["content-type"]).toBe("application/x-apple-aspen-config");
    const { username, password } = credential;
    expect(accountOf(String(profile.body))).toMatchObject({
      PayloadType: "com.apple.mail.managed",
      EmailAccountType: "EmailTypePOP",
      EmailAddress: username,
      IncomingMailServerHostName: "smtp.kauke.test",
      IncomingMailServerPortNumber: 2995,
      IncomingMailServerUsername: username,
      IncomingPassword: password,
      OutgoingMailServerHostName: "smtp.kauke.test",
      OutgoingMailServerPortNumber: 2465,
      OutgoingMailServerUseSSL: true,
      OutgoingPasswordSameAsIncomingPassword: true,
    });
    const again = await open(pathname);
    expect([again.status, again.headers["cache-control"]]).toEqual([404, "no-store"]);
    expect(String(again.body)).not.toContain(password);
  });

  it("works for one of many that open it at once", async () => {
    const { params } = await withCredential();
    const url = await linkOf(params);
    const statuses = (await Promise.all(Array.from({ length: 8 }, () => open(url)))).map(({ status }) => status);
    expect(statuses.sort((a, b) => a - b)).toEqual([200, ...Array.from({ length: 7 }, () => 404)]);
  });

  it("is not used up by HEAD, by a prefetch, or by a preview", async () => {
    const { params } = await withCredential();
    const url = await linkOf(params);
    expect((await open(url, {}, "HEAD")).status).not.toBe(200);
    const early = ["sec-purpose", "purpose", "x-moz"].map((name) => ({ [name]: "prefetch;prerender" }));
    for (const headers of [...early, { "x-purpose": "preview" }]) {
      const { status, headers: sent } = await open(url, headers);
      expect([status, sent["cache-control"]]).toEqual([404, "no-store"]);
    }
    expect((await open(url)).status).toBe(200);
  });

  it("ends with a new password, a new name, and the credentials", async () => {
    const changes: ((params: { aliasId: string; credentialId: string }) => Promise<unknown>)[] = [
      (params) => ann.call("regenerateSmtpPassword", { params }),
      (params) => ann.call("updateAlias", { params, body: { alias: `new-${params.aliasId.slice(0, 8)}` } }),
      (params) => ann.call("deleteSmtpCredential", { params }),
      (params) => ann.call("deleteAlias", { params }),
    ];
    for (const change of changes) {
      const { params } = await withCredential();
      const url = await linkOf(params);
      await change(params);
      expect((await open(url)).status).toBe(404);
    }
  });

  it("is not found for others, without credentials, and where programs do not set themselves up", async () => {
    const bob = await new Visitor(server).register();
    const { params } = await withCredential();
    const { id: aliasId } = await ann.createAlias({});
    expect((await bob.call("createMailProfile", { params })).status).toBe(404);
    expect((await ann.call("createMailProfile", { params: { aliasId } })).status).toBe(404);
    const about = { name: "Forward Email", smtpHost: "smtp.provider.example" };
    const theirs = await startTestServer({ store: server.store, forwarding: { ...engineForwarding, about } });
    const cleo = await new Visitor(theirs).register();
    const own = await cleo.createAlias({});
    await cleo.call("createSmtpCredential", { body: { aliasId: own.id } });
    expect((await cleo.call("createMailProfile", { params: { aliasId: own.id } })).status).toBe(404);
    await theirs.close();
    for (const token of ["", "x", "a".repeat(32), "../../etc/passwd", "%00".repeat(20)])
      expect((await open(`/mail-profile/${token}`)).status).not.toBe(200);
  });

  it("is one of a few: an account's newest end its oldest", async () => {
    const { params } = await withCredential();
    const first = await linkOf(params);
    server.clock.advance(1);
    const others: string[] = [];
    for (let n = 0; n < limits.mailProfilesMax; n++) {
      others.push(await linkOf(params));
      server.clock.advance(1);
    }
    expect((await open(first)).status).toBe(404);
    for (const url of others) expect((await open(url)).status).toBe(200);
  });

  it("ends after ten minutes", async () => {
    const { params } = await withCredential();
    const [late, soon] = [await linkOf(params), await linkOf(params)];
    server.clock.advance(limits.mailProfileMinutes * 60 - 1);
    expect((await open(soon)).status).toBe(200);
    server.clock.advance(1);
    expect((await open(late)).status).toBe(404);
  });
});

describe("the test of a connection", () => {
  it("signs in with the alias' credentials, and tells a paused alias from a wrong password", async () => {
    const { credential, params } = await withCredential();
    const { body } = await ann.call("testSmtpConnection", { params });
    expect(body).toEqual({ ...found, signIn: "refused" });
    expect(tested.at(-1)).toEqual({ username: credential.username, password: credential.password });
    await ann.call("toggleAlias", { params, body: { active: false } });
    expect((await ann.call("testSmtpConnection", { params })).body.signIn).toBe("paused");
  });

  it("is for the owner, a few times an hour", async () => {
    const dan = await new Visitor(server).register();
    const { id: aliasId } = await dan.createAlias({});
    expect((await ann.call("testSmtpConnection", { params: { aliasId } })).status).toBe(404);
    expect((await dan.call("testSmtpConnection", { params: { aliasId } })).status).toBe(404);
    await dan.call("createSmtpCredential", { body: { aliasId } });
    const before = tested.length;
    const statuses: number[] = [];
    for (let n = 0; n < 21; n++) statuses.push((await dan.call("testSmtpConnection", { params: { aliasId } })).status);
    expect([statuses.slice(0, 20).every((status) => status === 200), statuses[20]]).toEqual([true, 429]);
    expect(tested.length - before).toBe(20);
  });
});
