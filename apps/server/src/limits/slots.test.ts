import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { clientParty } from "./party.ts";
import { AttemptRoom, FairPool, type Standing } from "./slots.ts";

interface Member {
  address: string;
  standing: Standing;
}

const rules = { max: 40, maxPerNetwork: 20, maxPerBlock: 30, maxPerBlockWhenCrowded: 12, ownIdleMs: 10_000 };
const now = 1_000_000;
const judge = (member: Member) => member.standing;

class Scene {
  readonly pool: FairPool<Member>;

  constructor(changed: Partial<typeof rules> = {}) {
    this.pool = new FairPool({ ...rules, ...changed });
  }

  wants(address: string) {
    return this.pool.makeRoom({ party: clientParty(address), now, judge });
  }

  /** Requests admission to the pool for a client. @returns whether the client was admitted */
  enters(address: string, standing: Partial<Standing> = {}): boolean {
    const room = this.wants(address);
    if (typeof room === "object") this.pool.delete(room.leaves);
    if (room === "full") return false;
    this.pool.put({ address, standing: { state: "idle", idleSince: now, ...standing } }, clientParty(address));
    return true;
  }

  count(prefix: string): number {
    return [...this.pool.members()].filter(({ address }) => address.startsWith(prefix)).length;
  }
}

const fill = (count: number, enter: (n: number) => unknown) => Array.from({ length: count }, (_, n) => enter(n));

describe("a network or block at its own limit", () => {
  it("gets a new member only in exchange for one of its own that has long been idle", () => {
    const scene = new Scene();
    fill(20, () => scene.enters("10.0.0.1"));
    expect(scene.wants("10.0.0.1")).toBe("full");
    expect(scene.wants("10.0.0.2")).toBe("room");
    const idle = new Scene();
    fill(20, (n) => idle.enters("10.0.0.1", { idleSince: now - 10_000 - n }));
    expect(idle.wants("10.0.0.1")).toMatchObject({ leaves: { standing: { idleSince: now - 10_019 } } });
  });

  it("counts by /64 and /48, so the 65,536 networks of a /48 share one limit", () => {
    const scene = new Scene();
    const entered = fill(40, (n) => scene.enters(`2001:db8:1:${n.toString(16)}::1`));
    expect(entered.filter(Boolean)).toHaveLength(30);
    expect(scene.wants("2001:db8:2::1")).toBe("room");
  });

  it("has a lower limit when the pool is crowded", () => {
    const scene = new Scene();
    fill(29, (n) => scene.enters(`10.0.0.${n}`));
    fill(5, (n) => scene.enters(`10.${n}.1.1`));
    expect(scene.pool.isCrowded).toBe(true);
    expect(scene.wants("10.0.0.99")).toBe("full");
    expect(scene.wants("10.0.99.1")).toBe("room");
  });
});

describe("a full pool", () => {
  const full = () => {
    const scene = new Scene({ maxPerBlockWhenCrowded: 30 });
    fill(20, (n) => scene.enters("10.0.0.1", { idleSince: now - n }));
    fill(10, (n) => scene.enters(`10.0.0.${100 + n}`, { idleSince: now - 500 }));
    fill(10, (n) => scene.enters(`10.1.${n}.1`, { idleSince: now - 900_000 }));
    return scene;
  };

  it("evicts the longest idle member of the largest network of the largest block, not an older one of a small block", () => {
    const scene = full();
    expect(scene.wants("10.2.0.1")).toMatchObject({
      leaves: { address: "10.0.0.1", standing: { idleSince: now - 19 } },
    });
  });

  it("evicts no member of a smaller network or block than the newcomer's", () => {
    const scene = new Scene({ maxPerBlockWhenCrowded: 40, maxPerBlock: 40 });
    fill(20, () => scene.enters("10.0.0.1", { state: "answering" }));
    fill(20, (n) => scene.enters(`10.1.${n}.1`));
    expect(scene.wants("10.0.0.2")).toBe("full");
    expect(scene.wants("10.2.0.1")).toMatchObject({ leaves: { address: "10.1.0.1" } });
  });

  it("never evicts a member in the answering state, nor a moving one while any is idle or its block is small", () => {
    const scene = new Scene({ maxPerBlock: 40, maxPerBlockWhenCrowded: 40 });
    fill(20, () => scene.enters("10.0.0.1", { state: "answering" }));
    fill(19, () => scene.enters("10.0.1.1", { state: "moving" }));
    scene.enters("10.3.0.1");
    expect(scene.wants("10.2.0.1")).toMatchObject({ leaves: { address: "10.3.0.1" } });
    scene.enters("10.2.0.1", { state: "moving" });
    expect(scene.wants("10.2.1.1")).toMatchObject({ leaves: { address: "10.0.1.1" } });
    const quiet = new Scene();
    fill(40, (n) => quiet.enters(`10.${n}.0.1`, { state: "moving" }));
    expect(quiet.wants("10.2.1.1")).toBe("full");
  });

  it("evicts the longest idle of many equal networks, unknown clients before known ones", () => {
    const scene = new Scene();
    fill(40, (n) => scene.enters(`10.${n}.0.1`, { idleSince: now - n, isKnown: n > 20 }));
    expect(scene.wants("10.99.0.1")).toMatchObject({ leaves: { address: "10.20.0.1" } });
  });

  it("does not count a member without a party, and admits it like a member of a small network", () => {
    const scene = full();
    scene.pool.put({ address: "proxy", standing: { state: "idle", idleSince: 0 } }, null);
    expect(scene.pool.makeRoom({ party: null, now, judge })).toMatchObject({ leaves: { address: "10.0.0.1" } });
  });
});

const arrivals = fc.array(fc.tuple(fc.nat({ max: 5 }), fc.nat({ max: 3 }), fc.nat({ max: 2 })), { maxLength: 300 });

it("law: the limits are never exceeded, and a newcomer of a small block is admitted while any member is idle", () => {
  fc.assert(
    fc.property(arrivals, (all) => {
      const scene = new Scene({ max: 24 });
      for (const [block, host, state] of all) {
        const standing = (["idle", "moving", "answering"] as const)[state] ?? "idle";
        const entered = scene.enters(`10.0.${block}.${host}`, { state: standing });
        expect(scene.pool.size).toBeLessThanOrEqual(24);
        const hasIdle = [...scene.pool.members()].some((it) => it.standing.state === "idle");
        if (!entered && hasIdle) expect(scene.count(`10.0.${block}.`)).toBeGreaterThanOrEqual(8);
      }
      for (let block = 0; block <= 5; block++) {
        expect(scene.count(`10.0.${block}.`)).toBeLessThanOrEqual(30);
        for (let host = 0; host <= 3; host++) expect(scene.count(`10.0.${block}.${host}`)).toBeLessThanOrEqual(20);
      }
    }),
  );
});

/** @returns number of attempts that could start */
function begin(room: AttemptRoom, account: string, count: number): number {
  let begun = 0;
  for (let n = 0; n < count && room.hasRoom(account); n++) {
    room.enter(account);
    begun++;
  }
  return begun;
}

test("an account has its share of attempts, and may start another for each that ends", () => {
  const room = new AttemptRoom({ all: 100, account: 20 });
  expect(begin(room, "a", 50)).toBe(20);
  expect(begin(room, "b", 5)).toBe(5);
  room.leave("a");
  expect(begin(room, "a", 50)).toBe(1);
});

test("at the total limit, accounts below an equal part may start attempts, up to twice the limit, then one each", () => {
  const room = new AttemptRoom({ all: 40, account: 20 });
  expect(begin(room, "a", 50) + begin(room, "b", 50)).toBe(40);
  // The third account may start a third of 40 attempts, the fourth a quarter.
  expect(begin(room, "c", 50)).toBe(14);
  expect(begin(room, "d", 50)).toBe(10);
  expect(room.hasRoom("a")).toBe(false);
  let total = 64;
  for (let n = 0; total < 80; n++) total += begin(room, `e${n}`, 50);
  expect(total).toBe(80);
  expect([begin(room, "f", 50), begin(room, "g", 50)]).toEqual([1, 1]);
});

test("mail to the operator counts as an account", () => {
  const room = new AttemptRoom({ all: 10, account: 2 });
  room.enter("");
  room.enter("");
  expect(room.hasRoom(null)).toBe(false);
  room.leave("");
  expect(room.hasRoom(null)).toBe(true);
});
