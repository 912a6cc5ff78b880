/** Changes of aliases that can be undone: the undo gives each alias its former state back. */
import type { AliasWire, BulkAliasChange, UpdateAliasBody } from "@kauke/contract";
import type { QueryClient } from "@tanstack/react-query";
import { requestChange } from "../../api/alias-bulk.ts";
import { requestUpdate } from "../../api/aliases.ts";
import { messageOf } from "../../api/error-text.ts";
import { readSession } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { offerUndo, type Undoable } from "../../ui/undo-store.ts";
import { addressOf, aliasesText, destinationText, isActive, readOf } from "./alias-text.ts";
import { bulkFailureText } from "./bulk/bulk-text.ts";

interface Change extends Omit<Undoable, "undo"> {
  /** Nobody else is offered the undo, and learns the address, who has signed in before the response came. */
  userId: string;
}

/** Offers an undo; one that failed is offered again. @param work throws if nothing was undone */
export function offerChangeUndo(change: Change, work: () => Promise<void>): void {
  const { userId, ...act } = change;
  if (readSession().user?.id !== userId) return;
  offerUndo({
    ...act,
    undo: async () => {
      try {
        await work();
      } catch (error) {
        showFailure(t("Undo Failed"), messageOf(error, t("The change could not be undone")));
        offerChangeUndo(change, work);
      }
    },
  });
}

const sayUndone = (description: string) => showToast({ title: t("Change Undone"), description });

interface SavedAlias {
  before: AliasWire;
  saved: AliasWire;
  /** What was changed. */
  body: UpdateAliasBody;
  title: string;
}

/** The request that undoes another. It fails if somebody has changed the same fields since. */
export function formerFields({ before, saved, body }: Omit<SavedAlias, "title">): UpdateAliasBody {
  const texts = {
    ...(body.alias === undefined ? {} : { alias: before.alias }),
    ...(body.forwardTo === undefined ? {} : { forwardTo: destinationText(before) }),
    ...(body.notes === undefined ? {} : { notes: before.notes ?? "" }),
  };
  return {
    ...texts,
    ...(Object.keys(texts).length === 0 ? {} : { before: readOf(saved) }),
    ...(body.active === undefined ? {} : { active: isActive(before) }),
    ...(body.sealTo === undefined ? {} : { sealTo: before.sealTo }),
    ...(body.labels === undefined ? {} : { labels: before.labels }),
    ...(body.pinned === undefined ? {} : { pinned: before.pinned }),
    ...(body.displayName === undefined ? {} : { displayName: before.displayName ?? "" }),
    ...(body.writeByAddress === undefined ? {} : { writeByAddress: before.writeByAddress }),
  };
}

/** Offers the undo of a saved change of one alias. */
export function offerSavedUndo(client: QueryClient, { title, ...change }: SavedAlias): void {
  const { id, userId } = change.saved;
  offerChangeUndo({ userId, title, description: addressOf(change.saved) }, async () => {
    const again = await requestUpdate(client, userId, { aliasId: id, body: formerFields(change) });
    sayUndone(addressOf(again));
  });
}

export interface ManyChange {
  aliasIds: readonly string[];
  change: BulkAliasChange;
}

/** The changes that undo another, by former state; none where nothing was changed. @param aliases as before */
export function undosOf(
  aliases: readonly AliasWire[],
  { active, pinned, addLabel, removeLabel, forwardTo }: BulkAliasChange,
): ManyChange[] {
  const of = (change: BulkAliasChange, wasOther: (alias: AliasWire) => boolean): ManyChange[] => {
    const aliasIds = aliases.filter(wasOther).map(({ id }) => id);
    return aliasIds.length === 0 ? [] : [{ aliasIds, change }];
  };
  if (active !== undefined) return of({ active: !active }, (alias) => isActive(alias) !== active);
  if (pinned !== undefined) return of({ pinned: !pinned }, (alias) => alias.pinned !== pinned);
  if (addLabel !== undefined) return of({ removeLabel: addLabel }, ({ labels }) => !labels.includes(addLabel));
  if (removeLabel !== undefined) return of({ addLabel: removeLabel }, ({ labels }) => labels.includes(removeLabel));
  if (forwardTo === undefined) return [];
  const former = Map.groupBy(aliases, destinationText);
  former.delete(forwardTo);
  return [...former].map(([text, same]) => ({ aliasIds: same.map(({ id }) => id), change: { forwardTo: text } }));
}

interface ChangeOfMany {
  aliases: readonly AliasWire[];
  change: BulkAliasChange;
  /** What to say after success. */
  title: string;
}

/** Changes many aliases, with an undo. @param send defaults to the request; reports its failures */
export async function changeManyAliases(
  client: QueryClient,
  { aliases, change, title }: ChangeOfMany,
  send = (userId: string, many: ManyChange) => requestChange(client, userId, many),
): Promise<void> {
  const userId = aliases[0]?.userId;
  if (userId === undefined) return;
  try {
    const { changed, failed } = await send(userId, { aliasIds: aliases.map(({ id }) => id), change });
    const text = bulkFailureText(failed, aliases.length);
    if (text !== null) showFailure(t("Not All Were Changed"), text);
    const refused = new Set(failed.map(({ id }) => id));
    const undos = undosOf(
      aliases.filter(({ id }) => !refused.has(id)),
      change,
    );
    if (undos.length > 0)
      offerChangeUndo({ userId, title, description: aliasesText(changed) }, () => undoMany(client, userId, undos));
    else if (text === null) showToast({ title, description: aliasesText(changed) });
  } catch (error) {
    showFailure(t("Change Failed"), messageOf(error, t("Failed to change the aliases")));
  }
}

/** One request after the other, so that a refused one ends it: what is done then is not undone twice. */
async function undoMany(client: QueryClient, userId: string, undos: ManyChange[]): Promise<void> {
  let undone = 0;
  const asked = undos.reduce((sum, { aliasIds }) => sum + aliasIds.length, 0);
  const texts: string[] = [];
  for (let next = undos[0]; next !== undefined; next = undos[0]) {
    const { changed, failed } = await requestChange(client, userId, next);
    undos.shift();
    undone += changed;
    const text = bulkFailureText(failed, asked);
    if (text !== null) texts.push(text);
  }
  if (texts.length > 0) showFailure(t("Not All Were Undone"), texts.join(" "));
  else sayUndone(aliasesText(undone));
}
