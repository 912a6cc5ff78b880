/**
 * Estimates how long a password operation takes on this device, from a trial run with 1/64 of the cost: a browser
 * without JIT needs a minute for what takes others a second. The work factor itself is never lowered.
 */
import { Encrypter } from "age-encryption";
import { failAs, passwordFailure } from "../age-error.ts";
import { AGE_WORK_FACTOR } from "../limits.ts";

const TRIAL_WORK_FACTOR = 12;
/**
 * Milliseconds of the trial below which a second trial is made: it is cheap and more accurate, because the engine
 * compiles during the first.
 */
const QUICK_MS = 100;

/**
 * Measures how long a password operation takes on this device.
 * @returns estimated seconds to derive a key from a password once @throws AgeError `out_of_memory`
 */
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
