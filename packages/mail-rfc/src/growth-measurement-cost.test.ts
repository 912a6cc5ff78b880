/** Controls of linear-cost.testing.ts: it reports quadratic growth, and accepts linear work with its irregularities. */
import { describe, expect, test } from "vitest";
import { growthOf } from "./linear-cost.testing.ts";

describe("the measurement of growth", () => {
  const spaces = (size: number) => `${" ".repeat(size)}x`;

  test("detects quadratic growth, in a regular expression and in a loop", async () => {
    const trim = (text: string) => text.replace(/\s+$/, "");
    expect(await growthOf({ make: spaces, run: trim, largest: 60_000, attempts: 1 })).toMatch(
      / ms for \d+, .* ms for \d+/,
    );
    const search = (text: string) => [...text].filter((_, at) => text.includes("x", at)).length;
    expect(await growthOf({ make: (size) => spaces(size), run: search, largest: 1_000_000, attempts: 1 })).not.toBe(
      "linear",
    );
  });

  test("detects quadratic growth in asynchronous work", async () => {
    const trim = async (text: string) => {
      await Promise.resolve();
      return text.replace(/\s+$/, "");
    };
    expect(await growthOf({ make: spaces, run: trim, largest: 60_000, attempts: 1 })).not.toBe("linear");
  });

  test("accepts a step in linear work, wherever the step is", async () => {
    const turn = (text: string, times: number) => {
      for (let time = 0; time < times; time += 1) [...text].toReversed().join("");
    };
    const by = process.env.LONG_ROUNDS === "1" ? 2 : 4;
    for (let step = 3000; step < 1_000_000; step *= by) {
      const run = (text: string) => turn(text, text.length > step ? 3 : 2);
      expect(await growthOf({ make: spaces, run, largest: 1_000_000 })).toBe("linear");
    }
  });

  test("accepts linear work, and quadratic work that is fast at its largest input", async () => {
    const turn = (text: string) => [...text].toReversed().join("");
    expect(await growthOf({ make: spaces, run: turn, largest: 1_000_000 })).toBe("linear");
    expect(await growthOf({ make: spaces, run: (text) => text.replace(/\s+$/, ""), largest: 1000 })).toBe("linear");
  });
});
