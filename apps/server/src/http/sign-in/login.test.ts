import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestServer, type TestServer, Visitor } from "../test/test-server.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const visitor = () => new Visitor(server);
let count = 0;
const freshEmail = () => `Person.${++count}@Example.org`;

describe("registering", () => {
  it("creates the account, signs in and returns the user without the password", async () => {
    const email = freshEmail();
    const ann = visitor();
    const { status, body } = await ann.call("register", { body: { email, password: "correct horse" } });
    expect(status).toBe(201);
    expect(body.user).toMatchObject({ email, authMethod: "email", balance: "0.00", walletAddress: null });
    expect(JSON.stringify(body)).not.toMatch(/hash|argon2|correct horse/i);
    expect((await ann.call("getSession")).body).toEqual(body);
  });

  it("refuses a taken e-mail in any letter case, after hashing the password all the same", async () => {
    const email = freshEmail();
    await visitor().register(email);
    const { status, body } = await visitor().call("register", {
      body: { email: email.toUpperCase(), password: "another one" },
    });
    expect([status, body.code]).toEqual([409, "email_taken"]);
  });

  it("accepts the e-mail again after the account was deleted", async () => {
    const email = freshEmail();
    await (await visitor().register(email)).call("deleteAccount");
    await visitor().register(email, "a new password");
  });

  const wrong: [string, unknown, Record<string, string[]>][] = [
    [
      "a short password",
      { email: "a@b.example", password: "1234567" },
      { password: ["Password must be at least 8 characters"] },
    ],
    [
      "a password of 129",
      { email: "a@b.example", password: "x".repeat(129) },
      { password: ["Password must be 128 characters or less"] },
    ],
    ["no e-mail", { email: "ann", password: "correct horse" }, { email: ["Valid email address is required"] }],
    ["nothing", {}, { email: ["Valid email address is required"], password: ["Password is required"] }],
    ["no body", undefined, { email: ["Valid email address is required"], password: ["Password is required"] }],
  ];
  it.each(wrong)("refuses %s with the field's message", async (_, body, errors) => {
    const reply = await visitor().call("register", { body });
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({ code: "invalid", message: Object.values(errors)[0]?.[0], errors });
  });

  it("is allowed ten times an hour from one address, then says when to try again", async () => {
    const busy = visitor();
    for (let tries = 0; tries < 10; tries++) await busy.register();
    const { status, body, headers } = await busy.call("register", {
      body: { email: freshEmail(), password: "correct horse" },
    });
    expect([status, body.rateLimited]).toEqual([429, true]);
    expect(new Date(body.resetTime)).toEqual(new Date(server.clock.now().getTime() + 3_600_000));
    expect(headers["retry-after"]).toBe("3600");
    await visitor().register();
    server.clock.advance(3600);
    await busy.register();
  });
});

describe("signing in", () => {
  it("accepts the e-mail in any letter case", async () => {
    const email = freshEmail();
    await visitor().register(email);
    const { status, body } = await visitor().call("login", {
      body: { email: email.toLowerCase(), password: "correct horse" },
    });
    expect([status, body.user.email]).toEqual([200, email]);
  });

  it("gives the same response to a wrong password and an unknown e-mail", async () => {
    const email = freshEmail();
    await visitor().register(email);
    const wrong = await visitor().call("login", { body: { email, password: "wrong horse" } });
    const unknown = await visitor().call("login", { body: { email: freshEmail(), password: "wrong horse" } });
    expect(wrong.status).toBe(401);
    expect(wrong.body).toEqual({ code: "credentials_wrong", message: "Invalid email or password" });
    expect(unknown.body).toEqual(wrong.body);
    expect(unknown.headers["set-cookie"]).toBeUndefined();
  });

  it("requires a password", async () => {
    const { body } = await visitor().call("login", { body: { email: freshEmail(), password: "" } });
    expect(body.errors).toEqual({ password: ["Password is required"] });
  });

  it("gives every sign-in a new token and ends the one this browser had", async () => {
    const email = freshEmail();
    const ann = await visitor().register(email);
    const former = ann.cookies.get("sid") ?? "";
    await ann.call("login", { body: { email, password: "correct horse" } });
    expect(ann.cookies.get("sid")).not.toBe(former);
    const { status } = await visitor().call("getSession", { headers: { cookie: `sid=${former}` } });
    expect(status).toBe(401);
  });

  it("allows five wrong passwords, then one after 1, 2, 4 … 900 seconds, for this account and network only", async () => {
    const email = freshEmail();
    await visitor().register(email);
    const [guesser, owner] = [visitor(), visitor()];
    const attempt = (who: Visitor, password: string) => who.call("login", { body: { email, password } });
    const wrongTry = () => attempt(guesser, "wrong horse");
    for (let tries = 0; tries < 5; tries++) expect((await wrongTry()).status).toBe(401);
    for (const seconds of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900]) {
      const { status, body, headers } = await wrongTry();
      expect([status, body.code, headers["retry-after"]]).toEqual([429, "rate_limited", String(seconds)]);
      expect(new Date(body.resetTime)).toEqual(new Date(server.clock.now().getTime() + seconds * 1000));
      owner.cookies.clear();
      expect((await attempt(owner, "correct horse")).status).toBe(200);
      server.clock.advance(seconds);
      expect((await wrongTry()).status).toBe(401);
    }
    expect((await guesser.call("login", { body: { email: freshEmail(), password: "x" } })).status).toBe(401);
  });

  it("resets the count after a right password", async () => {
    const email = freshEmail();
    await visitor().register(email);
    const person = visitor();
    const attempt = (password: string) => person.call("login", { body: { email, password } });
    for (let round = 0; round < 3; round++) {
      for (let tries = 0; tries < 4; tries++) expect((await attempt("wrong horse")).status).toBe(401);
      expect((await attempt("correct horse")).status).toBe(200);
      person.cookies.clear();
    }
  });

  it("is allowed thirty times in ten minutes from one address", async () => {
    const guesser = visitor();
    const attempt = () => guesser.call("login", { body: { email: freshEmail(), password: "wrong horse" } });
    for (let tries = 0; tries < 30; tries++) expect((await attempt()).status).toBe(401);
    expect((await attempt()).status).toBe(429);
    server.clock.advance(600);
    expect((await attempt()).status).toBe(401);
  });

  it("counts concurrent attempts as well", async () => {
    const email = freshEmail();
    const guesser = visitor();
    const attempts = Array.from({ length: 20 }, () => guesser.call("login", { body: { email, password: "x" } }));
    const statuses = (await Promise.all(attempts)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401)).toHaveLength(5);
  });
});

describe("more concurrent sign-ins than the queue for hashing holds", () => {
  it("are asked to try again in a moment", async () => {
    const { argon2Hasher } = await import("../../platform/workers/argon2-hasher.ts");
    const hasher = argon2Hasher({ memoryKib: 8192, passes: 2, concurrency: 1, queueMax: 0 });
    const narrow = await startTestServer({ store: server.store, hasher });
    const attempt = () => new Visitor(narrow).call("login", { body: { email: freshEmail(), password: "x" } });
    const replies = await Promise.all(Array.from({ length: 6 }, attempt));
    const refused = replies.filter(({ status }) => status !== 401);
    expect(refused.length).toBeGreaterThan(0);
    for (const { status, body, headers } of refused) {
      expect([status, body.code, body.rateLimited]).toEqual([429, "busy", true]);
      expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    }
    await narrow.close();
  });
});

describe("a session", () => {
  it("is in a cookie that scripts cannot read and other sites' requests do not include", async () => {
    const { headers } = await visitor().call("register", { body: { email: freshEmail(), password: "correct horse" } });
    const [session] = headers["set-cookie"] as string[];
    expect(session).toMatch(/^sid=[\w-]{43}; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  it("is stored by its token's hash only", async () => {
    const ann = await visitor().register();
    const { createHash } = await import("node:crypto");
    const token = ann.cookies.get("sid") ?? "";
    expect(await server.store.loginSessions.find(Buffer.from(token, "base64url"))).toBeNull();
    const hash = createHash("sha256").update(token).digest();
    expect(await server.store.loginSessions.find(hash)).toMatchObject({ userId: ann.userId });
  });

  it("ends after thirty minutes without a request", async () => {
    const ann = await visitor().register();
    for (let pause = 0; pause < 4; pause++) {
      server.clock.advance(29 * 60);
      expect((await ann.call("getSession")).status).toBe(200);
    }
    server.clock.advance(30 * 60);
    const { status, body } = await ann.call("getSession");
    expect([status, body.code]).toEqual([401, "not_signed_in"]);
  });

  it("ends after a day even if it is in use", async () => {
    const ann = await visitor().register();
    for (let half = 1; half < 48 * 2; half++) {
      server.clock.advance(15 * 60);
      expect((await ann.call("getAccountStats")).status).toBe(200);
    }
    server.clock.advance(15 * 60);
    expect((await ann.call("getAccountStats")).status).toBe(401);
  });

  it("writes the time of its last use at most once a minute", async () => {
    const ann = await visitor().register();
    const { hashSessionToken } = await import("../../core/login-session.ts");
    const seenAt = async () => {
      const hash = hashSessionToken(ann.cookies.get("sid") ?? "") as Buffer;
      return (await server.store.loginSessions.find(hash))?.lastSeenAt.getTime();
    };
    const opened = await seenAt();
    server.clock.advance(59);
    await ann.call("getSession");
    expect(await seenAt()).toBe(opened);
    server.clock.advance(1);
    await ann.call("getSession");
    expect(await seenAt()).toBe((opened ?? 0) + 60_000);
  });

  it("ends by logging out, which removes the cookie and always succeeds", async () => {
    const ann = await visitor().register();
    const token = ann.cookies.get("sid");
    expect(await ann.call("logout")).toMatchObject({ status: 200, body: { message: "Successfully logged out" } });
    expect(ann.cookies.has("sid")).toBe(false);
    expect((await visitor().call("getSession", { headers: { cookie: `sid=${token}` } })).status).toBe(401);
    expect((await ann.call("logout")).status).toBe(200);
  });

  it("is not found by a forged or malformed cookie", async () => {
    for (const sid of ["", "x", "A".repeat(43), "%00", "é", `${"A".repeat(43)}; sid=x`, "A".repeat(8000)])
      expect((await visitor().call("getSession", { headers: { cookie: `sid=${sid}` } })).status, sid).toBe(401);
  });
});

describe("password hashes with weaker parameters", () => {
  it("are replaced at the next sign-in", async () => {
    const { argon2Hasher } = await import("../../platform/workers/argon2-hasher.ts");
    const stronger = await startTestServer({
      store: server.store,
      hasher: argon2Hasher({ memoryKib: 16, passes: 2 }),
    });
    const email = freshEmail();
    await visitor().register(email);
    await new Visitor(stronger).call("login", { body: { email, password: "correct horse" } });
    expect((await server.store.users.findByEmail(email))?.passwordHash).toContain("m=16,t=2");
    expect((await visitor().call("login", { body: { email, password: "correct horse" } })).status).toBe(200);
    await stronger.close();
  });
});
