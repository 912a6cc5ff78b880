import type { AliasWire, MailboxWire, TestStage } from "@kauke/contract";
import { expect, test } from "vitest";
import { countDone, progressOf, stagesText, summaryOf, troubleOf } from "./steps.ts";

const at = "2026-11-27T12:00:00.000Z";
const steps = { isHidden: false, hasMail: false, isPreview: false };
const alias = (name: string, more = {}) =>
  ({ alias: name, active: true, forwardTo: "a@example.org", ...more }) as AliasWire;
const box = (state: string) =>
  ({ email: `${state}@example.org`, state, confirmed: state === "confirmed" }) as MailboxWire;

test("each step is done by its event", () => {
  expect(progressOf({ steps, aliases: [], mailboxes: [box("new")] }).done).toEqual([false, false, false]);
  const some = progressOf({ steps: { ...steps, hasMail: true }, aliases: [alias("shop")], mailboxes: [box("asked")] });
  expect(some).toMatchObject({ done: [true, true, false], asked: "asked@example.org" });
  expect([countDone(some), summaryOf(some)]).toEqual([2, "2 of 3 done, one is left."]);
  expect(progressOf({ steps, aliases: [], mailboxes: [box("confirmed")] }).done).toEqual([false, false, true]);
});

test("a test goes to the newest active alias", () => {
  const aliases = [alias("paused", { active: false, forwardTo: "null" }), alias("shop"), alias("old")];
  expect(progressOf({ steps, aliases, mailboxes: [] }).alias?.alias).toBe("shop");
});

test("the stages of a test are one sentence, and a failed one says why", () => {
  const stage = (name: TestStage["name"], state: TestStage["state"], text?: string): TestStage => ({
    name,
    state,
    at,
    ...(text && { text }),
  });
  const running = [stage("sent", "done"), stage("received", "running")];
  expect([stagesText(running), troubleOf(running)]).toEqual(["Sent, receiving...", null]);
  const over = [stage("sent", "done"), stage("received", "failed", "Our server refused it.")];
  expect([stagesText(over), troubleOf(over)]).toEqual(["Sent, not received", "Our server refused it."]);
});
