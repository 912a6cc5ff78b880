/** Browsers in networks of their own, and a server with a manual clock, for attacks on signing in. */
import type { StartOverrides } from "@kauke/server/app";
import { startSystem, type TestSystem } from "@kauke/testkit/system";
import { expect } from "vitest";

export const password = "correct horse battery";

export interface SignInResponse {
  status: number;
  /** Response body; untyped, because each test reads the fields that it expects. */
  body: any;
  headers: Headers;
}

/** One browser: it has its own cookies and one address. */
export class Browser {
  readonly #url: string;
  readonly address: string;
  readonly cookies = new Map<string, string>();

  constructor(url: string, address: string) {
    this.#url = url;
    this.address = address;
  }

  async send(path: string, body?: unknown): Promise<SignInResponse> {
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const type = body === undefined ? {} : { "content-type": "application/json" };
    const answer = await fetch(`${this.#url}${path}`, {
      method: body === undefined ? "GET" : "POST",
      headers: { cookie, "x-forwarded-for": this.address, ...type },
      body: body === undefined ? null : JSON.stringify(body),
      redirect: "manual",
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (/; Max-Age=0;/.test(line)) this.cookies.delete(name);
      else this.cookies.set(name, value);
    }
    const text = await answer.text();
    const isJson = answer.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: answer.status, body: isJson ? JSON.parse(text) : text, headers: answer.headers };
  }

  async register(email: string): Promise<this> {
    expect((await this.send("/api/auth/register", { email, password })).status).toBe(201);
    return this;
  }

  login(email: string, word: string): Promise<SignInResponse> {
    return this.send("/api/auth/login", { email, password: word });
  }

  async isSignedIn(): Promise<boolean> {
    return (await this.send("/api/auth/session")).status === 200;
  }
}

export interface Stage extends AsyncDisposable {
  system: TestSystem;
  clock: { now(): Date; advance(seconds: number): void };
  browser(address: string): Browser;
  /**
   * Registers a person; the browser and network used for that are not used again. @returns the person's e-mail address
   */
  person(): Promise<string>;
  /**
   * Waits until more than `seen` messages were sent to this address. @returns the token of the link to `page` in the
   * newest of them
   */
  mailedToken(email: string, page: "reset" | "sign-in-link", seen?: number): Promise<string>;
}

export interface StageOptions {
  env?: Record<string, string>;
  overrides?: StartOverrides;
}

let people = 0;

export async function startStage({ env = {}, overrides = {} }: StageOptions = {}): Promise<Stage> {
  let now = Date.parse("2026-11-21T09:00:00Z");
  const clock = { now: () => new Date(now), advance: (seconds: number) => void (now += seconds * 1000) };
  const system = await startSystem({
    // The server trusts the header field in which each browser states its address, as it would trust a proxy's.
    env: { KAUKE_TRUSTED_PROXIES: "127.0.0.1", ...env },
    overrides: { clock, ...overrides },
  });
  const browser = (address: string) => new Browser(system.url, address);
  const messagesTo = async (email: string) => {
    const preview = system.server.preview;
    if (preview === null) throw new Error("mail goes elsewhere");
    const mine = (await preview.list()).filter((it) => it.rcptTo === email);
    return Promise.all(mine.map(async (it) => (await preview.get(it.id))?.text ?? ""));
  };
  return {
    system,
    clock,
    browser,
    async person() {
      const email = `person${++people}@people.example`;
      await browser(`203.0.113.${people}`).register(email);
      return email;
    },
    async mailedToken(email, page, seen = 0) {
      await expect.poll(async () => (await messagesTo(email)).length, { timeout: 20_000 }).toBeGreaterThan(seen);
      const [newest = ""] = await messagesTo(email);
      return new RegExp(`/${page}#([a-z2-7]{32})`).exec(newest)?.[1] ?? "";
    },
    [Symbol.asyncDispose]: () => system.close(),
  };
}
