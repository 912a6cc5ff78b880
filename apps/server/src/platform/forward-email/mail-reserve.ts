/**
 * Leaves a part of the provider's daily limit of messages to the server's own mail, e.g. sign-in links: composed mail
 * waits before the limit is reached, and an account that had much of it waits earlier than the others.
 */
import { bounds, partOf } from "../../limits/table.ts";
import type { CallApi } from "./api-client.ts";

const { reserved, reservedPart, accountPart, contestedPart, limitReadMs, remembered } = bounds.providerMail;
const DAY_MS = 86_400_000;

/** Messages of the operator's whole account there in the last 24 hours, and their maximum. */
interface Standing {
  count: number;
  limit: number;
}

/** @param had messages that this account composed in the last 24 hours @param processes that hand messages over */
export function mayCompose({ count, limit }: Standing, had: number, processes = 1): boolean {
  const left = limit - count;
  // With a limit of less than 20, ten messages would leave nothing to compose.
  if (left <= Math.min(Math.max(limit * reservedPart, reserved), limit / 2)) return false;
  return left >= limit * contestedPart || had < partOf(limit * accountPart, processes);
}

interface Taken {
  at: number;
  /** Account that composed the message; `null`: own mail. */
  composer: string | null;
}

export class MailReserve {
  readonly #api: CallApi;
  readonly #now: () => number;
  readonly #processes: number;
  #reading: { at: number; standing: Promise<Standing | null> } | null = null;
  /** Messages of the last day, oldest first. */
  #taken: Taken[] = [];

  /** @param now milliseconds from any fixed time on */
  constructor(api: CallApi, now: () => number, processes: number) {
    this.#api = api;
    this.#now = now;
    this.#processes = processes;
  }

  /** Counts a message that is about to be handed over, unless it has to wait. @returns seconds to wait; 0: counted */
  async take(composer: string | null, signal: AbortSignal): Promise<number> {
    const reading = composer === null ? null : this.#read();
    const standing = reading === null ? null : await unlessAborted(reading.standing, signal);
    const now = this.#now();
    if (reading !== null && standing !== null) {
      const isOfDay = ({ at }: Taken) => now - at < DAY_MS;
      const had = this.#taken.filter((one) => one.composer === composer && isOfDay(one)).length;
      const count = standing.count + this.#taken.filter(({ at }) => at >= reading.at).length;
      if (!mayCompose({ ...standing, count }, had, this.#processes))
        return Math.max(1, Math.ceil((reading.at + this.#everyMs - now) / 1000));
    }
    this.#taken.push({ at: now, composer });
    while (this.#taken.length > remembered || now - (this.#taken[0]?.at ?? now) >= DAY_MS) this.#taken.shift();
    return 0;
  }

  /** The provider did not take the message. */
  giveBack(composer: string | null): void {
    const at = this.#taken.findLastIndex((one) => one.composer === composer);
    if (at >= 0) this.#taken.splice(at, 1);
  }

  /** It is not stopped with the message that asks first: others wait for it too. */
  #read() {
    const at = this.#now();
    if (this.#reading !== null && at - this.#reading.at < this.#everyMs) return this.#reading;
    const call = this.#api(
      { method: "GET", path: "/v1/emails/limit" },
      AbortSignal.timeout(bounds.providerCalls.callMs),
    );
    const standing = call.then((response) => (response.kind === "response" ? standingOf(response.json) : null));
    return (this.#reading = { at, standing });
  }

  /** The provider limits the readings of all processes together. */
  get #everyMs(): number {
    return limitReadMs * this.#processes;
  }
}

/** @returns `null` when it makes no sense: then there is no reserve */
function standingOf(json: unknown): Standing | null {
  const { count, limit } = Object(json) as Record<string, unknown>;
  const isSensible = Number.isSafeInteger(count) && Number.isSafeInteger(limit) && Number(count) >= 0;
  return isSensible && Number(limit) > 0 ? { count: Number(count), limit: Number(limit) } : null;
}

const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> =>
  Promise.race([
    promise,
    new Promise<null>((end) => signal.addEventListener("abort", () => end(null), { once: true })),
  ]);
