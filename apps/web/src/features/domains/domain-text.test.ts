import type { DomainRecordWire } from "@kauke/contract";
import { expect, test } from "vitest";
import {
  domainStateText,
  foundText,
  isWaiting,
  policyText,
  readDomain,
  recordStateText,
  showsFound,
} from "./domain-text.ts";

const record = (more: Partial<DomainRecordWire> = {}): DomainRecordWire => ({
  name: "spf",
  isRequired: false,
  type: "TXT",
  host: "example.com",
  value: "v=spf1 a:mail.kauke.test -all",
  priority: null,
  state: "right",
  found: [],
  ...more,
});
const noGrace = { failingSince: null, stateUntil: null };
const at = "2026-03-01T10:00:00.000Z";

test.each([
  [{ state: "right" }, "Found", false],
  [{ state: "missing" }, "Nothing found yet", false],
  [{ state: "unread" }, "DNS did not answer", false],
  [{ state: "wrong", found: ["v=spf1 -all"] }, "Found something else:", true],
  [{ state: "wrong" }, "Found something else", false],
  [{ state: "conflict", found: ["one", "two"] }, "There are two SPF records: join them into one", true],
  [{ state: "conflict", found: ["one", "two", "three"] }, "There are several SPF records: join them into one", true],
  [{ name: "dmarc", state: "conflict", found: ["one", "two"] }, "There are several DMARC records: keep one", true],
  [
    { name: "mx", state: "conflict", found: ["10 mail.kauke.test", "20 mx.example"] },
    "Other mail servers are listed too and would get part of the mail: remove them",
    true,
  ],
] satisfies [Partial<DomainRecordWire>, string, boolean][])("%j is said as “%s”", (more, said, listed) => {
  expect(recordStateText(record(more), at)).toBe(said);
  expect(showsFound(record(more))).toBe(listed);
});

test("a record of a domain that was never checked has not been looked up", () => {
  expect(recordStateText(record({ state: "unread" }), null)).toBe("Not looked up yet");
});

test("a domain says whether its mail is accepted, and how many records are still to be found", () => {
  const [right, missing] = [record(), record({ state: "missing" })];
  expect(domainStateText({ state: "new", ...noGrace, records: [right] })).toMatch(/^No mail is accepted before/);
  expect(domainStateText({ state: "proven", ...noGrace, records: [right] })).toBe(
    "Mail is accepted, and what you send is signed.",
  );
  expect(domainStateText({ state: "proven", ...noGrace, records: [right, missing] })).toMatch(
    / 1 record is still to be found\.$/,
  );
  expect(foundText({ records: [right, missing, missing] })).toBe("1 of 3 records found");
});

test("a domain whose required records are not right says since when, and until when what goes on", () => {
  const times = { failingSince: at, stateUntil: "2026-03-08T10:00:00.000Z", records: [record({ state: "missing" })] };
  const texts = (["failing", "suspended", "closed"] as const).map((state) => domainStateText({ state, ...times }));
  expect(texts).toEqual([
    "Records are missing or wrong since 1 Mar 2026; mail goes on until 8 Mar 2026.",
    "Paused: records are missing or wrong since 1 Mar 2026. Mail waits at its senders until 8 Mar 2026.",
    "Closed: records are missing or wrong since 1 Mar 2026. The domain is reserved for you until 8 Mar 2026.",
  ]);
});

test("records of encrypted delivery are not counted, since a domain works without them", () => {
  const optional = (["mta_sts_host", "mta_sts", "tls_rpt"] as const).map((name) => record({ name, state: "missing" }));
  const records = [record(), ...optional];
  expect(foundText({ records })).toBe("1 of 1 records found");
  expect(isWaiting({ state: "proven", records })).toBe(false);
  expect(domainStateText({ state: "proven", ...noGrace, records })).toMatch(/^Mail is accepted, and/);
});

test("of the policy it is said what becomes of it once its host is found", () => {
  expect(policyText({ policy: "none" })).toBeNull();
  const texts = (["waiting", "delayed", "served"] as const).map((policy) => policyText({ policy }));
  expect(new Set(texts).size).toBe(3);
});

test("a domain waits while it is new, and later while DNS lacks a record", () => {
  expect(isWaiting({ state: "new", records: [record()] })).toBe(true);
  expect(isWaiting({ state: "proven", records: [record({ state: "wrong" })] })).toBe(true);
  expect(isWaiting({ state: "proven", records: [record()] })).toBe(false);
});

test.each([
  [" example.com ", "example.com"],
  ["https://example.com/mail?a#b", "example.com"],
  ["http://example.com:8080", "example.com"],
  ["jonas@ąžuolas.lt", "ąžuolas.lt"],
  ["no domain", "no domain"],
  ["", ""],
])("of %j the domain is %j", (typed, domain) => {
  expect(readDomain(typed)).toBe(domain);
});
