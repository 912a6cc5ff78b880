/**
 * Attacks on signing in: while others guess, the person who knows the password or reads the mailbox can still sign in.
 */
import { argon2Hasher } from "@kauke/server/platform/workers/argon2-hasher";
import { isLongRun } from "@kauke/testkit/long-rounds";
import { authPlain, secureTalk } from "@kauke/testkit/smtp-talk";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Browser, password, type SignInResponse, type Stage, startStage } from "./sign-in.testing.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await startStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const told = ({ status, body }: SignInResponse) => `${status} ${body.code ?? ""}`.trim();

/** A network that tries passwords as often as it can: again at the very moment at which its limit allows it. */
class Guesser {
  readonly #browser: Browser;
  readonly #email: string;
  tries = 0;
  #nextAt = 0;

  constructor(browser: Browser, email: string) {
    this.#browser = browser;
    this.#email = email;
  }

  /** Tries passwords until the rate limit refuses one. */
  async guess(): Promise<void> {
    while (stage.clock.now().getTime() >= this.#nextAt) {
      const { status, headers } = await this.#browser.login(this.#email, `guess ${this.tries}`);
      if (status === 401) this.tries += 1;
      else this.#nextAt = stage.clock.now().getTime() + 1000 * Number(headers.get("retry-after"));
    }
  }
}

/**
 * Two hours in which one network guesses and the owner signs in 163 times. @returns how many of the owner's sign-ins
 * succeeded
 */
async function twoHours(guessesFrom: string, ownerFrom: string): Promise<{ gotIn: number; tries: number }> {
  const email = await stage.person();
  const guesser = new Guesser(stage.browser(guessesFrom), email);
  let gotIn = 0;
  for (let second = 0, times = 0; second < 7200; second++, stage.clock.advance(1)) {
    await guesser.guess();
    if (second * 163 < times * 7200) continue;
    times += 1;
    if ((await stage.browser(ownerFrom).login(email, password)).status === 200) gotIn += 1;
  }
  return { gotIn, tries: guesser.tries };
}

describe("guesses from one network", () => {
  test("for two hours keep nobody out in other networks: the right password signs in 163 of 163 times", async () => {
    const { gotIn, tries } = await twoHours("192.0.2.1", "198.51.100.1");
    expect(gotIn).toBe(163);
    // The rate limit allows a network five tries, then one after 1 s, 2 s … 512 s, and then one every 15 minutes.
    expect(tries).toBeLessThan(25);
  });

  test("keep out unknown browsers in that network itself (control)", async () => {
    const { gotIn } = await twoHours("192.0.2.2", "192.0.2.2");
    expect(gotIn).toBe(0);
  });

  test("do not keep out a browser that has signed in before, in that very network", async () => {
    const email = await stage.person();
    const own = stage.browser("192.0.2.3");
    expect((await own.login(email, password)).status).toBe(200);
    const guesser = stage.browser("192.0.2.3");
    for (let tries = 0; tries < 60; tries++) await guesser.login(email, "guess");
    expect(told(await stage.browser("192.0.2.3").login(email, password))).toBe("429 rate_limited");
    expect(told(await own.login(email, password))).toBe("200");
  });

  test.each([
    ["an IPv4 /24", (host: number) => `192.0.3.${host}`],
    ["an IPv6 /48", (host: number) => `2001:db8:1:${host.toString(16)}::1`],
  ])(
    "from every address of %s do not stop an unknown browser elsewhere from signing in with its password",
    async (_, address) => {
      const email = await stage.person();
      let looked = 0;
      for (let host = 1; host <= 120; host++)
        if ((await stage.browser(address(host)).login(email, "guess")).status === 401) looked += 1;
      expect(looked).toBe(40);
      expect(told(await stage.browser(address(121)).login(email, password))).toBe("429 sign_in_by_link");
      expect(told(await stage.browser("198.51.100.2").login(email, password))).toBe("200");
    },
  );
});

/** A few more password tries than the 120 that the rate limit of an account allows. */
const few = isLongRun ? {} : { networks: 130, each: 1 };
const someOfEach = isLongRun ? {} : { each: 1 };

describe("guesses from 200 networks", () => {
  let email: string;
  let known: Browser;
  let looked = 0;

  /** Tries passwords from every network of the botnet. @returns for how many tries the password was checked */
  const attack = async (at: string, { networks = 200, each = 2 } = {}) => {
    let count = 0;
    for (let network = 0; network < networks; network++)
      for (let tries = 0; tries < each; tries++)
        if ((await stage.browser(`100.64.${network}.9`).login(at, "guess")).status === 401) count += 1;
    return count;
  };

  beforeAll(async () => {
    email = await stage.person();
    known = stage.browser("198.51.100.3");
    expect((await known.login(email, password)).status).toBe(200);
    looked = await attack(email, someOfEach);
  });

  test("are stopped by the limit per account, however many networks there are", () => {
    expect(looked).toBe(120);
  });

  test("do not keep out a browser that has signed in before, wherever it is", async () => {
    for (let times = 0; times < 10; times++) expect(told(await known.login(email, password))).toBe("200");
    expect(told(await stage.browser("198.51.100.3").login(email, password))).toBe("429 sign_in_by_link");
  });

  test("are not let through with another browser's cookie, a truncated or a changed one", async () => {
    const other = stage.browser("198.51.100.4");
    expect((await other.login(await stage.person(), password)).status).toBe(200);
    const value = known.cookies.get("browser") ?? "";
    const changed = [value.slice(0, 63), `${value}${value}${value}${value}${value}${value}`, flipped(value), "", "x"];
    for (const [place, cookie] of [other.cookies.get("browser") ?? "", ...changed].entries()) {
      const thief = stage.browser(`198.51.101.${place}`);
      thief.cookies.set("browser", cookie);
      expect(told(await thief.login(email, password))).toBe("429 sign_in_by_link");
    }
    const copy = stage.browser("198.51.100.5");
    copy.cookies.set("browser", value);
    expect(told(await copy.login(email, password))).toBe("200");
  });

  test("leave an unknown browser the sign-in link: requested, opened, signed in, and known from then on", async () => {
    const fresh = stage.browser("198.51.100.6");
    expect(told(await fresh.login(email, password))).toBe("429 sign_in_by_link");
    expect((await fresh.send("/api/auth/sign-in-link/message", { email })).status).toBe(202);
    const token = await stage.mailedToken(email, "sign-in-link");
    // The account's owner never proved access to the mailbox, so the link alone does not sign in, even in the browser
    // that requested it.
    const state = await fresh.send("/api/auth/sign-in-link/state", { token });
    expect(state.body).toEqual({ email, needsPassword: true });
    expect(told(await fresh.send("/api/auth/sign-in-link", { token }))).toBe("400 invalid");
    expect(told(await fresh.send("/api/auth/sign-in-link", { token, password: "guess" }))).toBe(
      "401 credentials_wrong",
    );
    expect(told(await fresh.send("/api/auth/sign-in-link", { token, password }))).toBe("200");
    expect(await fresh.isSignedIn()).toBe(true);
    expect(told(await fresh.login(email, password))).toBe("200");
    expect(told(await fresh.send("/api/auth/sign-in-link", { token, password }))).toBe("404 not_found");
  });

  test("do not keep out the browser that resets the password", async () => {
    const fresh = stage.browser("198.51.100.7");
    expect((await fresh.send("/api/auth/password-reset/message", { email })).status).toBe(202);
    const token = await stage.mailedToken(email, "reset", 1);
    expect((await fresh.send("/api/auth/password-reset", { token, password: "a new password" })).status).toBe(200);
    expect(told(await fresh.login(email, "a new password"))).toBe("200");
    // Since the reset, the browser that had signed in before counts as unknown.
    expect(told(await known.login(email, "a new password"))).toBe("429 sign_in_by_link");
    await expect(attack(email, few)).resolves.toBe(0);
  });

  test("reveal to nobody whether there is an account", async () => {
    const nobody = "nobody.at.all@people.example";
    const somebody = await stage.person();
    const lookUps = countLookUps();
    expect(await attack(nobody, few)).toBe(120);
    expect(await attack(somebody, few)).toBe(120);
    expect(lookUps()).toBe(240);
    const [to, no] = [stage.browser("198.51.100.8"), stage.browser("198.51.100.9")];
    const [real, made] = [await to.login(somebody, password), await no.login(nobody, password)];
    expect(real.status).toBe(429);
    expect(seen(made)).toEqual(seen(real));
    const [asked, askedNobody] = await Promise.all([
      to.send("/api/auth/sign-in-link/message", { email: somebody }),
      no.send("/api/auth/sign-in-link/message", { email: nobody }),
    ]);
    expect(asked.status).toBe(202);
    expect(seen(askedNobody)).toEqual(seen(asked));
    // No account was looked up before any of the responses was sent, so their timing does not reveal an account either.
    expect(lookUps()).toBe(240);
    await stage.mailedToken(somebody, "sign-in-link");
  });
});

const flipped = (value: string) => `${value.slice(0, 30)}${value[30] === "A" ? "B" : "A"}${value.slice(31)}`;

/** Everything in a response that a client sees, except times and random numbers. */
function seen({ status, body, headers }: SignInResponse) {
  const names = [...headers.keys()].filter((it) => it !== "date").toSorted();
  const { resetTime, ...said } = body;
  return { status, said, names, hasResetTime: resetTime !== undefined, length: headers.get("content-length") };
}

/**
 * Counts look-ups of accounts, to be read right after the responses: sending the requested message, at some later
 * moment, looks one up too.
 */
function countLookUps(): () => number {
  const { users } = stage.system.server.store;
  const { findByEmail } = users;
  let count = 0;
  users.findByEmail = (email) => {
    count += 1;
    return findByEmail(email);
  };
  return () => count;
}

describe("a browser that signed in before", () => {
  test("counts as unknown after ten wrong passwords, and as known again after the owner's next right one", async () => {
    const email = await stage.person();
    const own = stage.browser("198.51.100.10");
    await own.login(email, password);
    const stolen = own.cookies.get("browser") ?? "";
    const thief = (network: number) => {
      const browser = stage.browser(`100.65.${network}.1`);
      browser.cookies.set("browser", stolen);
      return browser.login(email, "guess");
    };
    for (let tries = 0; tries < 10; tries++) expect((await thief(tries)).status).toBe(401);
    // From here on, tries with the stolen cookie count in the limits of their network and of the account.
    for (let network = 10; network < 140; network++) await thief(network);
    expect(told(await thief(140))).toBe("429 sign_in_by_link");
    expect(told(await own.login(email, password))).toBe("429 sign_in_by_link");
    stage.clock.advance(3600);
    expect(told(await own.login(email, password))).toBe("200");
    expect(own.cookies.get("browser")).not.toBe(stolen);
    for (let network = 0; network < 150; network++) await thief(network);
    expect(told(await own.login(email, password))).toBe("200");
  });

  test("remembers five accounts, none of them readable, and forgets the first when a sixth is added", async () => {
    const own = stage.browser("198.51.100.11");
    const emails = [];
    for (let count = 0; count < 6; count++) emails.push(await stage.person());
    for (const email of emails) expect((await own.login(email, password)).status).toBe(200);
    const value = own.cookies.get("browser") ?? "";
    expect(value).toHaveLength(5 * 64);
    for (const email of emails) expect(Buffer.from(value, "base64url").includes(email)).toBe(false);
    // Passwords are guessed for the account that the browser's cookie forgot and the oldest that it remembers.
    const attacked = isLongRun ? emails : emails.slice(0, 2);
    for (const email of attacked)
      for (let network = 0; network < 130; network++) await stage.browser(`100.66.${network}.1`).login(email, "guess");
    const got = [];
    for (const email of emails) got.push(told(await own.login(email, password)));
    expect(got).toEqual(["429 sign_in_by_link", "200", "200", "200", "200", "200"]);
  }, 60_000);
});

describe("a sign-in link", () => {
  /** Creates a person whose mailbox is proven, and a browser that has requested a sign-in link for that person. */
  async function asked(address: string): Promise<{ email: string; own: Browser; token: string }> {
    const email = await stage.person();
    const own = stage.browser(address);
    await own.send("/api/auth/password-reset/message", { email });
    const reset = await stage.mailedToken(email, "reset");
    expect((await own.send("/api/auth/password-reset", { token: reset, password })).status).toBe(200);
    await own.send("/api/auth/sign-in-link/message", { email });
    return { email, own, token: await stage.mailedToken(email, "sign-in-link", 2) };
  }

  test("signs in the browser that requested it, and nobody it was forwarded to: nobody enters a stranger's account unawares", async () => {
    const { own, token } = await asked("198.51.100.12");
    const victim = stage.browser("198.51.100.13");
    // The victim's browser has a cookie of its own, from a visit or a link that it requested itself.
    await victim.send("/api/auth/sign-in-link/message", { email: "nobody@people.example" });
    for (const browser of [victim, stage.browser("198.51.100.14")]) {
      const state = await browser.send("/api/auth/sign-in-link/state", { token });
      expect(state.body).toMatchObject({ needsPassword: true });
      expect(told(await browser.send("/api/auth/sign-in-link", { token }))).toBe("400 invalid");
      expect(await browser.isSignedIn()).toBe(false);
    }
    expect((await own.send("/api/auth/sign-in-link/state", { token })).body).toMatchObject({ needsPassword: false });
    expect(told(await own.send("/api/auth/sign-in-link", { token }))).toBe("200");
    expect(await own.isSignedIn()).toBe(true);
  });

  test("cannot be used to guess passwords: after five tries a new link is needed", async () => {
    const { token } = await asked("198.51.100.15");
    const thief = stage.browser("198.51.100.16");
    const attempt = (word: string) => thief.send("/api/auth/sign-in-link", { token, password: word });
    for (let tries = 0; tries < 5; tries++) expect(told(await attempt("guess"))).toBe("401 credentials_wrong");
    expect(told(await attempt(password))).toBe("429 rate_limited");
  });

  test("expires after 30 minutes, with a newer link, and with a new password", async () => {
    const { email, own, token } = await asked("198.51.100.17");
    stage.clock.advance(15 * 60);
    await own.send("/api/auth/sign-in-link/message", { email });
    const newer = await stage.mailedToken(email, "sign-in-link", 3);
    expect(told(await own.send("/api/auth/sign-in-link/state", { token }))).toBe("404 not_found");
    expect((await own.send("/api/auth/sign-in-link/state", { token: newer })).status).toBe(200);
    stage.clock.advance(30 * 60);
    expect(told(await own.send("/api/auth/sign-in-link", { token: newer }))).toBe("404 not_found");
    await own.send("/api/auth/sign-in-link/message", { email });
    const last = await stage.mailedToken(email, "sign-in-link", 4);
    await own.login(email, password);
    const change = { currentPassword: password, newPassword: "another password" };
    expect((await own.send("/api/account/password", change)).status).toBe(200);
    expect(told(await own.send("/api/auth/sign-in-link/state", { token: last }))).toBe("404 not_found");
  });

  test("that was sent works even if others use up the network's tries at links", async () => {
    const { own, token } = await asked("198.51.100.18");
    const neighbour = stage.browser("198.51.100.18");
    const wrong = () => neighbour.send("/api/auth/sign-in-link/state", { token: "a".repeat(32) });
    let answer = await wrong();
    for (let tries = 0; tries < 60 && answer.status === 404; tries++) answer = await wrong();
    expect(told(answer)).toBe("429 rate_limited");
    expect(told(await own.send("/api/auth/sign-in-link", { token }))).toBe("200");
  });
});

describe("a flood of sign-ins from one block of networks", () => {
  test("fills its own places in the queue for password hashes: a password from elsewhere is checked in its turn", async () => {
    // Hashing passwords is as slow as in production, one at a time, so that sign-ins wait for hashes and not for the
    // database.
    const hasher = argon2Hasher({ concurrency: 1, queueMax: 16 });
    await using narrow = await startStage({ overrides: { hasher } });
    const email = await narrow.person();
    const full = Promise.withResolvers<void>();
    const answers = new Map<string, number>();
    let isOver = false;
    // Each try comes from a network of its own, all of one IPv6 /48, so that no limit per network applies.
    let networks = 0;
    const ofBlock = () => narrow.browser(`2001:db8:7:${(++networks).toString(16)}::1`);
    const flood = Array.from({ length: 60 }, async () => {
      while (!isOver) {
        const answer = told(await ofBlock().login(`nobody${networks}@people.example`, "guess"));
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
        if (answer !== "429 busy") continue;
        full.resolve();
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    });
    // Control: the test goes on only once the flood has filled the queue of password hashes; otherwise it times out.
    await full.promise;
    const ownTries = isLongRun ? 4 : 2;
    const own = [];
    for (let times = 0; times < ownTries; times++)
      own.push(told(await narrow.browser("198.51.100.1").login(email, password)));
    isOver = true;
    await Promise.all(flood);
    expect(own).toEqual(Array.from({ length: ownTries }, () => "200"));
    expect(answers.get("401 credentials_wrong")).toBeGreaterThan(0);
  }, 90_000);
});

describe("guesses at a submission password", () => {
  test("from the owner's own network do not keep out a mail program that has the right one", async () => {
    const email = await stage.person();
    const own = stage.browser("198.51.100.20");
    const { user } = (await own.login(email, password)).body;
    const draft = { alias: "guessed-at", domain: "kauke.test", forwardTo: "ann@inbox.example" };
    const alias = (await own.send(`/api/aliases/${user.id}`, draft)).body;
    const { credential } = (await own.send("/api/smtp-credentials", { aliasId: alias.id })).body;
    const auth = async (word: string) => {
      const talk = await secureTalk(stage.system.submissionPort, { localAddress: "127.0.0.77" });
      const answer = await talk.ask(authPlain({ username: credential.username, password: word }));
      talk.close();
      return answer.slice(0, 3);
    };
    const answers = [];
    for (let tries = 0; tries < 35; tries++) answers.push(await auth("guess"));
    expect(answers.slice(0, 15)).toEqual(Array.from({ length: 15 }, () => "535"));
    expect(answers.at(-1)).toBe("451");
    expect(await auth(credential.password)).toBe("235");
  }, 30_000);
});
