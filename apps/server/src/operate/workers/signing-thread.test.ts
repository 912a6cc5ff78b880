import { spawnSync } from "node:child_process";
import { generateKeyPairSync, verify } from "node:crypto";
import type { DkimKey } from "@kauke/mail-rfc";
import { afterEach, describe, expect, it } from "vitest";
import { SLOTS, TEXT_MAX_BYTES } from "./signing-slots.ts";
import { SigningThread } from "./signing-thread.ts";

const pairs = [0, 1].map(() => generateKeyPairSync("rsa", { modulusLength: 1024 }));
const edPair = generateKeyPairSync("ed25519");
const keyOf = (privateKey: DkimKey["privateKey"], algorithm: DkimKey["algorithm"] = "rsa-sha256"): DkimKey => ({
  domain: "kauke.test",
  selector: "s",
  algorithm,
  privateKey,
});
const keys = pairs.map(({ privateKey }) => keyOf(privateKey));
const [first, second] = keys as [DkimKey, DkimKey];

const warnings: string[] = [];
const logger = { warn: (event: string) => void warnings.push(event) };
const open: SigningThread[] = [];

function aThread(its: readonly DkimKey[] = keys): SigningThread {
  const thread = new SigningThread(its, logger);
  open.push(thread);
  return thread;
}

afterEach(async () => {
  for (const thread of open.splice(0)) await thread.close();
  warnings.length = 0;
});

/** Starts a thread and waits until it runs. The first signature starts it, and is made in the pool. */
async function running(its: readonly DkimKey[] = keys): Promise<SigningThread> {
  const thread = aThread(its);
  await thread.signText(its[0] as DkimKey, "start");
  await expect.poll(() => thread.isRunning).toBe(true);
  return thread;
}

const isRight = (text: string, signature: Buffer, at = 0) =>
  verify("sha256", Buffer.from(text, "latin1"), (pairs[at] as (typeof pairs)[0]).publicKey, signature);

describe("the signing thread", () => {
  it("signs many texts at once with several keys, each with its own", async () => {
    const thread = await running();
    const texts = Array.from({ length: 400 }, (_, n) => `text ${n} \u{e9}\u{ff}`);
    const signatures = await Promise.all(texts.map((text, n) => thread.signText(n % 2 === 0 ? first : second, text)));
    expect(texts.filter((text, n) => !isRight(text, signatures[n] as Buffer, n % 2))).toEqual([]);
    expect(isRight("another text", signatures[0] as Buffer)).toBe(false);
  });

  it("goes on after every slot was used many times, one text at a time", async () => {
    const thread = await running();
    for (let n = 0; n < 3 * SLOTS; n++) expect(isRight(`${n}`, await thread.signText(first, `${n}`))).toBe(true);
  });

  it("leaves to the pool what it can't sign: long texts, other algorithms", async () => {
    const ed = keyOf(edPair.privateKey, "ed25519-sha256");
    const thread = await running([first, ed]);
    const long = "x".repeat(TEXT_MAX_BYTES + 1);
    expect(isRight(long, await thread.signText(first, long))).toBe(true);
    expect(await thread.signText(ed, "text")).toHaveLength(64);
    const longest = "y".repeat(TEXT_MAX_BYTES);
    expect(isRight(longest, await thread.signText(first, longest))).toBe(true);
  });

  it("lets nobody wait for a sender who fills every slot: the next text is signed in the pool meanwhile", async () => {
    const slow = keyOf(generateKeyPairSync("rsa", { modulusLength: 4096 }).privateKey);
    const thread = await running([first, slow]);
    let finished = 0;
    const filling = Array.from({ length: SLOTS }, async () => {
      await thread.signText(slow, "fills a slot");
      finished++;
    });
    expect(isRight("next", await thread.signText(first, "next"))).toBe(true);
    expect(finished).toBeLessThan(SLOTS);
    await Promise.all(filling);
    expect(finished).toBe(SLOTS);
  });

  it("loses no signature when it is closed or dies: the pool makes them", async () => {
    const thread = await running();
    const signing = Array.from({ length: SLOTS }, (_, n) => thread.signText(first, `text ${n}`));
    await thread.close();
    for (const [n, signature] of (await Promise.all(signing)).entries())
      expect(isRight(`text ${n}`, signature)).toBe(true);
    expect(isRight("later", await thread.signText(first, "later"))).toBe(true);
    expect(warnings).toEqual([]);
  });

  it("reports that it has died, and mail is signed in the pool from then on", async () => {
    const thread = await running();
    const signing = Array.from({ length: 50 }, (_, n) => thread.signText(first, `text ${n}`));
    thread.kill();
    for (const [n, signature] of (await Promise.all(signing)).entries())
      expect(isRight(`text ${n}`, signature)).toBe(true);
    await expect.poll(() => warnings).toEqual(["signing_thread_ended"]);
    expect(isRight("later", await thread.signText(first, "later"))).toBe(true);
  });

  it("keeps the process alive while a signature is made, and not afterwards", () => {
    const program = `
      import { generateKeyPairSync } from "node:crypto";
      import { SigningThread } from ${JSON.stringify(new URL("./signing-thread.ts", import.meta.url).href)};
      const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
      const key = { domain: "kauke.test", selector: "s", algorithm: "rsa-sha256", privateKey };
      const thread = new SigningThread([key], { warn() {} });
      let signed = 0;
      for (; !thread.isRunning || signed < 500; signed++) await thread.signText(key, "text");
      console.log("signed");`;
    const options = { encoding: "utf8", timeout: 20_000 } as const;
    const { stdout, status } = spawnSync(process.execPath, ["--input-type=module", "--eval", program], options);
    expect([stdout.trim(), status]).toEqual(["signed", 0]);
  });

  it("says what is wrong with a key that can't sign", async () => {
    const wrong = keyOf(edPair.privateKey);
    const thread = await running([first, wrong]);
    await expect(thread.signText(wrong, "text")).rejects.toThrow();
    expect(isRight("text", await thread.signText(first, "text"))).toBe(true);
  });
});
