import { expect, it } from "vitest";
import { oneAfterAnother } from "./one-after-another.ts";

it("runs one at a time in the order they came, a failed one does not stop the next", async () => {
  const inLine = oneAfterAnother(2);
  const events: string[] = [];
  const work = (name: string, fails = false) =>
    inLine(async () => {
      events.push(`${name} begins`);
      await new Promise((resolve) => setImmediate(resolve));
      events.push(`${name} ends`);
      if (fails) throw new Error(name);
      return name;
    });
  const outcomes = await Promise.allSettled([work("one", true), work("two"), work("three"), work("four")]);
  expect(events).toEqual(["one", "two", "three"].flatMap((name) => [`${name} begins`, `${name} ends`]));
  expect(outcomes.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled", "rejected"]);
  expect((outcomes[3] as PromiseRejectedResult).reason).toMatchObject({ code: "busy" });
  expect(await work("five")).toBe("five");
});
