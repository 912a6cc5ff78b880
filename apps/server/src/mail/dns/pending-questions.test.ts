import { expect, test } from "vitest";
import { PendingQuestions } from "./pending-questions.ts";

test("a slow zone can't exceed its share; at the total limit the oldest query of the largest zone fails", async () => {
  const pending = new PendingQuestions({ all: 4, zone: 3 });
  const outcomes: string[] = [];
  const answers = new Map<string, () => void>();
  const ask = (name: string) =>
    void pending
      .ask(name, () => new Promise<string>((resolve) => answers.set(name, () => resolve("answered"))), "failed")
      .then((answer) => outcomes.push(`${name} ${answer}`));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  for (const name of ["a.slow.example", "b.slow.example", "c.slow.example", "d.slow.example", "quick.example"])
    ask(name);
  await settle();
  expect(outcomes).toEqual(["d.slow.example failed"]);
  ask("other.example");
  await settle();
  expect(outcomes.slice(1)).toEqual(["a.slow.example failed"]);
  for (const answer of answers.values()) answer();
  await settle();
  expect(outcomes.slice(2).toSorted()).toEqual(
    ["b.slow.example", "c.slow.example", "other.example", "quick.example"].map((it) => `${it} answered`),
  );
  ask("e.slow.example");
  answers.get("e.slow.example")?.();
  await settle();
  expect(outcomes.at(-1)).toBe("e.slow.example answered");
});
