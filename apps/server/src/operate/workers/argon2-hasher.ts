/**
 * argon2id off the event loop (OWASP asks for 19 MiB, two passes; we take 64 MiB, three). Each hash holds its memory, one of four
 * pool threads and a core, so two run at most and some wait; `fair-queue.ts` decides who. One core is left to the event loop: it
 * sleeps for every fsync of a commit, and waking up where all cores hash cost it 3 ms each time.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, parseOptions, verify } from "@node-rs/argon2";
import { FairQueue } from "../../core/fair-queue/fair-queue.ts";
import type { PasswordHasher } from "../../core/password/password-hasher.ts";

export interface Argon2Settings {
  memoryKib: number;
  passes: number;
  /** Hashes at once. */
  concurrency: number;
  /** Callers that may wait, strangers and known ones each. */
  queueMax: number;
}

const production: Argon2Settings = {
  memoryKib: 64 * 1024,
  passes: 3,
  concurrency: Math.max(1, Math.min(2, availableParallelism() - 1)),
  queueMax: 64,
};

/** @param settings tests make it cheap */
export function argon2Hasher(settings: Partial<Argon2Settings> = {}): PasswordHasher {
  const { memoryKib, passes, concurrency, queueMax } = { ...production, ...settings };
  // By time used: of many blocks with one waiting hash each, the one that comes again gives way to one that comes first.
  const queue = new FairQueue({ concurrency, waitingMax: queueMax, now: () => performance.now() });
  const nobodys = hashOfNothing(memoryKib, passes);
  return {
    hash: (password, turn) =>
      queue.run(turn, () => hash(canonical(password), { memoryCost: memoryKib, timeCost: passes, parallelism: 1 })),
    verify: (passwordHash, password, turn) =>
      queue.run(turn, async () => {
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
