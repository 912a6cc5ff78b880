/**
 * argon2id hashing off the event loop (OWASP asks for 19 MiB and two passes; we use 64 MiB and three). Each hash takes
 * its memory, one of four pool threads and a core, so at most two run concurrently and others wait in a fair queue
 * (`fair-queue.ts`). One core is left free for the event loop: it sleeps during every fsync of a commit, and waking up
 * took 3 ms longer when all cores were hashing.
 */
import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, parseOptions, verify } from "@node-rs/argon2";
import type { PasswordHasher } from "../../core/user/user.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";

export interface Argon2Settings {
  memoryKib: number;
  passes: number;
  /** Maximum concurrent hashes. */
  concurrency: number;
  /** Maximum waiting callers, for known and for unknown callers each. */
  queueMax: number;
}

const production: Argon2Settings = {
  memoryKib: 64 * 1024,
  passes: 3,
  concurrency: Math.max(1, Math.min(2, availableParallelism() - 1)),
  queueMax: 64,
};

/** Makes the password hasher. @param settings replaced production settings, e.g. cheaper hashes for tests */
export function argon2Hasher(settings: Partial<Argon2Settings> = {}): PasswordHasher {
  const { memoryKib, passes, concurrency, queueMax } = { ...production, ...settings };
  // Address blocks that recently used the hasher less are served first: among many blocks with one waiting hash each,
  // one that has used the hasher before comes after one that has not.
  const queue = new FairQueue({ concurrency, waitingMax: queueMax, now: () => performance.now() });
  const decoyHash = makeDecoyHash(memoryKib, passes);
  return {
    hash: (password, turn) =>
      queue.run(turn, () => hash(canonical(password), { memoryCost: memoryKib, timeCost: passes, parallelism: 1 })),
    verify: (passwordHash, password, turn) =>
      queue.run(turn, async () => {
        const isRight = await verify(passwordHash ?? decoyHash, canonical(password));
        return isRight && passwordHash !== null;
      }),
    needsRehash(passwordHash) {
      const made = parseOptions(passwordHash);
      return made.algorithm !== ARGON2ID || made.memoryCost < memoryKib || made.timeCost < passes;
    },
  };
}

/**
 * Value of `Algorithm.Argon2id`, an ambient const enum that type stripping can't read. It is also the library's
 * default.
 */
const ARGON2ID = 2;

/** Normalises the Unicode form, which can differ between devices for the same password. */
function canonical(password: string): Buffer {
  return Buffer.from(password.normalize("NFC"), "utf8");
}

/** A well-formed hash of no known password: verifying against it takes as long as verifying a real one. */
function makeDecoyHash(memoryKib: number, passes: number): string {
  const text = (length: number) => randomBytes(length).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${text(16)}$${text(32)}`;
}
