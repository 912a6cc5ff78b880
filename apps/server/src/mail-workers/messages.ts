/** The messages between the owner process and a mail worker, all of which the structured clone algorithm can copy. */
import type { RouteChange } from "../core/alias/alias-store.ts";
import type { TraceStep } from "../core/preview/mail-trace.ts";
import type { ShareBatch } from "../core/worker-shares/share-exchange.ts";
import type { MailPorts } from "../start-mail.ts";
import type { RemoteError } from "./remote-error.ts";
import type { WorkerSetup } from "./worker-setup.ts";

export type ToWorker =
  | { kind: "start"; setup: WorkerSetup }
  | { kind: "answer"; id: number; value: unknown }
  | { kind: "error"; id: number; error: RemoteError }
  /** Asks the worker to drop cached routes; it answers with `dropped`. */
  | { kind: "drop"; id: number; change: RouteChange }
  /** New lease of a delivery that the owner claimed while this worker still attempts it. */
  | { kind: "lease"; id: string; leaseToken: string }
  /** `shares`: counts of another mail process (`core/worker-shares`). `gone`: the end of another mail process. */
  | { kind: "shares"; from: number; batch: ShareBatch }
  | { kind: "gone"; from: number }
  | { kind: "ping" }
  | { kind: "stop" };

export type ToOwner =
  | { kind: "ready"; ports: MailPorts }
  | { kind: "failed"; code: string; port: number | null }
  | { kind: "call"; id: number; part: string; method: string; args: unknown[] }
  | { kind: "dropped"; id: number }
  | { kind: "trace"; messageId: string; step: TraceStep }
  | { kind: "counts"; counts: Count[]; gauges: [name: string, value: number][] }
  | { kind: "shares"; batch: ShareBatch }
  | { kind: "pong" }
  | { kind: "stopped" };

/** An increase of a metric. */
export type Count = [name: string, labels: Record<string, string>, by: number];
