import type { ForwardingWire, UnfinishedAliasWire } from "@kauke/contract";
import { describe, expect, test } from "vitest";
import { changeText, manyText, stateText } from "./forwarding-text.ts";

const now = new Date(2026, 10, 27, 14, 0, 0);
const at = (minutes: number, seconds = 0) => new Date(2026, 10, 27, 14, minutes, seconds).toISOString();
const none = { problem: null, held: null, nextTryAt: null };
const told = { provider: "Forward Email", isActive: true };

function responseOf(...unfinished: [aliasId: string, state: UnfinishedAliasWire["state"]][]): ForwardingWire {
  const count = (wanted: string) => unfinished.filter(([, state]) => state === wanted).length;
  return {
    provider: { name: "Forward Email", smtpHost: "smtp.provider.example" },
    counts: { waiting: count("waiting"), failed: count("failed"), held: count("held") },
    unfinished: unfinished.map(([aliasId, state]) => ({ aliasId, state, ...none })),
  };
}

describe("the state of an alias", () => {
  test("names the provider while the alias waits, and says pausing of a paused alias", () => {
    expect(stateText({ state: "waiting", ...none }, told, now)).toBe("Being set up at Forward Email");
    expect(stateText({ state: "waiting", ...none }, { ...told, isActive: false }, now)).toBe(
      "Being paused at Forward Email",
    );
  });

  test("says why it failed and when it is tried again", () => {
    const failed = { ...none, state: "failed", problem: "unreachable" } as const;
    const why = "Could not be set up: the provider can't be reached.";
    expect(stateText({ ...failed, nextTryAt: at(5) }, told, now)).toBe(`${why} We try again at 14:05.`);
    expect(stateText({ ...failed, nextTryAt: at(0, 10) }, told, now)).toBe(`${why} We try again in a moment.`);
    expect(stateText(failed, told, now)).toBe(why);
    expect(stateText({ ...failed, nextTryAt: at(5) }, { ...told, isActive: false }, now)).toBe(
      "Could not be paused: the provider can't be reached, so it may still forward. We try again at 14:05.",
    );
  });

  test("says why an active alias is off", () => {
    expect(stateText({ ...none, state: "held", held: "encrypted" }, told, now)).toBe(
      "Off at Forward Email. Its mail is to be forwarded encrypted, which the provider can't do.",
    );
  });
});

test("one line says that many aliases wait, and nothing if few do", () => {
  expect(manyText({ waiting: 5, failed: 0, held: 100 }, "Forward Email")).toBeNull();
  expect(manyText({ waiting: 4210, failed: 0, held: 0 }, "Forward Email")).toBe(
    "4,210 aliases are being set up at Forward Email.",
  );
  expect(manyText({ waiting: 12, failed: 1, held: 0 }, "Forward Email")).toBe(
    "12 aliases are being set up at Forward Email. 1 alias could not be set up yet. We try again.",
  );
  expect(manyText({ waiting: 0, failed: 7, held: 0 }, "Forward Email")).toBe(
    "7 aliases could not be set up yet. We try again.",
  );
});

describe("a screen reader is told", () => {
  const addressOf = (id: string) => (id === "gone" ? null : `${id}@kauke.test`);
  const change = (before: ForwardingWire | undefined, after: ForwardingWire) =>
    changeText(before, after, { provider: "Forward Email", addressOf });

  test("nothing by the first response, and nothing while nothing changes", () => {
    expect(change(undefined, responseOf(["a", "waiting"]))).toBe("");
    expect(change(responseOf(["a", "waiting"]), responseOf(["a", "waiting"]))).toBe("");
  });

  test("each change of a few aliases", () => {
    const before = responseOf(["a", "waiting"], ["b", "failed"], ["c", "waiting"]);
    expect(change(before, responseOf(["c", "failed"], ["d", "held"]))).toBe(
      "a@kauke.test is set up at Forward Email. b@kauke.test is set up at Forward Email. " +
        "c@kauke.test could not be set up at Forward Email. d@kauke.test is off at Forward Email.",
    );
  });

  test("nothing of deleted aliases", () => {
    expect(change(responseOf(["gone", "waiting"]), responseOf())).toBe("");
  });

  test("one sentence for many", () => {
    const many = ["a", "b", "c", "d", "e", "f"].map((id): [string, "waiting"] => [id, "waiting"]);
    expect(change(responseOf(...many), responseOf())).toBe("All aliases are set up at Forward Email.");
    expect(change(responseOf(), responseOf(...many))).toBe("6 aliases are being set up at Forward Email.");
    expect(change(responseOf(...many, ["g", "waiting"]), responseOf(["g", "waiting"]))).toBe(
      "1 alias is not set up yet at Forward Email.",
    );
  });
});
