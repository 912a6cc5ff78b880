/** Submission (RFC 6409): whoever signed in with an alias' credentials may send only as that alias. */

import { addressesOf, asciiAddress, domainOf, type HeaderBlock, type Mailbox } from "@kauke/mail-rfc";
import type { AliasStore } from "../../core/alias/alias.ts";
import type { SmtpLoginAttempt, SmtpLoginResult, Submitter } from "../../core/smtp-credential.ts";
import { clientNetwork } from "../../limits/party.ts";
import { isReplyAddress, resolveRepliesOf } from "../message/reply-book.ts";
import { sendAsAlias, type WriteAsDeps } from "../message/write-as-alias.ts";
import {
  accept,
  aliasPaused,
  authorUnreadable,
  reject,
  reply,
  replyFor,
  replyForThrow,
  replyOf,
  type SmtpReply,
  sendingRefusals,
} from "../reply.ts";
import type { MailFrom } from "../smtp/commands.ts";
import type { SignInResult } from "../smtp/session-auth.ts";
import type { ReceivedMail, SessionHandlers } from "../smtp/session-handlers.ts";
import { screen } from "./arrived-message.ts";

export interface SubmissionDeps {
  write: WriteAsDeps;
  aliases: Pick<AliasStore, "findRouteById">;
  authenticate(attempt: SmtpLoginAttempt): Promise<SmtpLoginResult>;
  /** Whether the credentials of this connection are still valid. */
  checkSubmitter(submitter: Submitter): Promise<"valid" | "paused" | "ended">;
}

const paused = { ...aliasPaused, code: 535, enhancedStatus: "5.7.8" };
const ended = reply(421, "4.7.0", "Your credentials have changed, sign in again");

export function submissionService(deps: SubmissionDeps): SessionHandlers {
  return {
    resolve: async (path) =>
      path.domain === "" ? reject("invalid") : accept({ kind: "outside", address: path.canonical }),
    signIn: (attempt) => signIn(attempt, deps),
    authorizeSender: (submitter, mailFrom) => authorizeSender(submitter, mailFrom, deps),
    receive: (mail) => receive(mail, deps),
  };
}

async function signIn(attempt: SmtpLoginAttempt, deps: SubmissionDeps): Promise<SignInResult> {
  try {
    const result = await deps.authenticate({ ...attempt, clientAddress: clientNetwork(attempt.clientAddress) });
    if (result === null) return { refusal: replyFor("credentials_wrong") };
    return result.kind === "paused" ? { refusal: paused } : { submitter: result };
  } catch (thrown) {
    return { refusal: replyForThrow(thrown) };
  }
}

/** Checks every message's credentials, so that a revoked password ends open connections too. */
async function authorizeSender(
  submitter: Submitter,
  { envelopeFrom }: MailFrom,
  deps: SubmissionDeps,
): Promise<SmtpReply | null> {
  const standing = await deps.checkSubmitter(submitter);
  if (standing !== "valid") return standing === "paused" ? paused : ended;
  if (asciiAddress(envelopeFrom) !== submitter.aliasAddress) return replyFor("forbidden");
  const refusal = deps.write.domains.whyNotSending(submitter.userId, domainOf(submitter.aliasAddress));
  return refusal === null ? null : sendingRefusals[refusal];
}

async function receive(mail: ReceivedMail, deps: SubmissionDeps): Promise<SmtpReply> {
  if (mail.submitter === undefined) return replyFor("not_signed_in");
  return submitMessage(mail, mail.submitter, deps);
}

const queued = reply(250, "2.0.0", "Queued");

async function submitMessage(mail: ReceivedMail, submitter: Submitter, deps: SubmissionDeps): Promise<SmtpReply> {
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
  const written = {
    ...mail.mailFrom,
    messageId: null,
    wire: mail.wire,
    header,
    receivedAt: deps.write.spool.clock.now(),
  };
  const outgoing = { people, known: new Map<string, Mailbox>(), mayNameOutsiders: true, isCounted: true };
  return (await sendAsAlias(route, written, outgoing, deps.write)) ?? queued;
}

const noAuthor = { ...authorUnreadable, code: 553 };
const severalAuthors = reply(553, "5.7.1", "From names several authors, but only your alias may be one");

/** @returns `null` if the alias is the only author (RFC 6409 §6.1, §8.1) */
function refuseAuthor(wire: Buffer, header: HeaderBlock, submitter: Submitter): SmtpReply | null {
  const { mailboxes } = addressesOf({ header: wire.subarray(0, header.end), fields: header.fields }, "from");
  const [author, second] = mailboxes;
  if (author === undefined) return noAuthor;
  if (second !== undefined) return severalAuthors;
  return asciiAddress(author.address) === submitter.aliasAddress ? null : replyFor("forbidden");
}

/** Replaces reply addresses of this alias by correspondents. @returns `null` when one can't be resolved */
async function resolveRecipients(
  mail: ReceivedMail,
  submitter: Submitter,
  { write: { replyForms } }: SubmissionDeps,
): Promise<Mailbox[] | null> {
  const addresses = mail.recipients.flatMap((to) => (to.kind === "outside" ? [to.address] : []));
  const alias = { aliasId: submitter.aliasId, address: submitter.aliasAddress };
  const correspondents = await resolveRepliesOf(alias, addresses, replyForms);
  const people: Mailbox[] = [];
  for (const address of addresses) {
    const correspondent = correspondents.get(address.toLowerCase());
    if (correspondent === undefined && (await isReplyAddress(address, replyForms))) return null;
    people.push(correspondent ?? { name: null, address });
  }
  return people;
}
