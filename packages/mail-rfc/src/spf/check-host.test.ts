/** SPF results for records and zones of every section of RFC 7208 (test-vectors/spf), and bounds of a check. */
import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type AskSpf, checkHost, SPF_LOOKUPS_MAX } from "./check-host.ts";

const isLong = process.env.LONG_ROUNDS === "1";
const RESULTS = ["pass", "fail", "softfail", "neutral", "none", "permerror", "temperror"];
/** Maximum DNS queries of a check: the first record, and per look-up its own query and the addresses of ten hosts. */
const QUERIES_MAX = 1 + SPF_LOOKUPS_MAX * 11;

interface Vector {
  section: string;
  why: string;
  /** TXT records of `sender.example`, the sender's domain. */
  record?: string | string[];
  client?: string;
  sender?: string;
  helo?: string;
  /** Further records by name and type; `null` for a name that DNS gives no answer for. */
  zone?: Record<string, Record<string, string[]> | null>;
  result: string;
}

const vectors = JSON.parse(
  readFileSync(new URL("../../../../test-vectors/spf/check-host.json", import.meta.url), "utf8"),
) as Vector[];

function zoneOf({ record, zone = {} }: Vector): AskSpf {
  const records = record === undefined ? [] : [record].flat();
  return async (name, type) => {
    const entry = zone[name.toLowerCase()];
    if (entry === null) return null;
    const found = entry?.[type] ?? [];
    return type === "TXT" && name.toLowerCase() === "sender.example" ? [...records, ...found] : found;
  };
}

const questionOf = ({ client = "192.0.2.1", sender = "ann@sender.example", helo = "mail.sender.example" }: Vector) => ({
  clientAddress: client,
  sender,
  helo,
});

test.each(vectors)("§$section: $why", async (vector) => {
  expect((await checkHost(questionOf(vector), zoneOf(vector))).result).toBe(vector.result);
});

describe("a check", () => {
  const claim = { clientAddress: "192.0.2.1", helo: "mail.sender.example", sender: "ann@sender.example" };

  test("without a client address is a temperror", async () => {
    const found = await checkHost({ ...claim, clientAddress: "unknown" }, async () => ["v=spf1 +all"]);
    expect(found.result).toBe("temperror");
  });

  test("asks for each name once that it needs, and never for an explanation", async () => {
    const asked: string[] = [];
    await checkHost(claim, async (name, type) => {
      asked.push(`${type} ${name}`);
      return type === "TXT" ? ["v=spf1 ip4:192.0.2.9 a mx:b.example -all exp=why.example"] : ["192.0.2.2"];
    });
    expect(asked).toEqual(["TXT sender.example", "A sender.example", "MX b.example"]);
  });

  test("throws what the DNS function throws", async () => {
    const failing = () => Promise.reject(new Error("broken"));
    await expect(checkHost(claim, failing)).rejects.toThrow("broken");
  });

  test("ends within its bounds whatever DNS contains", { timeout: isLong ? 3_600_000 : 60_000 }, async () => {
    const terms = [
      "a",
      "mx",
      "ptr",
      "a:b.example",
      "include:%{d}",
      "include:b.example",
      "exists:%{p}.b.example",
      "?all",
    ];
    const record = fc.array(fc.constantFrom(...terms, "redirect=c.example", "x=%{s}", "%", "ip6:::/0"), {
      maxLength: 20,
    });
    const many = fc.array(fc.constantFrom("192.0.2.1", "2001:db8::2", "b.example", "", "a b.example"), {
      maxLength: 14,
    });
    const answer = fc.oneof(
      { weight: 6, arbitrary: record.map((all) => [`v=spf1 ${all.join(" ")}`]) },
      { weight: 6, arbitrary: many },
      { weight: 1, arbitrary: fc.constant(null) },
    );
    const property = fc.asyncProperty(fc.array(answer, { minLength: 1, maxLength: 30 }), async (answers) => {
      let asked = 0;
      const { result } = await checkHost(claim, async () => answers[asked++ % answers.length] ?? null);
      expect(RESULTS).toContain(result);
      expect(asked).toBeLessThanOrEqual(QUERIES_MAX);
    });
    await fc.assert(property, { numRuns: isLong ? 100_000 : 1000 });
  });

  test("in which a look-up fails is a temperror, even if a later mechanism would pass (§5.5 excepts ptr)", async () => {
    const record = "v=spf1 a mx exists:b.example include:c.example ptr:d.example ip4:192.0.2.1 -all";
    for (let late = 0; late < 6; late += 1) {
      let asked = 0;
      const { result } = await checkHost(claim, async (name, type) => {
        asked += 1;
        if (asked === late + 1) return null;
        if (name === "b.example") return [];
        if (type === "TXT") return [asked === 1 ? record : "v=spf1 -all"];
        return type === "MX" ? ["h.example"] : ["192.0.2.9"];
      });
      expect([late, result]).toEqual([late, "temperror"]);
    }
  });
});
