import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { confirmationMessage, decideAsk, stateAfter } from "./confirmation.ts";

const now = new Date("2026-03-10T12:00:00Z");
const hoursAgo = (hours: number) => new Date(now.getTime() - hours * 3_600_000);
const asked = (...hours: number[]) => ({ state: "asked" as const, askedAt: hours.map(hoursAgo), waiting: 1 });
const fresh = { state: "new" as const, askedAt: [], waiting: 0 };

describe("asking a mailbox", () => {
  it("the first forwarded message asks for confirmation, later ones do not", () => {
    expect(decideAsk(fresh, { now, isByOwner: false })).toEqual({ kind: "ask" });
    expect(decideAsk(asked(100), { now, isByOwner: false })).toEqual({ kind: "known", state: "asked" });
  });

  it("an account has at most five unconfirmed mailboxes", () => {
    expect(decideAsk({ ...fresh, waiting: 4 }, { now, isByOwner: false })).toEqual({ kind: "ask" });
    for (const isByOwner of [true, false])
      expect(decideAsk({ ...fresh, waiting: 5 }, { now, isByOwner })).toEqual({ kind: "too_many" });
  });

  it("the owner may ask again after a day, and at most three messages are sent", () => {
    const nextAt = hoursAgo(-1);
    expect(decideAsk(asked(23), { now, isByOwner: true })).toEqual({ kind: "too_soon", nextAt });
    expect(decideAsk(asked(24), { now, isByOwner: true })).toEqual({ kind: "ask" });
    expect(decideAsk(asked(72, 48, 24), { now, isByOwner: true })).toEqual({ kind: "too_soon", nextAt: null });
  });

  it.each(["confirmed", "refused", "blocked"] as const)("a mailbox that is %s is never asked again", (state) => {
    const pair = { state, askedAt: [hoursAgo(100)], waiting: 0 };
    for (const isByOwner of [true, false])
      expect(decideAsk(pair, { now, isByOwner })).toEqual({ kind: "known", state });
  });
});

describe("the state after an answer", () => {
  it.each([
    ["asked", "mine", "confirmed"],
    ["asked", "not_mine", "refused"],
    ["confirmed", "not_mine", "refused"],
    ["refused", "mine", "confirmed"],
    ["refused", "block", "blocked"],
    ["confirmed", "block", "blocked"],
    ["blocked", "mine", "blocked"],
    ["blocked", "not_mine", "blocked"],
  ] as const)("state %s and answer %s lead to %s", (before, choice, after) => {
    expect(stateAfter(before, choice)).toBe(after);
    expect(stateAfter(after, choice)).toBe(after);
  });
});

const token = "a".repeat(32);
const made = (mailbox: string, settings: { isNothingForwarded?: true } = {}) =>
  confirmationMessage({
    ...settings,
    from: "no-reply@kauke.test",
    mailbox,
    origin: "https://kauke.test",
    token,
    messageId: "<1@kauke.test>",
    boundary: "b0undary",
    at: new Date("2026-03-10T12:00:00Z"),
  }).toString("utf8");

it("contains both links in text and HTML, and is marked as automatic", () => {
  const text = made("ann@example.org");
  const [plain = "", html = ""] = text.split("text/html");
  for (const link of [`https://kauke.test/confirm/${token}`, `https://kauke.test/confirm/${token}/not-mine`]) {
    expect(plain).toContain(`\r\n${link}\r\n`);
    expect(html).toContain(`<a href="${link}">`);
  }
  expect(text).toContain("\r\nAuto-Submitted: auto-generated\r\n");
  expect(text).toContain("\r\nFrom: Kauke <no-reply@kauke.test>\r\n");
  expect(text.split("\r\n").every((line) => line.length <= 200 && !line.includes("\n"))).toBe(true);
});

it("says what is forwarded until then, which is nothing with a forwarding provider", () => {
  const [ours, theirs] = [made("ann@example.org"), made("ann@example.org", { isNothingForwarded: true })];
  expect(ours).toContain("has mail forwarded to this mailbox.");
  expect(ours).toContain("Until then only a few messages a day are forwarded.");
  expect(theirs).toContain("wants to have mail forwarded to this mailbox.");
  expect(theirs).toContain("Until then nothing is forwarded.");
});

it("is the same whatever the plus tag of the mailbox, so it repeats no text of a stranger", () => {
  const word = randomBytes(6).toString("hex");
  expect(made(`ann+${word}@example.org`)).toBe(made("ann@example.org"));
  expect(made(`${word}@example.org`)).toContain(word);
});
