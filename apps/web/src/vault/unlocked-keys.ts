/**
 * Keys that stay open for ten minutes: in the memory of one worker and nowhere else. Lock Now, the end of the session
 * and leaving the page terminate it.
 */
import { makeStore, useStore } from "../ui/store.ts";
import { askWorker, type JobOptions, startWorker, VaultError } from "./ask-worker.ts";
import { onForget } from "./forget-decrypted.ts";
import { type JobName, type Jobs, UNLOCKED_MAX } from "./vault-jobs.ts";

export const UNLOCKED_MINUTES = 10;
const UNLOCKED_MS = UNLOCKED_MINUTES * 60_000;
/** A job with an open key takes a second at most; what takes longer is stopped, and the keys are locked. */
const JOB_MAX_MS = 60_000;

export interface Unlocked {
  keys: readonly { id: string; keyName: string }[];
  /** Time in milliseconds at which all of them are locked. */
  until: number;
}

const store = makeStore<Unlocked | null>(null);
let vault: OpenVault | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

interface OpenVault {
  worker: Worker;
  /** Aborted with the worker's end, which its jobs would otherwise wait for for ever. */
  end: AbortController;
  /** The worker does one job at a time. */
  queue: Promise<unknown>;
}

export const useUnlocked = (): Unlocked | null => useStore(store);

/** Also `null` when the time is up, but the computer slept through the timer. */
export function readUnlocked(now = Date.now()): Unlocked | null {
  const unlocked = store.read();
  if (unlocked !== null && now >= unlocked.until) lockKeys();
  return store.read();
}

export function lockKeys(): void {
  clearTimeout(timer);
  vault?.worker.terminate();
  vault?.end.abort();
  vault = null;
  store.set(null);
}

interface KeyToUnlock {
  id: string;
  keyName: string;
  encryptedPrivateKey: string;
  masterPassword: string;
}

/** Unlocks one more key; all stay open for ten minutes from now. @throws VaultError e.g. `wrong_password` */
export async function unlockKey(key: KeyToUnlock, options: JobOptions): Promise<void> {
  const { id, keyName, ...input } = key;
  readUnlocked();
  watchForEnd();
  vault ??= { worker: startWorker(), end: new AbortController(), queue: Promise.resolve() };
  const own = vault;
  try {
    await inTurn(own, "unlockKey", input, options);
  } catch (thrown) {
    if (store.read() === null && vault === own) lockKeys();
    throw thrown;
  }
  const others = store.read()?.keys.filter((other) => other.id !== id) ?? [];
  clearTimeout(timer);
  timer = setTimeout(lockKeys, UNLOCKED_MS);
  store.set({ keys: [...others, { id, keyName }].slice(-UNLOCKED_MAX), until: Date.now() + UNLOCKED_MS });
}

/** Runs a job whose opener is `{ unlocked: true }`. @throws VaultError `ended` if the keys are locked */
export function runUnlocked<Name extends JobName>(
  name: Name,
  input: Jobs[Name]["input"],
  options: JobOptions,
): Promise<Jobs[Name]["result"]> {
  if (readUnlocked() === null || vault === null) return Promise.reject(new VaultError("ended"));
  return inTurn(vault, name, input, options);
}

function inTurn<Name extends JobName>(
  own: OpenVault,
  name: Name,
  input: Jobs[Name]["input"],
  { signal, onForecast }: JobOptions,
): Promise<Jobs[Name]["result"]> {
  const run = async () => {
    if (vault !== own || signal?.aborted) throw new VaultError("ended");
    try {
      return await askWorker(own.worker, name, input, {
        signal: AbortSignal.any(stopSignals(own, name, signal)),
        ...(onForecast && { onForecast }),
      });
    } catch (thrown) {
      // The worker died, or is busy with a job that was given up.
      if (thrown instanceof VaultError && thrown.code === "ended" && vault === own) lockKeys();
      throw thrown;
    }
  };
  const done = own.queue.then(run, run);
  own.queue = done.catch(() => {});
  return done;
}

/** A job with an open key is short, so leaving the page lets it end; deriving a key from a password may take long. */
function stopSignals({ end }: OpenVault, name: JobName, signal: AbortSignal | undefined): AbortSignal[] {
  if (name !== "unlockKey") return [end.signal, AbortSignal.timeout(JOB_MAX_MS)];
  return signal === undefined ? [end.signal] : [end.signal, signal];
}

let isWatching = false;

function watchForEnd(): void {
  if (isWatching) return;
  isWatching = true;
  onForget(lockKeys);
  window.addEventListener("pagehide", lockKeys);
}
