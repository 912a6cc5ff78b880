/** The published test suite of RFC 7208, every test of it, where a package of the system has it. */
import { describe, expect, test } from "vitest";
import { checkHost } from "./check-host.ts";
import { publishedAnswer, readPublishedSuite } from "./published-suite.testing.ts";

const suite = readPublishedSuite();
if (suite === null) process.stdout.write("No published SPF suite: its tests are left out.\n");

describe.skipIf(suite === null).each(suite ?? [])("$description", ({ tests, zone }) => {
  test.each(tests)("$name", async ({ host, helo, mailfrom, results }) => {
    const claim = { clientAddress: host, helo, sender: mailfrom };
    const { result } = await checkHost(claim, async (name, type) => publishedAnswer(zone, name, type));
    expect(results).toContain(result);
  });
});

test.skipIf(suite === null)("the whole suite was read", () => {
  expect(suite?.flatMap(({ tests }) => tests).length).toBeGreaterThan(190);
});
