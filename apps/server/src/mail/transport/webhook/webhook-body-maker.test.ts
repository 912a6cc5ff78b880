import { expect, test } from "vitest";
import { webhookBodyMaker } from "./webhook-body-maker.ts";

const source = {
  aliasAddress: "shop@kauke.test",
  envelope: { envelopeFrom: "", receivedAt: new Date(0) },
  raw: Buffer.from("x"),
  authentication: { spf: "none", dkim: "none", dmarc: "none", arc: "none" } as const,
};

/**
 * A body maker with a clock of its own.
 * @returns `make`, which takes `ms` of that clock for a message, and the names made
 */
function startMaker() {
  let now = 0;
  const made: string[] = [];
  const worker = {
    async ask(order: object) {
      const { aliasAddress } = (order as { source: { aliasAddress: string } }).source;
      const [name = "", ms] = aliasAddress.split(" ");
      now += Number(ms);
      made.push(name);
      return Buffer.from(name);
    },
    end: async () => {},
  };
  const maker = webhookBodyMaker(worker, () => now);
  const make = (party: string, name: string, ms = 10, isWanted = () => true) =>
    maker.make({ ...source, aliasAddress: `${name} ${ms}` }, 100, { party, isWanted });
  return { make, made, maker };
}

test("the account that used least parsing time is next, so slow messages delay their own account", async () => {
  const { make, made } = startMaker();
  await Promise.all([
    make("a", "a1", 1000),
    make("a", "a2", 1000),
    make("a", "a3", 1000),
    make("b", "b1"),
    make("b", "b2"),
  ]);
  expect(made).toEqual(["a1", "b1", "b2", "a2", "a3"]);
});

test("the queue is limited per account and in total", async () => {
  const { make, made } = startMaker();
  const own = Array.from({ length: 18 }, (_, index) => make("a", `a${index}`));
  const other = make("b", "b");
  // One message of account a is in progress and sixteen wait, so one of its 18 gets no body.
  expect((await Promise.all(own)).filter((it) => it === null)).toHaveLength(1);
  expect(await other).not.toBeNull();
  expect(made).toHaveLength(17 + 1);
  const crowd = Array.from({ length: 300 }, (_, index) => make(`p${index}`, "x"));
  expect((await Promise.all(crowd)).filter((it) => it === null)).toHaveLength(300 - 257);
});

test("accounts that fill the queue lose queued messages to an account that comes later", async () => {
  const { make, made } = startMaker();
  const crowd = Array.from({ length: 17 }, (_, account) =>
    Array.from({ length: 16 }, () => make(`mallory${account}`, "crowd", 3000)),
  ).flat();
  expect(await make("innocent", "innocent")).not.toBeNull();
  // Before innocent's message at most one message of each of the 17 other accounts is made: after it, that account has
  // used more time than innocent.
  expect(made.indexOf("innocent")).toBeLessThanOrEqual(17);
  expect((await Promise.all(crowd)).filter((it) => it === null)).toHaveLength(17 * 16 - 256);
});

test("a body that is no longer wanted when its turn comes is not made", async () => {
  const { make, made } = startMaker();
  const answers = await Promise.all([make("a", "a1"), make("a", "a2", 10, () => false)]);
  expect(answers.map((it) => it?.toString() ?? null)).toEqual(["a1", null]);
  expect(made).toEqual(["a1"]);
});
