import { logSpy } from "@kauke/testkit/log-spy";
import { expect, test } from "vitest";
import type { DeliveryOutcome } from "../../core/delivery/delivery.ts";
import { deferred, taken, untried } from "../classify-reply.ts";
import { EncryptionFailed } from "../message/encrypted-copy.ts";
import { type OngoingAttempt, outcomeOnly, type SendReport } from "../transport/transport.ts";
import { Attempt, type AttemptDeps, type CopySource, startAttempt } from "./attempt.ts";
import { directLimits, RunningAttempts } from "./shares/running-attempts.ts";

const address = "ann@home.example";
const delivery = {
  id: "delivery",
  messageId: "message",
  aliasId: "alias",
  userId: "user",
  target: { destination: { kind: "mailbox", address }, aliasAddress: "shop@mask.example" },
  sizeBytes: 1000,
} as const;

interface Scene {
  open?: () => Promise<DeliveryOutcome>;
  mailTo?: () => Promise<unknown>;
  check?: () => DeliveryOutcome;
  send?: (attempt: OngoingAttempt) => Promise<SendReport>;
  note?: () => Promise<void>;
}

function scene({ open, mailTo, check, send, note }: Scene = {}) {
  const calls: string[] = [];
  let evict = () => {};
  const copy = {
    correspondents: [],
    onEvicted: (stop: () => void) => {
      evict = stop;
    },
    mailTo: mailTo ?? (async () => ({})),
  };
  const opened = { copy, wasMissing: false, release: () => void calls.push("release") };
  const source = { known: {}, open: open ?? (async () => opened) } as unknown as CopySource;
  const running = new RunningAttempts(directLimits);
  const deps = {
    running,
    checks: { guard: null, shares: check === undefined ? null : { beforeAttempt: check } },
    transports: {
      mail: {
        send: async (_: unknown, attempt: OngoingAttempt) => {
          calls.push("send");
          return send === undefined ? outcomeOnly(taken) : await send(attempt);
        },
      },
    },
    health: { note: note ?? (async () => void calls.push("note")) },
    clock: { now: () => new Date(0) },
    logger: logSpy(),
  } as unknown as AttemptDeps;
  const start = () => startAttempt(delivery, source, deps);
  /** @returns the outcome, what was called, and the attempts that still have a place */
  const run = async () => {
    const attempt = start();
    const outcome = attempt instanceof Attempt ? await attempt.ended : attempt;
    return { outcome, calls, places: running.size };
  };
  return { run, start, calls, running, evict: () => evict() };
}

test("an attempt sends its copy, reports what it learned, and releases the copy and its place", async () => {
  expect(await scene().run()).toEqual({ outcome: taken, calls: ["send", "note", "release"], places: 0 });
});

test("a check that fails replaces the attempt, and without a copy nothing is sent", async () => {
  const waits = deferred("not_confirmed", "4.7.1");
  expect(await scene({ check: () => waits }).run()).toEqual({ outcome: waits, calls: ["release"], places: 0 });
  expect(await scene({ open: async () => untried }).run()).toEqual({ outcome: untried, calls: [], places: 0 });
});

const failure = () => Promise.reject(new Error("broken"));

test.each<[string, Scene]>([
  ["the source of the copy", { open: failure }],
  ["the copy", { mailTo: failure }],
  ["the transport", { send: failure }],
  ["the record of what was learned", { note: failure }],
  [
    "a check",
    {
      check: () => {
        throw new Error("broken");
      },
    },
  ],
])("whatever throws, here %s: the delivery is deferred, and copy and place are released", async (_, broken) => {
  const { outcome, calls, places } = await scene(broken).run();
  expect(outcome).toEqual(deferred("try_later", "4.3.0"));
  expect(places).toBe(0);
  expect(calls.includes("release")).toBe(broken.open === undefined);
});

test("mail that can't be encrypted waits under a code of its own", async () => {
  const { outcome } = await scene({ mailTo: () => Promise.reject(new EncryptionFailed()) }).run();
  expect(outcome).toEqual(deferred("not_sealed", "4.7.5"));
});

test("a copy evicted from memory stops the attempt before its message is sent, and not after", async () => {
  const reports = [Promise.withResolvers<SendReport>(), Promise.withResolvers<SendReport>()];
  for (const [index, isSent] of [false, true].entries()) {
    let ongoing: OngoingAttempt | undefined;
    const { start, evict, calls } = scene({
      send: (attempt) => {
        ongoing = attempt;
        return (reports[index] as PromiseWithResolvers<SendReport>).promise;
      },
    });
    const attempt = start() as Attempt;
    await expect.poll(() => calls).toContain("send");
    if (isSent) ongoing?.sendEnd(false);
    evict();
    expect([ongoing?.signal.aborted, attempt.needsBytes]).toEqual([!isSent, true]);
    reports[index]?.resolve(outcomeOnly(taken));
    expect([await attempt.ended, attempt.needsBytes]).toEqual([taken, false]);
  }
});

test("a large message that one host deferred is needed again for the next host", async () => {
  const ended = Promise.withResolvers<SendReport>();
  const needed: boolean[] = [];
  const { start, calls } = scene({
    send: (ongoing) => {
      for (const host of ["192.0.2.1", "192.0.2.2"]) {
        ongoing.reachPeer(host);
        needed.push(attempt.needsBytes);
        ongoing.sendEnd(true);
        needed.push(attempt.needsBytes);
      }
      return ended.promise;
    },
  });
  const attempt = start() as Attempt;
  await expect.poll(() => calls).toContain("send");
  expect(needed).toEqual([true, false, true, false]);
  ended.resolve(outcomeOnly(taken));
  await attempt.ended;
});

test("an account with its maximum of attempts gets no other now, and may try again at once", () => {
  const { start, running } = scene({ send: () => new Promise(() => {}) });
  while (running.hasRoom("user")) start();
  expect(start()).toEqual({ ...untried, notBefore: new Date(0) });
});
