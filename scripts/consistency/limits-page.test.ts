/**
 * docs/limits.md is the table of bounds in apps/server/src/limits/table.ts, whose figures the server reads. After a
 * change of the table: `npx vitest run scripts/consistency/limits-page.test.ts -u`.
 */
import { join } from "node:path";
import { type LimitRow, limitCells, rawCells } from "@kauke/server/limits/limits-text";
import { limitNames } from "@kauke/server/limits/named-limits";
import { limitsTable } from "@kauke/server/limits/table";
import { describe, expect, it, test } from "vitest";
import { repositoryFiles, repositoryRoot } from "../source-files.ts";

const intro = `# Limits

<!-- Generated from apps/server/src/limits/table.ts: npx vitest run scripts/consistency/limits-page.test.ts -u -->

Every resource that a stranger or an account can use up has a limit, a share for each party, and a rule for what happens at the limit: who waits, is refused or is evicted. Each row names the tests that attack it, by the end of their path.

- **Network, block.** A network is an IPv4 address or an IPv6 /64; a block is the /24 or /48 around it. Limits "from one network" apply to its block too, at 16 times the figure for a /24 and 8 times for a /48 ([why](decisions/2026-11-22-eviction.md)).
- **The busiest first** means that the oldest idle entry of the busiest network in the busiest block is evicted. A party with at most eight connections or rows never counts as busy.
- **Scope** is what a limit counts by: all parties together, an account, a network, a block, a destination and so on. "None" means that there is no share, or that nothing is evicted.
- **Names in \`code\`** are those of \`KAUKE_LIMITS\`; an unknown name stops the start. \`off\` disables these limits and the shares of networks. What the rates of the mail path (\`mail_…\`) count is in [operating.md](operating.md#limits).
- **Several processes.** Shares and limits count in each process; those of the mail path are divided by n where \`KAUKE_WORKERS=n\` starts several, rounded up, so that all together allow what one would, and a party whose connections all reach one process gets an n-th. Memory budgets hold in each process. What is counted in the database (sign-ins, accounts, sending) holds over all. Several hosts on one PostgreSQL count each on its own.
`;

const heads = ["Limit", "Value", "Scope", "Share of one party", "Who gives way", "Attack test"];

const rows = Object.values(limitsTable).flatMap((section) => Object.entries<LimitRow>(section));
const testsOf = (row: LimitRow): string[] => (rawCells(row)[5] ?? "").split(", ");

function lineOf(row: LimitRow): string {
  const tests = testsOf(row).map((name) => `\`${name}\``);
  return `| ${[...limitCells(row).slice(0, 5), tests.join(", ")].join(" | ")} |`;
}

function page(): string {
  const sections = Object.entries(limitsTable).map(([title, section]) =>
    [
      `## ${title}`,
      "",
      `| ${heads.join(" | ")} |`,
      `|${"---|".repeat(6)}`,
      ...Object.values<LimitRow>(section).map(lineOf),
      "",
    ].join("\n"),
  );
  return [intro, ...sections].join("\n");
}

test("docs/limits.md is generated from the table", async () => {
  await expect(page()).toMatchFileSnapshot(join(repositoryRoot(), "docs/limits.md"));
});

const scopes = new Set(
  "all account address alias attempt block browser commit connection correspondent delivery destination disk domain host input link mailbox message network process provider record request response sender session user name".split(
    " ",
  ),
);
const tests = repositoryFiles(repositoryRoot()).filter((path) => path.endsWith(".test.ts"));
const isThere = (name: string): boolean => tests.some((path) => `/${path}`.endsWith(`/${name}`));

describe.each(rows)("the bound %s", (_, row) => {
  it("has six filled cells", () => {
    expect(rawCells(row)).toHaveLength(heads.length);
    for (const cell of rawCells(row)) expect(cell).not.toBe("");
  });

  it("counts by parties that exist", () => {
    for (const scope of (rawCells(row)[2] ?? "").split(/, | and | /)) expect(scopes).toContain(scope);
  });

  it("names a test file that exists", () => {
    for (const name of testsOf(row)) expect(isThere(name), name).toBe(true);
  });

  it("shows its figures", () => {
    const figures = typeof row === "string" ? {} : row.figures;
    for (const name of Object.keys(figures)) expect(rawCells(row).join()).toContain(`{${name}}`);
  });
});

test("every limit that KAUKE_LIMITS may change has a row", () => {
  const texts = rows.map(([, row]) => rawCells(row).join()).join("\n");
  for (const name of limitNames) expect(texts).toMatch(new RegExp(`\\{${name}[.}]`));
});

test("control: a figure, a test file and a scope that do not exist are reported", () => {
  expect(() => limitCells("{nothing}")).toThrow("no figure nothing");
  expect(isThere("attacks/nowhere.test.ts")).toBe(false);
  expect(scopes.has("nobody")).toBe(false);
});
