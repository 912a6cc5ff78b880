/** Body hashes for DKIM. Signatures with the same canonicalization share one pass (1 s for 25 MiB of short lines). */
import { createHash, type Hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import { canonicalBody, type DkimCanonicalization } from "@kauke/mail-rfc";

export interface BodyHash {
  digest: string;
  canonicalBytes: number;
  hashedBytes: number;
}

/** Milliseconds of hashing between turns of the event loop. */
const TURN_MS = 10;

interface Wanted {
  key: string;
  canonicalization: DkimCanonicalization;
  algorithm: string;
  /** Maximum octets of the body to hash (`l=`); infinite for the whole body. */
  limit: number;
}

/** @param keys e.g. `relaxed:sha256:1000` (with `l=`) @param noteSimple gets the hash of an already canonical body */
export async function hashBody(
  body: Buffer,
  keys: Iterable<string>,
  noteSimple: (hash: Buffer) => void,
): Promise<Map<string, BodyHash>> {
  const found = new Map<string, BodyHash>();
  const passes = Map.groupBy([...keys].map(readKey), ({ canonicalization }) => canonicalization);
  for (const [canonicalization, wanted] of passes) {
    const running = [...Map.groupBy(wanted, ({ algorithm }) => algorithm)].map((it) => new RunningHash(...it));
    const { length, isAsItLies } = await readAll(canonicalBody(body, canonicalization), running);
    for (const hash of running) {
      for (const [{ key, algorithm }, digest, hashedBytes] of hash.finish()) {
        found.set(key, { digest: digest.toString("base64"), canonicalBytes: length, hashedBytes });
        if (isAsItLies && algorithm === "sha256" && hashedBytes === length && length > 0) noteSimple(digest);
      }
    }
  }
  return found;
}

/** Reads a key of `hashBody`; a limit that is no number counts as none. */
function readKey(key: string): Wanted {
  const [canonicalization, algorithm = "", limitText = ""] = key.split(":");
  const isLimited = limitText !== "" && Number(limitText) >= 0;
  const limit = isLimited ? Math.floor(Number(limitText)) : Number.POSITIVE_INFINITY;
  return { key, canonicalization: canonicalization as DkimCanonicalization, algorithm, limit };
}

async function readAll(
  chunks: Generator<Buffer, boolean>,
  running: readonly RunningHash[],
): Promise<{ length: number; isAsItLies: boolean }> {
  let length = 0;
  let turnBegan = performance.now();
  let next = chunks.next();
  for (; !next.done; next = chunks.next()) {
    length += next.value.length;
    for (const hash of running) hash.add(next.value);
    if (performance.now() - turnBegan < TURN_MS) continue;
    await nextTurn();
    turnBegan = performance.now();
  }
  return { length, isAsItLies: next.value };
}

type Finished = [wanted: Wanted, digest: Buffer, hashedBytes: number];

class RunningHash {
  readonly #hash: Hash;
  readonly #wanted: Wanted[];
  readonly #finished: Finished[] = [];
  #bytes = 0;

  constructor(algorithm: string, wanted: readonly Wanted[]) {
    this.#hash = createHash(algorithm);
    this.#wanted = wanted.toSorted((a, b) => (a.limit < b.limit ? -1 : 1));
  }

  add(chunk: Buffer): void {
    let rest = chunk;
    while (this.#roomLeft() <= rest.length) {
      const room = this.#roomLeft();
      this.#update(rest.subarray(0, room));
      rest = rest.subarray(room);
      this.#readOff();
    }
    if (this.#wanted.length > 0) this.#update(rest);
  }

  finish(): readonly Finished[] {
    while (this.#wanted.length > 0) this.#readOff();
    return this.#finished;
  }

  #roomLeft(): number {
    return (this.#wanted[0]?.limit ?? Number.POSITIVE_INFINITY) - this.#bytes;
  }

  #update(bytes: Buffer): void {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
  }

  #readOff(): void {
    const wanted = this.#wanted.shift();
    if (wanted !== undefined) this.#finished.push([wanted, this.#hash.copy().digest(), this.#bytes]);
  }
}
