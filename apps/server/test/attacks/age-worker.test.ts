/** One account's expensive decryptions must not keep another account from the age worker. */
import { AGE_RECIPIENTS_MAX, encryptText, generateKeyPair } from "@kauke/age";
import { printFigures } from "@kauke/testkit/long-rounds";
import { type Person, registerPerson } from "@kauke/testkit/person";
import { removeDataDirs } from "@kauke/testkit/server-process";
import { afterAll, expect, test } from "vitest";
import { ATTACK_MS, attackTime, expectUnharmed, startScene, watchBystander } from "./scenes/bystander.testing.ts";

afterAll(removeDataDirs);

/**
 * Maximum number of the attacker's jobs that may finish while another account waits for its own: the one that runs
 * already, and one that may start before the other account's request is read.
 */
const JOBS_BEFORE_MAX = 2;

interface Decryption {
  privateKey: string;
  encryptedText: string;
}

/**
 * An expensive decryption: five keys that do not match, tried on a text encrypted to the maximum number of
 * recipients.
 */
async function costly(): Promise<Decryption> {
  const pairsOf = (count: number) => Promise.all(Array.from({ length: count }, () => generateKeyPair("post-quantum")));
  const publicKeys = (await pairsOf(AGE_RECIPIENTS_MAX)).map((pair) => pair.publicKey);
  const privateKeys = (await pairsOf(5)).map((pair) => pair.privateKey);
  return { privateKey: privateKeys.join("\n"), encryptedText: await encryptText("x", { publicKeys }) };
}

async function ordinary(): Promise<Decryption> {
  const { publicKey, privateKey } = await generateKeyPair();
  return { privateKey, encryptedText: await encryptText("hello", { publicKeys: [publicKey] }) };
}

async function flood(attacker: Person, job: Decryption, answers: Map<number, number>) {
  const goesOn = attackTime();
  const ask = async () => {
    while (goesOn(answers.has(400) && answers.has(429))) {
      const { status } = await attacker.call("POST", "/api/decrypt-manual", job);
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: 10 }, ask));
}

/**
 * Requests decryptions one after another and measures each. @param doneOfOthers returns the number of the attacker's
 * jobs finished so far
 */
async function measure(person: Person, job: Decryption, until: number, doneOfOthers: () => number) {
  const figures = { decryptions: 0, refused: 0, slowestMs: 0, jobsBefore: 0 };
  do {
    const [began, doneBefore] = [performance.now(), doneOfOthers()];
    const { status } = await person.call("POST", "/api/decrypt-manual", job);
    figures.slowestMs = Math.max(figures.slowestMs, performance.now() - began);
    figures.jobsBefore = Math.max(figures.jobsBefore, doneOfOthers() - doneBefore);
    if (status === 200) figures.decryptions++;
    else figures.refused++;
    await new Promise((resolve) => setTimeout(resolve, 500));
  } while (Date.now() < until);
  return figures;
}

test("an account with the most expensive decryptions does not keep another account waiting", async () => {
  await using scene = await startScene({ env: { KAUKE_LIMITS: "off" } });
  const [attacker, ann] = [await registerPerson(scene.server.url), await registerPerson(scene.server.url)];
  const [hard, easy] = [await costly(), await ordinary()];
  const until = Date.now() + ATTACK_MS;
  const answers = new Map<number, number>();
  const done = () => answers.get(400) ?? 0;
  const attack = Promise.all([measure(ann, easy, until, done), flood(attacker, hard, answers)]);
  const seen = await watchBystander(scene, attack);
  const [figures] = await attack;
  printFigures("decryptions", { ...figures, ...Object.fromEntries(answers), ...seen, failures: seen.failures.length });
  expectUnharmed(seen);
  expect(figures.refused).toBe(0);
  expect(figures.decryptions).toBeGreaterThan(0);
  expect(figures.jobsBefore).toBeLessThanOrEqual(JOBS_BEFORE_MAX);
  // Some of the attacker's jobs ran; others were refused because too many were waiting.
  expect([...answers.keys()].toSorted()).toEqual([400, 429]);
}, 240_000);
