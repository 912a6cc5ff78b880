/** argon2id off the event loop: 64 MiB, three passes (OWASP: 19 MiB, two). One core stays free for the event loop. */

import { randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { hash, parseOptions, verify } from "@node-rs/argon2";
import type { PasswordHasher } from "../../core/user/user.ts";
import { bounds } from "../../limits/table.ts";
import { FairQueue } from "../../runtime/fair-queue/fair-queue.ts";

export interface Argon2Settings {
  memoryKib: number;
  passes: number;
  concurrency: number;
  queueMax: number;
}

const production: Argon2Settings = {
  memoryKib: 64 * 1024,
  passes: 3,
  concurrency: Math.max(1, Math.min(bounds.passwordHashes.jobs, availableParallelism() - 1)),
  queueMax: bounds.passwordHashes.waiting,
};

export function argon2Hasher(settings: Partial<Argon2Settings> = {}): PasswordHasher {
  const { memoryKib, passes, concurrency, queueMax } = { ...production, ...settings };
  // Among many network blocks, one that has used the hasher before comes after one that has not.
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

/** `Algorithm.Argon2id` is an ambient const enum, which type stripping can't read. */
const ARGON2ID = 2;

/** Bytes of a password in NFC, since devices spell the same one in different Unicode forms. */
function canonical(password: string): Buffer {
  return Buffer.from(password.normalize("NFC"), "utf8");
}

/** Verifying against this hash takes as long as against a real one, so that an unknown account is not noticeable. */
function makeDecoyHash(memoryKib: number, passes: number): string {
  const text = (length: number) => randomBytes(length).toString("base64").replaceAll("=", "");
  return `$argon2id$v=19$m=${memoryKib},t=${passes},p=1$${text(16)}$${text(32)}`;
}
