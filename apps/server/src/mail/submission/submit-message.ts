/** Checks a submitted message, writes it as the alias (`copy/write-as-alias.ts`), and queues it for its recipients. */
import { addressesOf, type HeaderBlock, type Mailbox } from "@kauke/mail-rfc";
import type { AliasStore } from "../../core/alias/alias-store.ts";
import type { Submitter } from "../../core/smtp-credential/authenticate.ts";
import { screen } from "../inbound/screen.ts";
import { isReplyAddress, resolveRepliesOf } from "../message/resolve-reply.ts";
import { sendAsAlias, type WriteAsDeps } from "../message/write-as-alias.ts";
import { aliasPaused, authorUnreadable, reply, replyFor, type SmtpReply } from "../reply.ts";
import type { ReceivedMail } from "../smtp/session-handlers.ts";
import { replyOf } from "../verdict.ts";

export interface SubmitDeps extends WriteAsDeps {
  aliases: Pick<AliasStore, "findRouteById" | "findRoute">;
}

const queued = reply(250, "2.0.0", "Queued");

export async function submitMessage(mail: ReceivedMail, submitter: Submitter, deps: SubmitDeps): Promise<SmtpReply> {
  const screened = screen(mail.wire);
  if (screened.verdict !== "accept") return replyOf(screened);
  const { header } = screened.value;
  const notAlias = refuseAuthor(mail.wire, header, submitter);
  if (notAlias !== null) return notAlias;
  const route = await deps.aliases.findRouteById(submitter.aliasId);
  if (route === null) return replyFor("forbidden");
  if (route.paused) return aliasPaused;
  const people = await resolveRecipients(mail, submitter, deps);
  if (people === null) return replyFor("alias_not_found");
  const written = { ...mail.mailFrom, messageId: null, wire: mail.wire, header, receivedAt: deps.clock.now() };
  const outgoing = { people, known: new Map<string, Mailbox>(), mayNameOutsiders: true, isCounted: true };
  return (await sendAsAlias(route, written, outgoing, deps)) ?? queued;
}

const noAuthor = { ...authorUnreadable, code: 553 };
const severalAuthors = reply(553, "5.7.1", "From names several authors, but only your alias may be one");

/** @returns `null` if there is exactly one author, and it is the alias (RFC 6409 §6.1, §8.1) */
function refuseAuthor(wire: Buffer, header: HeaderBlock, submitter: Submitter): SmtpReply | null {
  const { mailboxes } = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from");
  const [author, second] = mailboxes;
  if (author === undefined) return noAuthor;
  if (second !== undefined) return severalAuthors;
  return author.address.toLowerCase() === submitter.aliasAddress ? null : replyFor("forbidden");
}

/**
 * @returns the message's recipients, each reply address of this alias replaced by the correspondent it stands for;
 * `null` when a reply address can't be resolved
 */
async function resolveRecipients(
  mail: ReceivedMail,
  submitter: Submitter,
  deps: SubmitDeps,
): Promise<Mailbox[] | null> {
  const addresses = mail.recipients.flatMap((it) => (it.kind === "outside" ? [it.address] : []));
  const alias = { aliasId: submitter.aliasId, address: submitter.aliasAddress };
  const correspondents = await resolveRepliesOf(alias, addresses, deps);
  const people: Mailbox[] = [];
  for (const address of addresses) {
    const correspondent = correspondents.get(address.toLowerCase());
    if (correspondent === undefined && (await isReplyAddress(address, deps))) return null;
    people.push(correspondent ?? { name: null, address });
  }
  return people;
}
