/**
 * The owner's side of one mail worker's calls: runs the permitted methods, and records what the worker holds, i.e.
 * leases of attempts in progress and messages in flight. When the worker has ended, both return to the queue.
 */
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../core/app-error.ts";
import type { OpenDelivery } from "../core/delivery/delivery.ts";
import type { InFlightMessage } from "../core/delivery/in-flight.ts";
import type { Clock, Logger } from "../core/ports.ts";
import { ShortLivedMap, ShortLivedSet } from "../core/short-lived.ts";
import type { MailStore } from "../mail-store.ts";
import type { Store } from "../store/open-store.ts";
import type { ToOwner } from "./messages.ts";
import { storeMethods } from "./store-methods.ts";

export type OwnerStore = MailStore & { deliveries: Pick<Store["deliveries"], "putBack"> };

export interface WorkerCallsParts {
  store: OwnerStore;
  /** Methods that workers may call besides those of the store, by name. */
  server: Readonly<Record<string, (...args: never[]) => unknown>>;
  clock: Clock;
  logger: Logger;
  /** Whether the owner is shutting down. What a worker still holds is then recovered at the next start. */
  isShuttingDown(): boolean;
  /** Milliseconds between two tries to return what an ended worker held to the queue; default 2000. */
  recoveryRetryMs?: number;
}

type Call = Pick<Extract<ToOwner, { kind: "call" }>, "part" | "method" | "args">;
type Flying = Omit<InFlightMessage, "wire">;

const RECOVERY_RETRY_MS = 2000;
/**
 * Maximum concurrent calls of a worker. A connection makes one call at a time, so only a worker that is out of control
 * reaches this number.
 */
const CALLS_MAX = 5000;

export class WorkerCalls {
  readonly #parts: WorkerCallsParts;
  /** Tokens of the leases that the worker holds, by delivery id. */
  readonly #leases = new ShortLivedMap<string, string>();
  readonly #inFlight = new ShortLivedMap<string, Flying>();
  readonly #running = new ShortLivedSet<Promise<unknown>>();
  /** Whether the worker has made a call yet. */
  hasBegun = false;
  #hasEnded = false;

  constructor(parts: WorkerCallsParts) {
    this.#parts = parts;
  }

  /** Number of deliveries and messages that the worker holds. */
  get held(): number {
    return this.#leases.size + this.#inFlight.size;
  }

  /**
   * Runs a call of the worker.
   * @throws AppError `forbidden` for a method that workers may not call, `unavailable` when too many calls are running,
   * or when the worker has ended: what it held is then returned to the queue, and the call could store it twice
   */
  run(call: Call): Promise<unknown> {
    this.hasBegun = true;
    if (this.#hasEnded || this.#running.size >= CALLS_MAX) return Promise.reject(new AppError("unavailable"));
    const running = this.#run(call);
    this.#running.add(running);
    const ended = () => void this.#running.delete(running);
    running.then(ended, ended);
    return running;
  }

  /** Stores the new token of a renewed lease. @returns whether this worker attempts the delivery */
  takeOver(id: string, leaseToken: string): boolean {
    if (!this.#leases.has(id)) return false;
    this.#leases.set(id, leaseToken);
    return true;
  }

  /** Returns everything that the worker held to the queue. Call it when the worker has ended. */
  async recover(): Promise<void> {
    this.#hasEnded = true;
    await Promise.allSettled(this.#running);
    const count = this.held;
    if (count === 0 || this.#parts.isShuttingDown()) return;
    // Logged before the work: the owner may be killed during it, after some deliveries were already attempted again.
    this.#parts.logger.info("leases_released", { count });
    while (this.held > 0 && !this.#parts.isShuttingDown()) {
      const isDone = await this.#returnAll().then(
        () => true,
        () => false,
      );
      if (!isDone) await wait(this.#parts.recoveryRetryMs ?? RECOVERY_RETRY_MS, undefined, { ref: false });
    }
  }

  async #run({ part, method, args }: Call): Promise<unknown> {
    const { server } = this.#parts;
    if (part === "server" && Object.hasOwn(server, method)) return await server[method]?.(...(args as never[]));
    const result = await callMethod(this.#parts.store, part, method, args);
    this.#note(`${part}.${method}`, args, result);
    return result;
  }

  #note(name: string, args: unknown[], result: unknown): void {
    if (name === "deliveries.keep") this.#noteLeases(args[1] as readonly OpenDelivery[]);
    else if (name === "deliveries.finish" || name === "deliveries.defer") this.#leases.delete(args[0] as string);
    else if (name === "inFlight.keep") this.#noteInFlight(args[0] as InFlightMessage);
    else if (name === "inFlight.forget") this.#inFlight.delete(args[0] as string);
    else if (name === "inFlight.moveToQueue") {
      const { message, delivery } = args[0] as Flying;
      this.#inFlight.delete(message.id);
      // False if the alias was deleted meanwhile: then the message is not in the queue, and there is no lease.
      if (result !== false) this.#noteLeases([delivery]);
    }
  }

  #noteLeases(deliveries: readonly OpenDelivery[]): void {
    for (const { id, lease } of deliveries) if (lease !== null) this.#leases.set(id, lease.token);
  }

  #noteInFlight({ message, delivery }: InFlightMessage): void {
    this.#inFlight.set(message.id, { message, delivery });
  }

  async #returnAll(): Promise<void> {
    const { store, clock } = this.#parts;
    const notBefore = clock.now();
    const back = [...this.#leases].map(([id, leaseToken]) => ({ id, leaseToken, notBefore }));
    if (back.length > 0) {
      await store.deliveries.putBack(back);
      // Wakes the delivery worker, which would otherwise find these deliveries only seconds later.
      await store.deliveries.hasten(
        back.map(({ id }) => id),
        notBefore,
      );
    }
    for (const { id } of back) this.#leases.delete(id);
    let failed: { error: unknown } | null = null;
    for (const { message, delivery } of this.#inFlight.values()) {
      try {
        await store.inFlight?.moveToQueue({ message, delivery: { ...delivery, lease: null, notBefore }, wire: null });
        this.#inFlight.delete(message.id);
      } catch (error) {
        // The other messages are returned even if this one fails.
        failed = { error };
      }
    }
    if (failed !== null) throw failed.error;
  }
}

async function callMethod(store: OwnerStore, part: string, method: string, args: unknown[]): Promise<unknown> {
  const methods: readonly string[] = Object.hasOwn(storeMethods, part)
    ? storeMethods[part as keyof typeof storeMethods]
    : [];
  if (!methods.includes(method)) throw new AppError("forbidden");
  const target = store[part as keyof typeof storeMethods] as unknown as Record<string, (...all: unknown[]) => unknown>;
  return await target[method]?.(...args);
}
