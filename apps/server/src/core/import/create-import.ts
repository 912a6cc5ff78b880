import { setImmediate as nextTurn } from "node:timers/promises";
import { limits } from "@kauke/contract";
import { clientBlock } from "../../limits/party.ts";
import { domainErrors, refuseFieldErrors } from "../alias/alias-rules.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { readAccountDefaults } from "../mailbox/account-defaults.ts";
import type { MailboxDeps } from "../mailbox/list-mailboxes.ts";
import { takeLimit, tryLimit } from "../take-limit.ts";
import { type AliasImport, BATCH_ROWS, emptySummary, type ImportRow, isToBeMade } from "./import.ts";
import { type ImportedAlias, type ImportSource, unreadable } from "./imported-alias.ts";
import { ImportPlan } from "./plan-rows.ts";
import { type ReadingPlace, ReadingPlaces } from "./reading-places.ts";

export type ImportDeps = MailboxDeps &
  Pick<CoreDeps, "imports" | "labels" | "random" | "clock" | "rateLimits" | "limitRules">;

export interface NewImport {
  userId: string;
  /** Domain of the aliases that replace foreign ones ("twins"); default: the account's. */
  domain: string | undefined;
  label: string | null;
  clientAddress: string;
  /** Opens the file or service, after the rate limits were checked. */
  open(place: ReadingPlace): Promise<ImportSource>;
}

const places = new ReadingPlaces(() => performance.now());

/** @throws AppError `invalid`, `too_large`, `rate_limited`; `busy` while another import, or too many, wait */
export async function createImport(deps: ImportDeps, input: NewImport): Promise<AliasImport> {
  refuseFieldErrors(domainErrors(input, deps.mailDomains));
  await refuseForeignLabel(deps, input);
  const party = { userId: input.userId, block: clientBlock(input.clientAddress) };
  return places.run(party, async (place) => {
    await takeLimit(deps, "import_create", { userId: input.userId });
    return readDryRun(deps, input, place);
  });
}

async function refuseForeignLabel(deps: ImportDeps, { userId, label }: NewImport): Promise<void> {
  if (label === null) return;
  const labels = await deps.labels.listForUser(userId);
  if (!labels.some(({ id }) => id === label)) throw fieldError("label", "Please choose one of your labels");
}

async function readDryRun(deps: ImportDeps, input: NewImport, place: ReadingPlace): Promise<AliasImport> {
  const { userId, label } = input;
  const defaults = await readAccountDefaults(deps, userId);
  const { domain = defaults.domain } = input;
  const fallback = defaults.mailbox?.address ?? null;
  const { format, rows } = await input.open(place);
  const now = deps.clock.now();
  const summary = emptySummary({ format, domain, label });
  const begun: AliasImport = {
    id: deps.random.uuid(),
    userId,
    state: "reading",
    createdAt: now,
    changedAt: now,
    rows: 0,
    summary,
  };
  const plan = await planFor(deps, input, { domain, fallback });
  await deps.imports.begin(begun);
  try {
    const count = await storeRows(deps, { importId: begun.id, rows, plan, summary });
    if (count === 0) throw unreadable("The file has no aliases.");
    summary.unconfirmed = await unconfirmedOf(deps, userId, plan.mailboxes);
    summary.remarks = remarksOf(summary, fallback);
    return await deps.imports.finishReading(begun.id, summary, count);
  } catch (error) {
    await deps.imports.delete(userId, begun.id);
    throw error;
  }
}

async function planFor(
  deps: ImportDeps,
  { userId, clientAddress }: NewImport,
  { domain, fallback }: { domain: string; fallback: string | null },
): Promise<ImportPlan> {
  const { aliases } = await deps.users.stats(userId);
  return new ImportPlan({
    userId,
    domain,
    fallback,
    usableDomains: deps.mailDomains.usableBy(userId),
    mailDomains: deps.mailDomains,
    room: limits.aliasesMax - aliases,
    newId: () => deps.random.uuid(),
    mayTellTaken: async () =>
      (await tryLimit(deps, "import_taken", { userId })) === null &&
      (await tryLimit(deps, "import_taken", { ipAddress: clientAddress })) === null,
    standing: (addresses) => deps.aliases.standing(userId, addresses),
    blocked: (addresses) => deps.destinations.blockedAmong(addresses),
  });
}

interface Storing {
  importId: string;
  rows: AsyncIterable<ImportedAlias>;
  plan: ImportPlan;
  summary: AliasImport["summary"];
}

async function storeRows(deps: ImportDeps, { importId, rows, plan, summary }: Storing): Promise<number> {
  let [count, position] = [0, 0];
  let batch: ImportedAlias[] = [];
  const store = async () => {
    const decided = await plan.decide(batch);
    batch = [];
    for (const row of decided) countRow(summary, row);
    await deps.imports.addBatch(importId, position, decided);
    position += 1;
    await nextTurn();
  };
  for await (const row of rows) {
    count += 1;
    if (count > limits.importRowsMax)
      throw unreadable(`The file has more than ${limits.importRowsMax} rows. Please split it.`);
    batch.push(row);
    if (batch.length === BATCH_ROWS) await store();
  }
  if (batch.length > 0) await store();
  return count;
}

function countRow({ counts, progress }: AliasImport["summary"], row: ImportRow): void {
  counts[row.result] += 1;
  if (isToBeMade(row)) progress.total += 1;
}

async function unconfirmedOf(deps: ImportDeps, userId: string, mailboxes: readonly string[]): Promise<string[]> {
  if (deps.confirmation === null || mailboxes.length === 0) return [];
  const states = await deps.destinations.states(userId, mailboxes);
  return mailboxes.filter((address) => ["new", "asked"].includes(states.get(address) ?? ""));
}

function remarksOf({ unconfirmed, counts, domain, format }: AliasImport["summary"], fallback: string | null): string[] {
  const remarks: string[] = [];
  if (counts.twin > 0)
    remarks.push(
      `Addresses on other domains stay where they are. Each gets an alias on ${domain}; the old address is in its notes, so that you can change it at each site.`,
    );
  if (counts.unchecked > 0)
    remarks.push(
      "A dry run names few taken addresses, so that nobody can search for the addresses of others. Whether the others are free is found out when the import runs.",
    );
  if (format === "addy-csv" && fallback !== null)
    remarks.push("addy.io's export names no recipients. An import with an API key brings them along.");
  if (unconfirmed.length > 0)
    remarks.push(
      "Mailboxes that are not confirmed get a message when the first mail for them arrives; the import itself sends none.",
    );
  return remarks;
}
