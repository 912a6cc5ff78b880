/** Rebuilds the copy of a queued message from the stored bytes; it equals the copy made on arrival. */
import { readHeader } from "@kauke/mail-rfc";
import type { AliasStore } from "../../core/alias/alias-store.ts";
import type { LeasedDelivery } from "../../core/delivery/delivery.ts";
import { makeForwardCopy } from "../message/encrypted-copy.ts";
import type { CopyParts, ForwardCopy } from "../message/forward-copy.ts";
import { makeSendCopy } from "../message/send-copy.ts";

export interface SpooledCopy {
  copy: ForwardCopy;
  /** Whether the mailbox' host refused earlier mail because the mailbox does not exist. */
  wasMissing: boolean;
}

export interface SpooledCopyDeps {
  aliases: Pick<AliasStore, "findRouteById">;
  copyParts: CopyParts;
}

/**
 * @param wire the stored message; the copy keeps a reference until it is released
 * @returns `null` when the alias was deleted, and its mail with it
 */
export async function spooledCopy(
  delivery: LeasedDelivery,
  wire: Buffer,
  { aliases, copyParts }: SpooledCopyDeps,
): Promise<SpooledCopy | null> {
  const { aliasId, messageId, envelope, target } = delivery;
  const { aliasAddress, destination } = target;
  if (target.purpose !== undefined) {
    const isReport = target.purpose === "report";
    const copy = makeSendCopy({ envelope, wire, aliasAddress, isReport }, copyParts.signer);
    return { copy, wasMissing: false };
  }
  const route = aliasId === null ? null : await aliases.findRouteById(aliasId);
  if (aliasId !== null && route === null) return null;
  const copy = makeForwardCopy(
    {
      messageId,
      envelope,
      wire,
      header: readHeader(wire),
      aliasAddress,
      aliasId,
      account: delivery.userId,
      webhookSecret: route?.webhookSecret ?? null,
      replyKey: route?.replyKey ?? null,
      // Decided by what was stored when the message arrived, since the alias may have other destinations now.
      mayNameSender: target.reportTo !== undefined && target.isOneOfSeveral !== true,
      encryptTo:
        route === null || route.ageRecipient === null ? null : { publicKey: route.ageRecipient, userId: route.userId },
    },
    copyParts,
  );
  const wasMissing = destination.kind === "mailbox" && route?.missing?.includes(destination.address) === true;
  return { copy, wasMissing };
}
