import { expect, test } from "vitest";
import { compareRecords, explainRepeats } from "./compare-records.ts";

const none = { damaged: [] };

function held(parts: { acknowledged: number[]; taken: [number, number[]][]; unanswered?: [number, number][] }) {
  const { acknowledged, unanswered = [], taken } = parts;
  const records = {
    acknowledged: new Set(acknowledged),
    unanswered: new Map(unanswered),
    refusals: new Map<string, number>(),
  };
  return compareRecords({ records }, { taken: new Map(taken), ...none });
}

test("a message is lost if it was acknowledged but not delivered, and not if it was never acknowledged", () => {
  const result = held({ acknowledged: [1, 2], taken: [[1, [0]]], unanswered: [[3, 1]] });
  expect(result.lost).toEqual([2]);
});

test("duplicates are attributed to the sender as often as it had no reply and sent the message again", () => {
  const result = held({ acknowledged: [1], taken: [[1, [0, 1, 2]]], unanswered: [[1, 1]] });
  expect(explainRepeats(result, [])).toEqual({ bySender: 1, byServer: 1, unexplained: [] });
});

test("a duplicate counts as in flight only if enough rows were leased at that kill", () => {
  const result = held({
    acknowledged: [1, 2],
    taken: [
      [1, [0, 1]],
      [2, [0, 3]],
    ],
  });
  expect(explainRepeats(result, [{ from: 0, to: 0, leased: 2 }]).unexplained).toEqual([]);
  expect(explainRepeats(result, [{ from: 0, to: 0, leased: 1 }]).unexplained).toEqual([
    "2 repeated after lives 0 to 0, 1 were in flight",
  ]);
});

test("a duplicate within one life of the server never counts as in flight at a kill", () => {
  const result = held({ acknowledged: [1], taken: [[1, [4, 4]]] });
  expect(explainRepeats(result, [{ from: 4, to: 4, leased: 9 }]).unexplained).toEqual([
    "message 1 was delivered twice in life 4",
  ]);
});
