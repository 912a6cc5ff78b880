import { expect, it } from "vitest";
import { checkOwnDomains } from "./own-domain-checks.ts";

const none = { new: 0, proven: 0, failing: 0, suspended: 0, closed: 0 };
const check = (counts: Partial<typeof none>) => checkOwnDomains({ ownDomains: { ...none, ...counts } });

it("no proven domain is no check, a few that fail are their owners' matter, and most of many are the operator's", () => {
  expect(check({})).toEqual([]);
  expect(check({ new: 7 })).toEqual([]);
  expect(check({ new: 1, failing: 2 })).toMatchObject([{ state: "ok", subject: "1 new, 2 failing" }]);
  expect(check({ proven: 9, failing: 9 })).toMatchObject([{ state: "ok", subject: "9 proven, 9 failing" }]);
  expect(check({ proven: 2, failing: 1, suspended: 1, closed: 1 })).toMatchObject([{ state: "warn" }]);
});
