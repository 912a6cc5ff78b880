/**
 * The owner's side of one mail worker's calls: runs the permitted methods, and keeps a list of what the worker holds:
 * leases of attempts in progress, and messages in flight. When the worker has ended, all of it goes back to the queue.
 */
import { setTimeout as wait } from "node:timers/promises";
import { AppError } from "../core/app-error.ts";
import type { OpenDelivery } from "../core/delivery/delivery.ts";
import type { InFlightMessage } from "../core/delivery/in-flight.ts";
import type { Clock, Logger } from "../core/ports.ts";
import type { MailStore } from "../mail-store.ts";
import type { Store } from "../store/open-store.ts";
import type { ToOwner } from "./messages.ts";
import { storeMethods } from "./store-methods.ts";

export type OwnerStore = MailStore & { deliveries: Pick<Store["deliveries"], "putBack"> };

export interface WorkerCallsParts {
  store: OwnerStore;
  /** Calls that concern no part of the store, by name. */
  server: Readonly<Record<string, (...args: never[]) => unknown>>;
  clock: Clock;
  logger: Logger;
  /** Whether the owner shuts down: the next start then recovers what the worker held. */
  isShuttingDown(): boolean;
  /** Milliseconds between two tries to give back what the worker held; default 2000. */
  recoveryRetryMs?: number;
}

type Call = Pick<Extract<ToOwner, { kind: "call" }>, "part" | "method" | "args">;
type Flying = Omit<InFlightMessage, "wire">;

const RECOVERY_RETRY_MS = 2000;

export class WorkerCalls {
  readonly #parts: WorkerCallsParts;
  /** Lease tokens by delivery. */
  readonly #leases = new Map<string, string>();
  readonly #inFlight = new Map<string, Flying>();
  readonly #running = new Set<Promise<unknown>>();

  constructor(parts: WorkerCallsParts) {
    this.#parts = parts;
  }

  /** Number of deliveries and messages that the worker holds. */
  get held(): number {
    return this.#leases.size + this.#inFlight.size;
  }

  /** Runs a call of the worker. @throws AppError `forbidden` for a method that workers may not call */
  run(call: Call): Promise<unknown> {
    const running = this.#run(call);
    this.#running.add(running);
    const ended = () => void this.#running.delete(running);
    running.then(ended, ended);
    return running;
  }

  /** Whether this worker attempts the delivery; if so, the attempt's lease has this new token. */
  takeOver(id: string, leaseToken: string): boolean {
    if (!this.#leases.has(id)) return false;
    this.#leases.set(id, leaseToken);
    return true;
  }

  /** Returns everything that the worker held to the queue. Call it when the worker has ended. */
  async recover(): Promise<void> {
    await Promise.allSettled(this.#running);
    const count = this.held;
    while (this.held > 0 && !this.#parts.isShuttingDown()) {
      const isDone = await this.#returnAll().then(
        () => true,
        () => false,
      );
      if (!isDone) await wait(this.#parts.recoveryRetryMs ?? RECOVERY_RETRY_MS, undefined, { ref: false });
    }
    if (count > 0) this.#parts.logger.info("leases_released", { count });
  }

  async #run({ part, method, args }: Call): Promise<unknown> {
    const { server } = this.#parts;
    if (part === "server" && Object.hasOwn(server, method)) return await server[method]?.(...(args as never[]));
    const result = await callMethod(this.#parts.store, part, method, args);
    this.#note(`${part}.${method}`, args);
    return result;
  }

  #note(name: string, args: unknown[]): void {
    if (name === "deliveries.keep") this.#noteLeases(args[1] as readonly OpenDelivery[]);
    else if (name === "deliveries.finish" || name === "deliveries.defer") this.#leases.delete(args[0] as string);
    else if (name === "inFlight.keep") this.#noteInFlight(args[0] as InFlightMessage);
    else if (name === "inFlight.forget") this.#inFlight.delete(args[0] as string);
    else if (name === "inFlight.moveToQueue") {
      const { message, delivery } = args[0] as Flying;
      this.#inFlight.delete(message.id);
      this.#noteLeases([delivery]);
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
    if (back.length > 0) await store.deliveries.putBack(back);
    for (const { id } of back) this.#leases.delete(id);
    for (const { message, delivery } of this.#inFlight.values()) {
      await store.inFlight?.moveToQueue({ message, delivery: { ...delivery, lease: null, notBefore }, wire: null });
      this.#inFlight.delete(message.id);
    }
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
