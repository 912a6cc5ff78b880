import { expect, test } from "vitest";
import { firstDomain, type Rotation, rotationTimes, turn } from "./use-rotation.ts";

const beat = (rotation: Rotation, count: number) => turn(turn(rotation, "fade", count), "change", count);

test("the times are the specification's", () => {
  expect(rotationTimes).toEqual({ everyMs: 3000, fadeMs: 300 });
});

test("a domain fades out before it changes, and the change ends the fading", () => {
  const fading = turn(firstDomain, "fade", 3);
  expect(fading).toEqual({ index: 0, isFading: true });
  expect(turn(fading, "change", 3)).toEqual({ index: 1, isFading: false });
});

test("the first domain follows the last", () => {
  const indexes = [firstDomain];
  for (let turns = 0; turns < 4; turns++) indexes.push(beat(indexes.at(-1) ?? firstDomain, 3));
  expect(indexes.map(({ index }) => index)).toEqual([0, 1, 2, 0, 1]);
});

test("a list that has become shorter or empty gives a valid index", () => {
  expect(beat({ index: 7, isFading: false }, 3).index).toBeLessThan(3);
  expect(beat({ index: 7, isFading: false }, 0).index).toBe(0);
});
