/** Sends an absence note for a bounce address on as the alias, if the sender may get one (RFC 3834 §2, RFC 5230). */

import { type HeaderBlock, type Mailbox, readAutoSubmitted, splitAddress } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../../core/alias/alias.ts";
import { bounds } from "../../../limits/table.ts";
import type { NoteRefusal } from "../../delivery/failures.ts";
import { sendAsAlias } from "../../message/write-as-alias.ts";
import { replyFor, type SmtpReply } from "../../reply.ts";
import type { BounceRecipient, Transaction } from "../../transaction.ts";
import { ownerProofs } from "../owner-proof.ts";
import { type PrepareRepliesDeps, proofDeps } from "../owner-replies.ts";

/** `done`: sent, or RFC 3834 wants no note. `refusal`: the owner is told. `deferral`: the host retries. */
export type NoteResult =
  | { kind: "done" }
  | { kind: "refusal"; why: NoteRefusal }
  | { kind: "deferral"; reply: SmtpReply };

const DAY_MS = 86_400_000;
/** Local parts that no responder answers (RFC 3834 §2, RFC 5230 §4.6). */
const NO_PERSON = /^(?:mailer-daemon|postmaster|listserv|majordomo|owner-.*|.*-(?:request|owner|bounces))$/i;

const done: NoteResult = { kind: "done" };
const refused = (why: NoteRefusal): NoteResult => ({ kind: "refusal", why });

export async function sendNote(
  transaction: Transaction,
  header: HeaderBlock,
  { bounce, route }: { bounce: BounceRecipient; route: AliasRoute },
  deps: PrepareRepliesDeps,
): Promise<NoteResult> {
  const proof = await noteProof(transaction, header, { bounce, route }, deps);
  if (proof === "unfinished") return { kind: "deferral", reply: replyFor("proof_unfinished") };
  if (proof === null) return refused("unproven");
  const { sender } = bounce;
  if (sender === null) return refused("unknown_sender");
  if (NO_PERSON.test(splitAddress(sender).local)) return done;
  const mark = {
    key: deps.hashMark(`absence note\0${route.aliasId}\0${sender.toLowerCase()}`),
    endsAt: new Date(deps.write.spool.clock.now().getTime() + bounds.absenceNotes.everyDays * DAY_MS),
  };
  if ((await deps.sentAnswers.listKnown([mark.key])).length > 0) return done;
  const correspondent: Mailbox = { name: null, address: sender };
  const { envelope, wire, messageId } = transaction;
  const refusal = await sendAsAlias(
    route,
    { ...envelope, wire, header, messageId },
    {
      people: [correspondent],
      known: new Map([[bounce.address.toLowerCase(), correspondent]]),
      mayNameOutsiders: false,
      marks: { userId: route.userId, marks: [mark], mayRepeat: false },
      isCounted: true,
    },
    // The owner did not write this message, so the leak guard searches it whatever the settings say.
    {
      ...deps.write,
      users: {
        settings: async (userId) => ({
          aliasInQuotes: false,
          ...(await deps.write.users.settings(userId)),
          leakGuard: true,
        }),
      },
    },
  );
  if (refusal === null) return done;
  return refusal.code < 500 ? { kind: "deferral", reply: refusal } : refused("content");
}

/** Needs a signature over From and To. SPF proves nothing: a host has one null sender for all its mailboxes. */
async function noteProof(
  transaction: Transaction,
  header: HeaderBlock,
  { bounce, route }: { bounce: BounceRecipient; route: AliasRoute },
  deps: PrepareRepliesDeps,
): Promise<"signed" | "unfinished" | null> {
  const { wire, instruction = null } = transaction;
  const source = { header: wire.subarray(0, header.end), fields: header.fields };
  if (instruction === null || route.paused || readAutoSubmitted(source) !== "auto-replied") return null;
  const isUnfinished = instruction.isUnfinished || instruction.unread.length > 0;
  const bySignature = { ...transaction, instruction: { ...instruction, isByEnvelope: false, isUnfinished } };
  const proof = await ownerProofs(bySignature, header, proofDeps(deps))({ address: bounce.address, route });
  if (proof === null || proof === "unfinished") return proof;
  return proof.destination === null || route.unconfirmed?.has(proof.destination) === true ? null : "signed";
}
