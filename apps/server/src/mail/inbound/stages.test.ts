/** Sequences of stages, with numbers in place of messages. */
import { expect, test } from "vitest";
import { accept, defer, reject, type StageVerdict } from "../verdict.ts";
import { Stages } from "./stages.ts";

const half = (value: number): StageVerdict<number> =>
  value % 2 === 0 ? accept(value / 2, [`${value / 2}`]) : reject("invalid");
const asText = async (value: number): Promise<StageVerdict<string>> => accept(String(value));

async function run(stages: Stages<string, number, unknown>, value: number) {
  const seen: string[] = [];
  const verdict = await stages.run(value, (name, { verdict, notes = [] }) =>
    seen.push([name, verdict, ...notes].join(" ")),
  );
  return { seen, verdict };
}

const stages = Stages.begin<string, number>().next("first", half).next("second", half).next("third", asText);

test("each stage gets what the one before it accepted", async () => {
  const { seen, verdict } = await run(stages, 12);
  expect(verdict).toEqual({ verdict: "accept", value: "3" });
  expect(seen).toEqual(["first accept 6", "second accept 3", "third accept"]);
});

test("the first stage that does not accept ends the sequence with its verdict", async () => {
  const { seen, verdict } = await run(stages, 6);
  expect(verdict).toEqual({ verdict: "reject", code: "invalid" });
  expect(seen).toEqual(["first accept 3", "second reject"]);
});

test("an exception in a stage propagates, and no later stage runs", async () => {
  const broken = Stages.begin<string, number>()
    .next("first", () => {
      throw new Error("trouble");
    })
    .next("second", () => defer("busy"));
  await expect(run(broken, 1)).rejects.toThrow("trouble");
});
