/**
 * How long the work of a password will take on this device. A run of 1/64 of the cost says so beforehand: a browser without JIT
 * needs a minute for what takes others a second. The factor itself is never lowered.
 */
import { Encrypter } from "age-encryption";
import { failAs, passwordFailure } from "../age-error.ts";
import { AGE_WORK_FACTOR } from "../limits.ts";

const TRIAL_WORK_FACTOR = 12;
/** Below this a second run is cheap, and tells more: in the first the engine still compiles. */
const QUICK_MS = 100;

/** @returns seconds that stretching a password once will take @throws AgeError `out_of_memory` */
export async function forecastPasswordWork(): Promise<number> {
  const first = await trialMs();
  const trial = first > QUICK_MS ? first : Math.min(first, await trialMs());
  return (trial * 2 ** (AGE_WORK_FACTOR - TRIAL_WORK_FACTOR)) / 1000;
}

async function trialMs(): Promise<number> {
  const encrypter = new Encrypter();
  encrypter.setScryptWorkFactor(TRIAL_WORK_FACTOR);
  encrypter.setPassphrase("forecast");
  const startMs = performance.now();
  await failAs(passwordFailure, () => encrypter.encrypt(new Uint8Array(0)));
  return performance.now() - startMs;
}
