/**
 * How long bystanders wait while an attack runs: somebody's mail, a person's page, and their sign-in, over and over. The
 * medians count, and beside them those of the same server without an attack.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { printFigures } from "@kauke/testkit/long-rounds";
import type { Person } from "@kauke/testkit/person";
import { sendMail } from "@kauke/testkit/send-mail";
import type { ServerProcess } from "@kauke/testkit/server-process";
import { expect } from "vitest";
import { requestFrom } from "./request-from.testing.ts";

export interface Watched {
  server: ServerProcess;
  owner: Person;
  /** Address of an alias of the owner. */
  alias: string;
  /** Address of the owner's client. */
  from?: string;
}

/** Waiting times in milliseconds. */
export interface Times {
  mail: number[];
  page: number[];
  signIn: number[];
}

const kinds = ["mail", "page", "signIn"] as const;
/** Pauses between two of a kind. Sign-ins are rarer: an account has a hundred open sessions. */
const pauseMs = { mail: 200, page: 200, signIn: 1000 } as const;

/** Signs in, then watches until `attack` has ended; every message, page and sign-in has to succeed. */
export async function watchTimes(
  { server, owner, alias, from = "127.99.9.9" }: Watched,
  attack: () => Promise<unknown>,
): Promise<Times> {
  const times: Times = { mail: [], page: [], signIn: [] };
  const end = { isOver: false };
  const repeat = async (kind: keyof Times, work: () => Promise<void>) => {
    do {
      const began = performance.now();
      await work();
      times[kind].push(performance.now() - began);
      await sleep(pauseMs[kind]);
    } while (!end.isOver);
  };
  const { email, password, user } = owner;
  const opened = { method: "POST", path: "/api/auth/login", body: { email, password } };
  const { cookies } = await requestFrom(server.httpPort, from, opened);
  const cookie = cookies.join("; ");
  // The cookie by which a browser that has signed in before is known.
  const browser = cookies.find((it) => it.includes("browser=")) ?? "";
  const over = attack().finally(() => {
    end.isOver = true;
  });
  await Promise.all([
    over,
    repeat("mail", async () => {
      const message = "From: Rasa <rasa@example.net>\r\nSubject: bystander\r\n\r\nLabas!\r\n";
      const mail = { port: server.mxPort, from: "rasa@example.net", to: alias, message, localAddress: from };
      expect((await sendMail(mail)).last).toMatch(/^250/);
    }),
    repeat("page", async () => {
      const page = { path: `/api/aliases/${user.id}`, cookie };
      expect((await requestFrom(server.httpPort, from, page)).status).toBe(200);
    }),
    repeat("signIn", async () => {
      expect((await requestFrom(server.httpPort, from, { ...opened, cookie: browser })).status).toBe(200);
    }),
  ]);
  return times;
}

/** Prints the medians and fails unless mail and pages are served within a second, and sign-ins within three. */
export function expectServed(name: string, { idle, seen }: { idle: Times; seen: Times }): void {
  const figures = kinds.flatMap((kind) => [
    [`${kind} idle`, `${median(idle[kind])} ms`],
    [kind, `${median(seen[kind])} ms`],
    [`slowest ${kind}`, `${Math.round(Math.max(...seen[kind]))} ms`],
  ]);
  printFigures(name, Object.fromEntries(figures));
  // On a machine that other programs slow down, the idle run beside it is slow too.
  const within = (kind: keyof Times, ms: number) =>
    expect(median(seen[kind]), kind).toBeLessThan(Math.max(ms, 20 * median(idle[kind])));
  within("mail", 1000);
  within("page", 1000);
  within("signIn", 3000);
}

const median = (times: readonly number[]): number =>
  Math.round(times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0);
