import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { compareCopies, type OurAlias } from "./compare.ts";
import type { ProviderCopy } from "./provider-account.ts";

const mailbox = "ann@mailbox.example";

function ours(name: string, record: Partial<OurAlias["record"]> = {}): OurAlias {
  const base = { name, domain: "kauke.example", recipients: [mailbox], isEnabled: true, codeIfDisabled: 250 as const };
  return { aliasId: randomUUID(), record: { ...base, ...record }, version: 3 };
}

/** The provider's copy of an alias, as the provider writes it. */
function copyOf({ aliasId, record }: OurAlias, fields: Partial<ProviderCopy> = {}): ProviderCopy {
  const { name, domain, recipients, isEnabled, codeIfDisabled } = record;
  const same = { recipients: recipients.map((one) => one.toLowerCase()), isEnabled, codeIfDisabled };
  return { providerId: `id-of-${name}`, address: `${name}@${domain}`, ...same, aliasId, ...fields };
}

async function* pagesOf<T>(items: readonly T[], size = 2): AsyncGenerator<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}

async function compare(mine: readonly OurAlias[], copies: readonly ProviderCopy[]) {
  const found = await compareCopies(pagesOf(mine), pagesOf(copies));
  return found.map(({ kind, address, aliasId, parts }) => ({ kind, address, aliasId, parts }));
}

it("copies that are as wanted differ in nothing, whatever order and case their destinations have", async () => {
  const webhook = "https://hook.example/Path";
  const mine = [
    ours("a"),
    ours("b", { recipients: ["Bob@Mailbox.example", webhook, mailbox] }),
    ours("c", { isEnabled: false, codeIfDisabled: 421 }),
  ];
  const others = [webhook, mailbox, "bob@mailbox.example", mailbox];
  // The code of a copy that is on means nothing.
  const changed: Partial<ProviderCopy>[] = [{ codeIfDisabled: 550 }, { recipients: others }, {}];
  expect(
    await compare(
      mine,
      mine.map((one, at) => copyOf(one, changed[at])),
    ),
  ).toEqual([]);
});

it("postmaster@ and abuse@, which have our mark but no alias, are no difference", async () => {
  const copy = { ...copyOf(ours("postmaster")), aliasId: null, isOperators: true };
  expect(await compare([], [copy])).toEqual([]);
});

it("each kind of difference is found", async () => {
  const missing = ours("missing");
  const changed = ours("changed");
  const off = ours("off", { isEnabled: false });
  const renamed = ours("renamed");
  const twice = ours("twice");
  const alike = ours("alike");
  const conflict = ours("conflict");
  const stored = ours("stored");
  const gone = ours("gone");
  const mine = [missing, changed, off, renamed, twice, alike, conflict, stored];
  const copies = [
    copyOf(changed, { recipients: ["former@mailbox.example"] }),
    copyOf(off, { codeIfDisabled: 550 }),
    copyOf(renamed, { address: "former@kauke.example" }),
    copyOf(twice),
    copyOf(twice, { address: "twice-more@kauke.example" }),
    copyOf(alike, { aliasId: null }),
    copyOf(conflict, { aliasId: null, recipients: ["other@mailbox.example"] }),
    copyOf(stored, { aliasId: null, hasImap: true }),
    copyOf(gone),
    copyOf(ours("foreign"), { aliasId: null }),
  ];
  const row = (kind: string, { aliasId }: OurAlias, name: string, parts: string[] = []) => ({
    kind,
    aliasId,
    parts,
    address: `${name}@kauke.example`,
  });
  expect(await compare(mine, copies)).toEqual([
    row("different", changed, "changed", ["recipients"]),
    row("different", off, "off", ["state"]),
    row("different", renamed, "former", ["address"]),
    row("double", twice, "twice-more"),
    row("different", alike, "alike", ["mark"]),
    row("conflict", conflict, "conflict"),
    row("conflict", stored, "stored"),
    row("left_over", gone, "gone"),
    { kind: "foreign", aliasId: null, address: "foreign@kauke.example", parts: [] },
    { kind: "missing", aliasId: missing.aliasId, address: null, parts: [] },
  ]);
});

it("a copy of one alias at the address of another: the one is misplaced, the other is missing", async () => {
  const [first, second] = [ours("first"), ours("second")];
  const copies = [copyOf(first, { address: "second@kauke.example" })];
  expect((await compare([first, second], copies)).map(({ kind, aliasId }) => [kind, aliasId])).toEqual([
    ["different", first.aliasId],
    ["missing", second.aliasId],
  ]);
});
