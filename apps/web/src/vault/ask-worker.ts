import type { AgeErrorCode } from "@kauke/age";
import type { JobName, Jobs, WorkerMessage } from "./vault-jobs.ts";
import { isNotLoaded, vaultWorkerUrl } from "./worker-url.ts";

/** `ended`: aborted, or the worker died. `not_loaded`: its code. `unprotected_key`: no master password. */
export type VaultErrorCode = AgeErrorCode | "ended" | "not_loaded" | "unprotected_key";

export class VaultError extends Error {
  readonly code: VaultErrorCode;

  constructor(code: VaultErrorCode) {
    super(code);
    this.name = "VaultError";
    this.code = code;
  }
}

export interface JobOptions {
  /** Aborting terminates the worker; the call rejects with `ended`. */
  signal?: AbortSignal;
  /** Called with the estimated seconds; only for jobs with a password. */
  onForecast?: (seconds: number) => void;
}

export const startWorker = (): Worker => new Worker(vaultWorkerUrl(), { type: "module" });

/** Gives the worker one job; it must have no other. The caller terminates it. @throws VaultError */
export function askWorker<Name extends JobName>(
  worker: Worker,
  name: Name,
  input: Jobs[Name]["input"],
  { signal, onForecast }: JobOptions,
): Promise<Jobs[Name]["result"]> {
  const { promise, resolve, reject } = Promise.withResolvers<Jobs[Name]["result"]>();
  const end = () => reject(new VaultError("ended"));
  signal?.addEventListener("abort", end);
  worker.onerror = (event) => (isNotLoaded(event) ? reject(new VaultError("not_loaded")) : end());
  worker.onmessageerror = end;
  worker.onmessage = ({ data }: MessageEvent<WorkerMessage>) => {
    if ("forecastSeconds" in data) onForecast?.(data.forecastSeconds);
    else if ("failure" in data) reject(new VaultError(data.failure));
    else resolve(data.result as Jobs[Name]["result"]);
  };
  worker.postMessage({ name, input }, "bytes" in input ? [input.bytes] : []);
  return promise.finally(() => signal?.removeEventListener("abort", end));
}
