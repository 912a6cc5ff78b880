import { expect, test } from "vitest";
import { MailMix, seededRandom, zipf } from "./mail-mix.ts";
import { mixSize } from "./mix-names.ts";

test("the same seed draws the same mail", () => {
  expect(new MailMix(7).draw(500)).toEqual(new MailMix(7).draw(500));
  expect(new MailMix(7).draw(500)).not.toEqual(new MailMix(8).draw(500));
});

test("half of the messages go to an alias that no message went to before", () => {
  const mix = new MailMix();
  const asked = new Set<number>();
  for (let round = 0; round < 5; round++) {
    const { warming, messages, counts } = mix.draw(800);
    for (const { alias } of warming) asked.add(alias);
    expect(counts).toMatchObject({ messages: 800, cold: 400 });
    expect(messages.filter(({ alias }) => !asked.has(alias))).toHaveLength(400);
    for (const { alias } of messages) asked.add(alias);
  }
});

test("the senders counted as new have not written to the alias before", () => {
  const mix = new MailMix();
  const pairs = new Set<string>();
  const isNew = ({ sender, alias }: { sender: number; alias: number }) => {
    const known = pairs.size;
    return pairs.add(`${sender} ${alias}`).size > known;
  };
  for (let round = 0; round < 3; round++) {
    const { warming, messages, counts } = mix.draw(400);
    for (const message of warming) isNew(message);
    expect(messages.filter(isNew)).toHaveLength(counts.newSenders);
  }
});

test("an alias' usual senders write again: of the warm half fewer than half come from a new one", () => {
  const mix = new MailMix();
  for (let round = 0; round < 4; round++) mix.draw(800);
  const { counts } = mix.draw(800);
  expect(counts.newSenders - counts.cold).toBeGreaterThan(0);
  expect(counts.newSenders - counts.cold).toBeLessThan(200);
});

test("a mix without cold aliases left says so", () => {
  const mix = new MailMix();
  mix.draw(mixSize.aliases);
  expect(() => mix.draw(2)).toThrow(/no cold alias left/);
});

test("by Zipf's law the first rank is drawn twice as often as the second", () => {
  const [draw, random] = [zipf(100), seededRandom(3)];
  const counts = Array<number>(100).fill(0);
  for (let n = 0; n < 100_000; n++) counts[draw(random())]!++;
  expect(counts[0]! / counts[1]!).toBeCloseTo(2, 0);
  expect(counts[0]! / counts[99]!).toBeGreaterThan(70);
});
