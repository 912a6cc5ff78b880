/**
 * Deletions that can be undone for ten seconds. The server has each at once, with its time, and carries it out whatever
 * becomes of this page; a page that loads meanwhile offers the undo again.
 */
import { type AliasWire, type BulkAliasResponse } from "@kauke/contract";
import type { QueryClient } from "@tanstack/react-query";
import { dropDeleted, requestDeletion, requestKeeping } from "../../api/alias-bulk.ts";
import { messageOf } from "../../api/error-text.ts";
import { onUserChange } from "../../api/session/session.ts";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { describeUndo, offerUndo, UNDO_MS, withdrawUndo } from "../../ui/undo-store.ts";
import { addressOf, aliasesText } from "./alias-text.ts";
import { deletionFailureText } from "./bulk/bulk-text.ts";

/** When the server deletes: later than the row goes, so that an undo at the last moment arrives in time. */
const DELETE_SECONDS = UNDO_MS / 1000 + 2;
const ARRIVAL_MS = 500;

interface Deletion {
  client: QueryClient;
  userId: string;
  /** Aliases that will be deleted. */
  aliases: readonly AliasWire[];
  deletesAt: string;
  endsAt: number;
  /** Resolves when the server has it: aliases that it does not delete. @throws ApiError */
  sent: Promise<BulkAliasResponse["failed"]>;
}

interface Offered {
  rowId: number;
  /** Whether the server has it: until then a list that was fetched before may show the alias unmarked. */
  isSent: boolean;
}

/** Deletions of marked aliases, by alias id, with the row that undoes each. */
const offered = new Map<string, Offered>();
onUserChange(() => offered.clear());

const idsOf = (aliases: readonly AliasWire[]): string[] => aliases.map(({ id }) => id);

function textOf(aliases: readonly AliasWire[]): string {
  const [one] = aliases;
  return one !== undefined && aliases.length === 1 ? addressOf(one) : aliasesText(aliases.length);
}

/** Deletes aliases of one account, with an undo. Reports failures. */
export async function deleteAliases(client: QueryClient, aliases: readonly AliasWire[]): Promise<void> {
  const userId = aliases[0]?.userId;
  if (userId === undefined) return;
  const begunAt = Date.now();
  const sent = requestDeletion(client, userId, { aliasIds: idsOf(aliases), inSeconds: DELETE_SECONDS });
  const rowId = offer({
    client,
    userId,
    aliases,
    deletesAt: new Date(begunAt + DELETE_SECONDS * 1000).toISOString(),
    endsAt: begunAt + DELETE_SECONDS * 1000 - ARRIVAL_MS,
    sent,
  });
  try {
    const failed = await sent;
    if (failed.length === 0) return;
    const stay = new Set(failed.map(({ id }) => id));
    const gone = aliases.filter(({ id }) => !stay.has(id));
    if (gone.length === 0) withdraw(rowId, aliases);
    else describeUndo(rowId, textOf(gone));
    showFailure(t("Deletion Failed"), deletionFailureText(failed));
  } catch (error) {
    withdraw(rowId, aliases);
    showFailure(t("Deletion Failed"), messageOf(error, t("Failed to delete alias")));
  }
}

function withdraw(rowId: number, aliases: readonly AliasWire[]): void {
  withdrawUndo(rowId);
  for (const { id } of aliases) offered.delete(id);
}

function offer(deletion: Deletion): number {
  const { client, userId, aliases, endsAt } = deletion;
  const rowId = offerUndo({
    title: aliases.length === 1 ? t("Alias Deleted") : t("Aliases Deleted"),
    description: textOf(aliases),
    endsAt,
    undo: () => undoDeletion(deletion),
  });
  const kept: Offered = { rowId, isSent: false };
  for (const { id } of aliases) offered.set(id, kept);
  deletion.sent.then(
    () => (kept.isSent = true),
    () => {},
  );
  // By then they are gone from the server, unless they were kept.
  setTimeout(
    () => {
      const gone = aliases.filter(({ id }) => offered.get(id)?.rowId === rowId);
      for (const { id } of gone) offered.delete(id);
      dropDeleted(client, userId, idsOf(gone));
    },
    Math.max(0, endsAt + 2 * ARRIVAL_MS - Date.now()),
  );
  return rowId;
}

async function undoDeletion(deletion: Deletion): Promise<void> {
  const { client, userId, aliases, deletesAt, endsAt, sent } = deletion;
  try {
    // A deletion that failed has shown its aliases again by itself.
    await sent;
  } catch {
    return;
  }
  for (const { id } of aliases) offered.delete(id);
  try {
    const late = await requestKeeping(client, userId, { aliasIds: idsOf(aliases), deletesAt });
    if (late.length > 0)
      showFailure(
        t("Too Late"),
        plural(
          late.length,
          "{late} alias of {count} was deleted already.",
          "{late} aliases of {count} were deleted already.",
          { late: late.length, count: aliases.length },
        ),
      );
    else showToast({ title: t("Deletion Undone"), description: textOf(aliases) });
  } catch (error) {
    showFailure(t("Undo Failed"), messageOf(error, t("The deletion could not be undone")));
    if (Date.now() < endsAt) offer(deletion);
  }
}

/**
 * Offers the undo of deletions that another page has asked for, or this one before a reload, and takes away rows whose
 * aliases are kept by now.
 * @param marked aliases in the cached list that the server will delete
 */
export function followMarked(client: QueryClient, userId: string, marked: readonly AliasWire[]): void {
  const ids = new Set(idsOf(marked));
  const rows = new Map<number, boolean>();
  for (const [id, { rowId, isSent }] of offered) rows.set(rowId, rows.get(rowId) === true || ids.has(id) || !isSent);
  for (const [rowId, isMarked] of rows) if (!isMarked) withdrawUndo(rowId);
  for (const [id, { rowId }] of offered) if (rows.get(rowId) === false) offered.delete(id);
  const unknown = marked.filter(({ id }) => !offered.has(id));
  const byTime = Object.groupBy(unknown, ({ deletesAt = "" }) => deletesAt);
  for (const [deletesAt, aliases = []] of Object.entries(byTime)) {
    // The clocks of the server and of this machine may differ.
    const leftMs = Math.min(Date.parse(deletesAt) - Date.now() - ARRIVAL_MS, UNDO_MS);
    if (leftMs > 0)
      offer({ client, userId, aliases, deletesAt, endsAt: Date.now() + leftMs, sent: Promise.resolve([]) });
  }
}
