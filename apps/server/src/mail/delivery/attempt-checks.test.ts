/** Checks made before a delivery attempt, on the first attempt and on retries. */
import { expect, test } from "vitest";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import type { ForwardCopy } from "../message/forward-copy.ts";
import { type CheckDeps, checkDelivery, type DeliveryToCheck, type KnownFromArrival } from "./attempt.ts";

const url = "https://hooks.example/in";
const mailbox: DeliveryToCheck = {
  id: "delivery",
  aliasId: "alias",
  userId: "user",
  target: { destination: { kind: "mailbox", address: "ann@home.example" }, aliasAddress: "shop@mask.example" },
};
const webhook = { ...mailbox, target: { ...mailbox.target, destination: { kind: "webhook", url } as const } };
const waits: DeliveryOutcome = { kind: "deferred", failure: { code: "not_confirmed", enhancedStatus: "4.7.1" } };

interface Scene {
  pausedDomain?: string;
  pausedWebhooks?: string[];
  isOverCorrespondents?: boolean;
  guardSays?: DeliveryOutcome | null;
  shareSays?: DeliveryOutcome | null;
}

async function run(delivery: DeliveryToCheck, known: KnownFromArrival | null, scene: Scene = {}) {
  const asked: string[] = [];
  const say = <T>(what: string, answer: T): T => {
    asked.push(what);
    return answer;
  };
  const { pausedWebhooks = [], isOverCorrespondents = false, guardSays = null, shareSays = null } = scene;
  const deps: CheckDeps = {
    domains: {
      whyNotSending: (userId, domain) =>
        userId === "user" && domain !== scene.pausedDomain ? null : "domain_suspended",
    },
    aliases: { findRouteById: async () => say("route", { pausedWebhooks } as never) },
    replyBook: { keep: async () => say("reply addresses", new Set(isOverCorrespondents ? ["alias"] : [])) },
    guard: {
      beforeAttempt: async (_, state) => say(`confirmation: ${state}`, guardSays),
      beforeRetry: async () => say("confirmation", guardSays),
    },
    shares: {
      beforeAttempt: () => say("share of a new message", shareSays),
      beforeRetry: () => say("share", shareSays),
    },
  };
  const copy = { correspondents: [{}] } as unknown as ForwardCopy;
  const outcome = await checkDelivery(delivery, copy, known, deps);
  return { asked, outcome };
}

test("a first attempt trusts what RCPT found out, and checks only the destination's share", async () => {
  const { asked, outcome } = await run(mailbox, {});
  expect(asked).toEqual(["share of a new message"]);
  expect(outcome).toBeNull();
});

test("a first attempt to a mailbox that was unconfirmed at RCPT goes through the confirmation guard with that state", async () => {
  expect((await run(mailbox, { unconfirmed: "asked" })).asked).toEqual([
    "confirmation: asked",
    "share of a new message",
  ]);
});

test("a retry looks everything up again, in the same order", async () => {
  expect((await run(mailbox, null)).asked).toEqual(["reply addresses", "confirmation", "share"]);
  expect((await run(webhook, null)).asked).toEqual(["route", "reply addresses", "confirmation", "share"]);
});

test("the first check that fails ends the attempt: no later check runs or counts the message", async () => {
  const held = await run(mailbox, { isHeld: true, unconfirmed: "new" });
  expect([held.asked, held.outcome]).toEqual([[], expect.objectContaining({ kind: "deferred" })]);
  const paused = await run(webhook, null, { pausedWebhooks: [url] });
  expect([paused.asked, paused.outcome?.kind]).toEqual([["route"], "refused"]);
  const crowded = await run(mailbox, null, { isOverCorrespondents: true });
  expect([crowded.asked, crowded.outcome?.kind]).toEqual([["reply addresses"], "deferred"]);
  const unconfirmed = await run(mailbox, null, { guardSays: waits });
  expect([unconfirmed.asked, unconfirmed.outcome]).toEqual([["reply addresses", "confirmation"], waits]);
  const full = await run(mailbox, {}, { shareSays: waits });
  expect([full.asked, full.outcome]).toEqual([["share of a new message"], waits]);
});

test("mail from an alias waits while nothing may be sent from its domain, and mail to the alias does not", async () => {
  const sent = { ...mailbox, target: { ...mailbox.target, purpose: "send" } as const };
  const waiting = await run(sent, null, { pausedDomain: "mask.example" });
  expect([waiting.asked, waiting.outcome]).toEqual([
    [],
    { kind: "deferred", failure: { code: "domain_paused", enhancedStatus: "4.7.1" } },
  ]);
  expect((await run(sent, null)).outcome).toBeNull();
  expect((await run(mailbox, null, { pausedDomain: "mask.example" })).outcome).toBeNull();
});

test("mail to the operator has no reply addresses to store", async () => {
  const own = { ...mailbox, aliasId: null, userId: null };
  expect((await run(own, null)).asked).not.toContain("reply addresses");
});
