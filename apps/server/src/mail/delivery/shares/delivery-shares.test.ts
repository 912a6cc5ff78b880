import fc from "fast-check";
import { expect, test } from "vitest";
import type { LeasedDelivery } from "../../../core/delivery/delivery.ts";
import { DeliveryShares } from "./delivery-shares.ts";

const now = new Date("2026-11-21T12:00:00Z");
let made = 0;

/** @param atOnce maximum slots in use of one account, and of one destination */
function sharesOf({
  atOnce,
  waiting,
  slots = 100,
}: {
  atOnce: number;
  waiting: number;
  slots?: number;
}): DeliveryShares {
  const usual = { slots, account: atOnce, destination: atOnce, waiting, waitingOfAccount: waiting };
  return new DeliveryShares({ own: { ...usual, slots: 1 }, usual });
}

/** @param to domain of a mailbox, or a webhook's URL */
function delivery(
  to: string,
  userId: string | null = `user${++made}`,
  purpose?: LeasedDelivery["target"]["purpose"],
): LeasedDelivery {
  const destination = to.includes(":")
    ? ({ kind: "webhook", url: to } as const)
    : ({ kind: "mailbox", address: `b@${to}` } as const);
  return {
    id: `delivery${++made}`,
    messageId: "m",
    aliasId: null,
    userId,
    target: { destination, aliasAddress: "a@kauke.test", ...(purpose === undefined ? {} : { purpose }) },
    attempts: 0,
    createdAt: now,
    leaseToken: "t",
    leasedUntil: now,
    envelope: { envelopeFrom: "", receivedAt: now } as LeasedDelivery["envelope"],
    sizeBytes: 1,
  };
}

test("domains of one provider share its slots, and release the right ones when the provider becomes known meanwhile", () => {
  const providers = new Map([["two.example", "provider.example"]]);
  const usual = { slots: 100, account: 100, destination: 1, waiting: 10, waitingOfAccount: 10 };
  const shares = new DeliveryShares({ own: usual, usual }, (name) => providers.get(name) ?? name);
  const first = delivery("one.example");
  expect(shares.admit(first)).toBe("run");
  providers.set("one.example", "provider.example");
  shares.leave(first);
  const second = delivery("two.example", "busy");
  expect(["one.example", "three.example"].map((to) => shares.admit(delivery(to, "busy")))).toEqual(["run", "run"]);
  expect(shares.admit(second)).toBe("wait");
});

test("when a domain has no free slot, others run, some of its deliveries wait and the rest are put back", () => {
  const shares = sharesOf({ atOnce: 2, waiting: 1 });
  const slow = ["ann", "bob", "ann", "ann"].map((account) => shares.admit(delivery("slow.example", account)));
  expect(slow).toEqual(["run", "run", "wait", "later"]);
  expect(shares.admit(delivery("SLOW.example", "bob"))).toBe("wait");
  expect(shares.admit(delivery("SLOW.example", "bob"))).toBe("later");
  expect(shares.admit(delivery("quick.example"))).toBe("run");
});

test("an account without a slot for a destination gets one although others have used up the destination's share", () => {
  const shares = sharesOf({ atOnce: 2, waiting: 1, slots: 4 });
  const admitted = ["ann", "ann", "bob", "cid", "dan"].map((account) =>
    shares.admit(delivery("slow.example", account)),
  );
  expect(admitted).toEqual(["run", "run", "run", "run", "wait"]);
});

test("an account's share counts over all domains, a webhook's share by its host", () => {
  const shares = sharesOf({ atOnce: 2, waiting: 0 });
  const busy = ["a.example", "b.example", "c.example", "d.example"].map((it) => shares.admit(delivery(it, "busy")));
  expect(busy).toEqual(["run", "run", "wait", "later"]);
  const hooks = ["https://h.example/1", "http://h.example:81/2", "https://h.example/3"];
  const admitted = hooks.map((it, index) => shares.admit(delivery(it, index === 1 ? "bob" : "ann")));
  expect(admitted).toEqual(["run", "run", "wait"]);
});

test("the server's own mail has reserved slots, and uses no others", () => {
  const shares = sharesOf({ atOnce: 2, waiting: 1, slots: 2 });
  expect(["a.example", "b.example"].map((it) => shares.admit(delivery(it)))).toEqual(["run", "run"]);
  expect([shares.free("usual"), shares.free("own")]).toEqual([0, 1]);
  const reset = delivery("a.example", "somebody", "account");
  expect(shares.admit(reset)).toBe("run");
  expect(shares.free("own")).toBe(0);
  expect(shares.admit(delivery("c.example", "somebody else", "report"))).toBe("wait");
  shares.leave(reset);
  expect(shares.next()?.userId).toBe("somebody else");
});

test("an account with no free slot and half of its places in the queue used is listed, so that none of its deliveries are claimed", () => {
  const shares = sharesOf({ atOnce: 1, waiting: 4 });
  const listed = ["a", "b", "c"].map((it) => {
    shares.admit(delivery(`${it}.example`, "busy"));
    return shares.fullAccounts();
  });
  expect(listed).toEqual([[], [], ["busy"]]);
});

test("an account may use a third of the free places in the queue, and always its own, so that others find room", () => {
  const usual = { slots: 100, account: 1, destination: 100, waiting: 60, waitingOfAccount: 5 };
  const shares = new DeliveryShares({ own: usual, usual });
  const waitingOf = (account: string) => {
    const answers = Array.from({ length: 40 }, () => shares.admit(delivery("a.example", account)));
    return answers.filter((it) => it === "wait").length;
  };
  expect(["first", "second", "third"].map(waitingOf)).toEqual([15, 11, 8]);
  expect(Array.from({ length: 6 }, (_, index) => waitingOf(`later ${index}`))).toEqual([6, 5, 5, 5, 5, 1]);
});

test("a claim for an account is large enough for its slots and half of its places in the queue", () => {
  const usual = { slots: 100, account: 8, destination: 8, waiting: 240, waitingOfAccount: 10 };
  const shares = new DeliveryShares({ own: usual, usual });
  expect(shares.claimableOfAccount()).toBe(38);
  for (let count = 0; count < 300; count++) shares.admit(delivery("a.example", `user ${count % 50}`));
  expect(shares.claimableOfAccount()).toBe(13);
});

test("a slot that becomes free goes to the first waiting delivery whose shares have room", () => {
  const shares = sharesOf({ atOnce: 1, waiting: 5 });
  const [first, other] = [delivery("slow.example", "ann"), delivery("other.example", "bob")];
  const [second, third] = [delivery("slow.example", "ann"), delivery("other.example", "bob")];
  for (const it of [first, other, second, third]) shares.admit(it);
  expect(shares.next()).toBeNull();
  shares.leave(other);
  expect(shares.next()).toBe(third);
  expect(shares.next()).toBeNull();
  expect(shares.waiting).toEqual([second]);
});

test("a slot that becomes free goes to the account that has the fewest", () => {
  const shares = sharesOf({ atOnce: 2, waiting: 5, slots: 2 });
  const [first, second] = [delivery("a.example", "ann"), delivery("a.example", "ann")];
  const [third, other] = [delivery("a.example", "ann"), delivery("a.example", "bob")];
  for (const it of [first, second, third, other]) shares.admit(it);
  shares.leave(first);
  expect(shares.next()).toBe(other);
});

test("the retry times of deliveries that are put back are in order, spread over time, within ten minutes", () => {
  const shares = sharesOf({ atOnce: 1, waiting: 0 });
  shares.admit(delivery("slow.example"));
  const waits = Array.from(
    { length: 20_000 },
    () => shares.retryAt(delivery("slow.example", "busy"), now).getTime() - now.getTime(),
  );
  // The line of one account does not delay the retries of another.
  expect(shares.retryAt(delivery("slow.example", "other"), now).getTime() - now.getTime()).toBe(5000);
  expect(waits.slice(0, 3)).toEqual([5000, 5050, 5100]);
  expect(waits.at(-1)).toBe(600_000);
});

test("no account's share is ever exceeded, and no delivery waits for ever", () => {
  const step = fc.record({
    domain: fc.integer({ min: 0, max: 3 }),
    user: fc.integer({ min: 0, max: 3 }),
    ends: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const shares = sharesOf({ atOnce: 2, waiting: 3 });
      const running: LeasedDelivery[] = [];
      for (const { domain, user, ends } of steps) {
        const it = delivery(`d${domain}.example`, `u${user}`);
        const answer = shares.admit(it);
        if (answer === "run") running.push(it);
        if (ends && running.length > 0) shares.leave(running.shift() as LeasedDelivery);
        for (let next = shares.next(); next !== null; next = shares.next()) running.push(next);
        for (const key of [0, 1, 2, 3]) {
          expect(running.filter((it) => it.userId === `u${key}`).length).toBeLessThanOrEqual(2);
          const there = running.filter((it) => JSON.stringify(it.target).includes(`d${key}.`));
          // More than two only if they are of different accounts.
          expect(there.length).toBeLessThanOrEqual(Math.max(2, new Set(there.map((it) => it.userId)).size + 1));
        }
      }
      while (running.length > 0) {
        shares.leave(running.shift() as LeasedDelivery);
        for (let next = shares.next(); next !== null; next = shares.next()) running.push(next);
      }
      expect(shares.waiting).toEqual([]);
    }),
  );
});
