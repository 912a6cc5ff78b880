/**
 * docs/settings.md is the table of settings in apps/server/src/settings/table.ts, and that table is what the server
 * reads. After a change of the table: `npx vitest run scripts/consistency/settings-page.test.ts -u`.
 */
import { join } from "node:path";
import { limitNames } from "@kauke/server/limits/named-limits";
import { readConfig } from "@kauke/server/settings/read-config";
import { settingsTable } from "@kauke/server/settings/table";
import { expect, test } from "vitest";
import { repositoryRoot } from "../source-files.ts";

const intro = `# Settings

<!-- Generated from apps/server/src/settings/table.ts: npx vitest run scripts/consistency/settings-page.test.ts -u -->

Settings are environment variables. A \`.env\` file in the working directory supplies those that are not set. An invalid value stops the start and names the variable. An unknown \`KAUKE_\` name causes a warning. A relative path starts from the working directory.
`;

const rows = Object.values(settingsTable).flat();

function page(): string {
  const sections = Object.entries(settingsTable).map(([title, settings]) => {
    const lines = settings.map(({ name, default: given, meaning }) => {
      const fallback = "value" in given ? `\`${given.value}\`` : given.words;
      return `| \`${name}\` | ${fallback} | ${meaning} |`;
    });
    return [`## ${title}`, "", "| Variable | Default | Meaning |", "|---|---|---|", ...lines, ""].join("\n");
  });
  return [intro, ...sections].join("\n");
}

test("docs/settings.md is generated from the table", async () => {
  await expect(page()).toMatchFileSnapshot(join(repositoryRoot(), "docs/settings.md"));
});

test("the server reads every setting of the table and no other", () => {
  const read = new Set<string>();
  const environment = new Proxy<Record<string, string>>({}, { get: (_, name) => void read.add(String(name)) });
  readConfig(environment, "/srv", limitNames);
  expect([...read].toSorted()).toEqual(rows.map(({ name }) => name).toSorted());
});

/** Values without which some settings have no effect; a relay contradicts the default of KAUKE_DELIVERY. */
const others = {
  DATABASE_URL: "postgres://kauke@localhost/kauke",
  KAUKE_SECRET_KEY: Buffer.alloc(32).toString("base64"),
  KAUKE_GOOGLE_CLIENT_ID: "id",
  KAUKE_GOOGLE_CLIENT_SECRET: "secret",
};
const relay = { KAUKE_RELAY_URL: "smtp://127.0.0.1:25" };
const configWith = (name: string, environment: Record<string, string>) =>
  readConfig({ ...others, ...(name === "KAUKE_DELIVERY" ? {} : relay), ...environment }, "/srv", limitNames).config;

const fixed = rows.flatMap(({ name, default: given }) => ("value" in given ? [{ name, text: given.value }] : []));

test.each(fixed)("setting $name to the default that the table names changes nothing", ({ name, text }) => {
  expect(configWith(name, { [name]: text })).toEqual(configWith(name, {}));
});

test("control: another value than the default is noticed", () => {
  expect(fixed.length).toBeGreaterThan(20);
  for (const [name, text] of [
    ["KAUKE_WORKERS", "2"],
    ["KAUKE_GOOGLE_ISSUER", "https://issuer.example"],
    ["KAUKE_DELIVERY", "direct"],
  ] as const)
    expect(configWith(name, { [name]: text })).not.toEqual(configWith(name, {}));
});
