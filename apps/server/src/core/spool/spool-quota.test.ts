import { beforeEach, expect, test } from "vitest";
import { SpoolQuota } from "./spool-space.ts";

let open: number;
let counted: number;
let now: number;
let quota: SpoolQuota;

beforeEach(() => {
  [open, counted, now] = [0, 0, 0];
  const countForAlias = async () => {
    counted += 1;
    return open;
  };
  quota = new SpoolQuota({ countForAlias }, { now: () => new Date(now) });
});

const keep = (deliveries: number) => {
  for (let kept = 0; kept < deliveries; kept++) quota.watch("alias");
  open += deliveries;
};

test("the deliveries of an alias that never had mail in the spool are not counted", async () => {
  expect(await quota.isFull("alias")).toBe(false);
  expect(counted).toBe(0);
});

test("a count far below the limit is cached for five seconds", async () => {
  keep(2);
  for (let asked = 0; asked < 20; asked++) expect(await quota.isFull("alias")).toBe(false);
  expect(counted).toBe(1);
  now = 5000;
  expect(await quota.isFull("alias")).toBe(false);
  expect(counted).toBe(2);
});

test("however fast mail arrives, no more than a thousand open deliveries are accepted", async () => {
  for (let come = 0; !(await quota.isFull("alias")); come++) {
    keep(1);
    expect(come).toBeLessThan(1000);
  }
  expect(open).toBe(1000);
  expect(counted).toBeLessThan(20);
});

test("a full alias is counted for every message, so that it accepts mail again as soon as there is room", async () => {
  keep(1000);
  expect(await quota.isFull("alias")).toBe(true);
  expect(await quota.isFull("alias")).toBe(true);
  open = 999;
  expect(await quota.isFull("alias")).toBe(false);
});
