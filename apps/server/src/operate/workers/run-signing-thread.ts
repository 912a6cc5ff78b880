/** The program of the signing thread, started by `signing-thread.ts`: signs texts in their order, and sleeps without any. */
import { type KeyObject, sign } from "node:crypto";
import { type MessagePort, workerData } from "node:worker_threads";
import { COUNTER, SigningSlots } from "./signing-slots.ts";

export interface SigningThreadData {
  memory: SharedArrayBuffer;
  /** RSA keys, by number. */
  keys: readonly KeyObject[];
  /** Tells the main thread that there are finished signatures. */
  port: MessagePort;
}

const { memory, keys, port } = workerData as SigningThreadData;
const slots = new SigningSlots(memory);
const { counters } = slots;
const NONE = Buffer.alloc(0);

for (let at = 0; ; at = (at + 1) | 0) {
  while (Atomics.load(counters, COUNTER.submitted) === at) {
    Atomics.store(counters, COUNTER.isAsleep, 1);
    Atomics.wait(counters, COUNTER.submitted, at);
    Atomics.store(counters, COUNTER.isAsleep, 0);
  }
  slots.writeSignature(at, signatureOf(slots.readText(at)));
  Atomics.store(counters, COUNTER.done, (at + 1) | 0);
  if (Atomics.exchange(counters, COUNTER.isTold, 1) === 0) port.postMessage(null);
}

/** Never throws. @returns an empty buffer when signing fails; the main thread then signs the text in the pool */
function signatureOf({ text, key }: { text: Buffer; key: number }): Buffer {
  const privateKey = keys[key];
  try {
    return privateKey === undefined ? NONE : sign("sha256", text, privateKey);
  } catch {
    return NONE;
  }
}
