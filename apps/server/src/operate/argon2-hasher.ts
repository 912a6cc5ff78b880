/**
 * argon2id off the event loop (OWASP asks for 19 MiB, two passes; we take 64 MiB, three). Each hash holds its memory and one
 * of four pool threads, so two run at once, some wait, and beyond that the caller hears `busy`.
 */
import { randomBytes } from "node:crypto";
import { hash, parseOptions, verify } from "@node-rs/argon2";
import { AppError } from "../core/app-error.ts";
import type { PasswordHasher } from "../core/password/password-hasher.ts";

export interface Argon2Settings {
  memoryKib: number;
  passes: number;
  /** Hashes at once. */
  concurrency: number;
  /** Callers that may wait. */
  queueMax: number;
}

const production: Argon2Settings = { memoryKib: 64 * 1024, passes: 3, concurrency: 2, queueMax: 64 };

/** @param settings tests make it cheap */
export function argon2Hasher(settings: Partial<Argon2Settings> = {}): PasswordHasher {
  const { memoryKib, passes, concurrency, queueMax } = { ...production, ...settings };
  const inTurn = createTurnstile(concurrency, queueMax);
  const nobodys = hashOfNothing(memoryKib, passes);
  return {
    hash: (password) =>
      inTurn(() => hash(canonical(password), { memoryCost: memoryKib, timeCost: passes, parallelism: 1 })),
    verify: (passwordHash, password) =>
      inTurn(async () => {
        const isRight = await verify(passwordHash ?? nobodys, canonical(password));
        return isRight && passwordHash !== null;
      }),
    needsRehash(passwordHash) {
      const made = parseOptions(passwordHash);
      return made.algorithm !== ARGON2ID || made.memoryCost < memoryKib || made.timeCost < passes;
    },
  };
}

/** `Algorithm.Argon2id`, an ambient const enum that type stripping can't read. It is also the library's default. */
const ARGON2ID = 2;

/** The same password typed on another device may come in another Unicode form. */
function canonical(password: string): Buffer {
  return Buffer.from(password.normalize("NFC"), "utf8");
}

/** A well-formed hash no password is known for: checking against it costs what a real check costs. */
function hashOfNothing(memoryKib: number, passes: number): string {
  const text = (length: number) => randomBytes(length).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${text(16)}$${text(32)}`;
}

function createTurnstile(concurrency: number, queueMax: number) {
  let running = 0;
  const waiting: (() => void)[] = [];
  const leave = () => {
    const next = waiting.shift();
    if (next === undefined) running -= 1;
    else next();
  };
  return async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (running < concurrency) running += 1;
    else if (waiting.length >= queueMax) throw new AppError("busy");
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      leave();
    }
  };
}
