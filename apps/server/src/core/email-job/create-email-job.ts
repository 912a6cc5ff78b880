import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { emailJobMessages, heldReasons, limits, type RecipientKind } from "@kauke/contract";
import {
  type ComposedMessage,
  composeMessage,
  makeMessageId,
  multipartFrame,
  parseAddress,
  stuff,
} from "@kauke/mail-rfc";
import { ageResult } from "../age-worker.ts";
import { type Alias, aliasAddress, mailboxesAmong } from "../alias/alias.ts";
import { AppError, asAppError, fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { OpenDelivery } from "../delivery/delivery.ts";
import type { FoundLeak, LeakGuard, TextSpan } from "../leak-guard.ts";
import { enqueueMessage, type MessageEnvelope } from "../message/message.ts";
import { takeLimit, takeWeightedLimit } from "../take-limit.ts";
import { type AttachedPart, type AttachmentToSend, checkAttachments, guardParts, readParts } from "./attached-parts.ts";
import type { EmailJob, EmailJobToQueue, Recipient } from "./email-job.ts";

export interface TypedMessage {
  aliasAddress: string;
  aliasDomain: string;
  displayName?: string | null;
  recipients: readonly Recipient[];
  subject: string;
  body: string;
}

export interface BuiltMessage {
  /** The message as sent, dot-stuffed (RFC 5321 §4.5.2), in chunks. */
  wire: readonly Buffer[];
  envelope: MessageEnvelope;
  /** As in the header, in the order that was given. */
  recipients: Recipient[];
  messageId: string;
}

/** @param random 32 bytes for Message-ID and boundary @throws MailSyntaxError for an invalid recipient */
export function buildMessage(
  typed: TypedMessage,
  { now, random: given, parts = [] }: { now: Date; random: Uint8Array; parts?: readonly AttachedPart[] },
): BuiltMessage {
  const random = given.subarray(0, 16);
  const messageId = makeMessageId(random, typed.aliasDomain);
  const recipients = typed.recipients.map(({ kind, address }) => ({ kind, address: spellRecipient(address) }));
  const named = (wanted: RecipientKind) =>
    recipients.filter(({ kind }) => kind === wanted).map(({ address }) => address);
  const { subject, body, aliasAddress, displayName: fromName = null } = typed;
  const shown = { from: aliasAddress, fromName, to: named("to"), cc: named("cc") };
  const message = { ...shown, subject, text: body, at: now, messageId };
  const wire = parts.length === 0 ? [stuff(composeMessage(message))] : withParts(message, parts, given.subarray(16));
  const envelope = envelopeOf(aliasAddress, [...shown.to, ...shown.cc], now);
  return { wire, envelope, recipients, messageId };
}

/** No line of a part's header or of base64 begins with a dot. */
function withParts(message: ComposedMessage, parts: readonly AttachedPart[], random: Uint8Array): Buffer[] {
  const { start, separator, end } = multipartFrame(message, `=_${Buffer.from(random).toString("hex")}`);
  return [stuff(start), ...parts.flatMap(({ chunks }) => [separator, ...chunks]), end];
}

/** With A-labels in the domain, only a non-ASCII local part makes the message SMTPUTF8 (RFC 6531). */
function spellRecipient(to: string): string {
  const { local, domain, canonical } = parseAddress(to);
  const ascii = domainToASCII(domain);
  return ascii !== "" && /^[ -~]*$/.test(local) ? `${local}@${ascii}` : canonical;
}

/** @param shown addresses in the header; a hidden recipient needs SMTPUTF8 for its own delivery alone */
function envelopeOf(aliasAddress: string, shown: readonly string[], receivedAt: Date): MessageEnvelope {
  const needsSmtpUtf8 = shown.some((address) => parseAddress(address).needsSmtpUtf8);
  return {
    envelopeFrom: aliasAddress,
    helo: "",
    clientAddress: "",
    protocol: needsSmtpUtf8 ? "UTF8SMTP" : "ESMTP",
    receivedAt,
    eightBit: needsSmtpUtf8,
    smtpUtf8: needsSmtpUtf8,
  };
}

export interface TypedWords {
  subject: string;
  body: string;
}

export interface TypedLeak {
  field: keyof TypedWords;
  message: string;
  /** Where in the field the addresses stand; none in encoded text. */
  places: readonly TextSpan[];
}

export interface TypedLeakDeps {
  userId: string;
  mailboxes: readonly string[];
  leakGuard: LeakGuard;
}

/** Searches for mailboxes behind the alias; the recipient may be one. @throws AppError `busy`, `unavailable` */
export async function findTypedLeak({ subject, body }: TypedWords, deps: TypedLeakDeps): Promise<TypedLeak | null> {
  const inBody = await deps.leakGuard.search({ ...deps, content: { kind: "text", text: body } });
  if (inBody !== null) return { field: "body", message: messageFor(inBody), places: inBody.spans ?? [] };
  const inSubject = await deps.leakGuard.search({ ...deps, content: { kind: "subject", text: subject } });
  if (inSubject === null) return null;
  return { field: "subject", message: emailJobMessages.subjectLeaks, places: inSubject.spans ?? [] };
}

function messageFor({ leak, place }: FoundLeak): string {
  if (leak !== "address") return emailJobMessages.bodyUnsearched;
  return place.line === null ? emailJobMessages.bodyLeaksEncoded : emailJobMessages.bodyLeaks;
}

/** First line of an encrypted message, for recipients who have never seen one. */
export const encryptedOpening = (siteOrigin: string): string =>
  `This message is encrypted with age. To read it, paste it at ${siteOrigin}/decrypt with your private key.`;

/** Throws rather than return plain text when encryption fails. @throws AppError `invalid`, `busy`, `unavailable` */
async function encryptBody(
  { ageWorker }: Pick<CoreDeps, "ageWorker">,
  { userId, body, publicKeys, siteOrigin }: Pick<NewEmailJob, "userId" | "body" | "publicKeys" | "siteOrigin">,
): Promise<string> {
  if (publicKeys.length === 0) return body;
  const outcome = await ageWorker.run({ name: "encrypt", userId }, { publicKeys, text: body });
  if (!outcome.done && outcome.failure === "public_key_invalid")
    throw fieldError("recipientPublicKey", emailJobMessages.publicKeyInvalid);
  if (!outcome.done && outcome.failure === "text_too_long") throw fieldError("body", emailJobMessages.bodyLong);
  return `${encryptedOpening(siteOrigin)}\n\n${ageResult<"encrypt">(outcome).encryptedText}`;
}

export interface NewEmailJob {
  /** Chosen by the client; `null`: the server chooses. */
  jobId: string | null;
  userId: string;
  aliasId: string;
  /** Each once, at most `composeRecipientsMax`. */
  recipients: readonly Recipient[];
  subject: string;
  body: string;
  attachments: readonly AttachmentToSend[];
  /** Keys that the body is encrypted to; none: it is not encrypted. */
  publicKeys: readonly string[];
  priority: number;
  scheduledAt: Date | null;
  /** Where the page that decrypts is, e.g. `https://kauke.test`. */
  siteOrigin: string;
}

type CreateDeps = Pick<
  CoreDeps,
  | "aliases"
  | "mailDomains"
  | "emailJobs"
  | "users"
  | "bodies"
  | "emailAttachments"
  | "attachedMail"
  | "maxMessageBytes"
  | "spoolSpace"
  | "ageWorker"
  | "leakGuard"
  | "clock"
  | "random"
  | "rateLimits"
  | "limitRules"
  | "undoSeconds"
  | "forwarding"
  | "providerAliases"
>;

const MAX_RETRIES = 3;
const DAY_MS = 86_400_000;

/**
 * A request that is repeated with its `jobId` gets the job of the first one, whatever became of that since.
 * @throws AppError `invalid`, `rate_limited`, `busy`, `unavailable`, `spool_quota`, `spool_failed`, `job_id_taken`
 */
export async function createEmailJob(deps: CreateDeps, input: NewEmailJob): Promise<EmailJob> {
  const before = await findRepeated(deps, input);
  if (before !== null) return before;
  try {
    return await createNewJob(deps, input);
  } catch (thrown) {
    // An equal request at the same time was first: it has taken the id, or the attachments.
    const made = await findRepeated(deps, input).catch((error: unknown) => {
      throw asAppError(error) ?? thrown;
    });
    if (made !== null) return made;
    throw thrown;
  }
}

/** @throws AppError `job_id_taken` if the account's job of this id is another message */
async function findRepeated({ emailJobs }: Pick<CreateDeps, "emailJobs">, input: NewEmailJob) {
  if (input.jobId === null) return null;
  const job = await emailJobs.find(input.userId, input.jobId);
  if (job !== null && job.fingerprint !== fingerprintOf(input)) throw new AppError("job_id_taken");
  return job;
}

/** Digest of what the client asked for; `null` if it chose no id, so that it can't repeat the request. */
function fingerprintOf(input: NewEmailJob): string | null {
  const { jobId, aliasId, recipients, subject, body, attachments, publicKeys, priority, scheduledAt } = input;
  if (jobId === null) return null;
  const files = attachments.map(({ id, name, type }) => [id, name, type]);
  const people = recipients.map(({ kind, address }) => [kind, address]);
  const asked = [jobId, aliasId, people, subject, body, files, publicKeys, priority, scheduledAt];
  return createHash("sha256").update(JSON.stringify(asked)).digest("base64");
}

async function createNewJob(deps: CreateDeps, input: NewEmailJob): Promise<EmailJob> {
  const now = deps.clock.now();
  if (input.scheduledAt !== null && input.scheduledAt.getTime() - now.getTime() > limits.scheduleMaxDays * DAY_MS)
    throw fieldError("scheduledAt", emailJobMessages.scheduleFar);
  const alias = await findSender(deps, input);
  await refuseHeldSender(deps, input);
  const { userId, attachments } = input;
  if (attachments.length === 0) {
    await takeLimit(deps, "email_job_burst", { userId });
    await guardTyped(deps, input, await guardedMailboxes(deps, input, alias));
    return await encryptAndStore(deps, { input, alias, parts: [] });
  }
  await checkAttachments(deps, { userId, attachments, otherBytes: mostTextBytes(input) });
  await takeLimit(deps, "email_job_burst", { userId });
  const mailboxes = await guardedMailboxes(deps, input, alias);
  await guardTyped(deps, input, mailboxes);
  const job = await deps.attachedMail.make(userId, async () => {
    const parts = await readParts(deps, attachments, input.publicKeys.length > 0);
    if (mailboxes.length > 0) await guardParts(deps, parts, { userId, mailboxes });
    return await encryptAndStore(deps, { input, alias, parts });
  });
  const ids = attachments.map(({ id }) => id);
  // What can't be deleted now is deleted when it is a day old.
  await deps.emailAttachments.delete(userId, ids).catch(() => {});
  return job;
}

/** Octets of the message without its files: encoding triples them at most, and encryption adds less than that. */
const mostTextBytes = ({ subject, body, recipients }: NewEmailJob): number =>
  3 * (Buffer.byteLength(subject) + Buffer.byteLength(body)) + recipients.length * 400 + 4096;

async function encryptAndStore(
  deps: CreateDeps,
  { input, alias, parts }: { input: NewEmailJob; alias: Alias; parts: readonly AttachedPart[] },
): Promise<EmailJob> {
  await takeWeightedLimit(deps, "email_job_create", { userId: input.userId, weight: input.recipients.length });
  const body = await encryptBody(deps, input);
  const fingerprint = fingerprintOf(input);
  const displayName = await deps.aliases.findDisplayName(alias.id);
  // Encryption may have waited in a queue, and the time to cancel starts now.
  const now = deps.clock.now();
  return await store(deps, makeJob(deps, { input: { ...input, body }, alias, displayName, parts, now, fingerprint }));
}

/** Fails early; `store` checks the alias again under lock. */
async function findSender({ aliases, mailDomains }: CreateDeps, { userId, aliasId }: NewEmailJob): Promise<Alias> {
  const senders = await aliases.listWithSmtp(userId);
  const alias = senders.find(({ id, routing }) => id === aliasId && routing.state === "active");
  if (alias === undefined) throw fieldError("fromAliasId", emailJobMessages.senderUnfit);
  const refusal = mailDomains.whyNotSending(userId, alias.domain);
  if (refusal !== null) throw fieldError("fromAliasId", emailJobMessages[refusal]);
  return alias;
}

/** The provider sends for no alias that is switched off there. */
async function refuseHeldSender(
  { forwarding, providerAliases }: CreateDeps,
  { userId, aliasId }: NewEmailJob,
): Promise<void> {
  if (forwarding.about === null) return;
  const held = await providerAliases.heldOf(userId, aliasId);
  if (held !== null) throw fieldError("fromAliasId", `${emailJobMessages.senderHeld} ${heldReasons[held]}`);
}

/** Mailboxes to search for: none if the owner switched the leak guard off, but all if the account no longer exists. */
async function guardedMailboxes({ users }: CreateDeps, { userId }: NewEmailJob, alias: Alias): Promise<string[]> {
  const mailboxes = alias.routing.state === "active" ? mailboxesAmong(alias.routing.destinations) : [];
  return mailboxes.length === 0 || (await users.settings(userId))?.leakGuard === false ? [] : mailboxes;
}

async function guardTyped({ leakGuard }: CreateDeps, input: NewEmailJob, mailboxes: readonly string[]): Promise<void> {
  if (mailboxes.length === 0) return;
  const leak = await findTypedLeak(input, { userId: input.userId, mailboxes, leakGuard });
  if (leak !== null) throw leakError(leak);
}

function leakError({ field, message, places }: TypedLeak): AppError {
  const marked = places.map(({ start, end }) => ({ field, start, end }));
  return new AppError("invalid", {
    message,
    errors: { [field]: [message] },
    ...(marked.length > 0 && { places: marked }),
  });
}

interface Composing {
  input: NewEmailJob;
  alias: Alias;
  displayName: string | null;
  parts: readonly AttachedPart[];
  now: Date;
  fingerprint: string | null;
}

function makeJob(
  { random, undoSeconds }: CreateDeps,
  { input, alias, displayName, parts, now, fingerprint }: Composing,
): EmailJobToQueue & { wire: readonly Buffer[] } {
  const from = aliasAddress(alias.name, alias.domain);
  const typed = { ...input, aliasAddress: from, aliasDomain: alias.domain, displayName };
  const { wire, envelope, recipients, messageId } = buildMessage(typed, { now, random: random.bytes(32), parts });
  const notBefore = new Date(Math.max(now.getTime() + undoSeconds * 1000, input.scheduledAt?.getTime() ?? 0));
  const job: EmailJob = {
    id: input.jobId ?? random.uuid(),
    userId: input.userId,
    aliasId: alias.id,
    useEncryption: input.publicKeys.length > 0,
    status: "pending",
    priority: input.priority,
    maxRetries: MAX_RETRIES,
    currentRetries: 0,
    scheduledAt: notBefore,
    processedAt: null,
    cancelledAt: null,
    recipients: recipients.map((recipient) => ({ ...recipient, state: "pending" as const, failure: null })),
    messageId,
    createdAt: now,
    fingerprint,
  };
  const message = { id: random.uuid(), emailJobId: job.id, envelope, sizeBytes: bytesIn(wire), createdAt: now };
  const deliveryTo = ({ address }: Recipient, jobPlace: number): OpenDelivery => ({
    id: random.uuid(),
    messageId: message.id,
    aliasId: alias.id,
    userId: input.userId,
    target: { purpose: "send", destination: { kind: "mailbox", address }, aliasAddress: from },
    attempts: 0,
    createdAt: now,
    notBefore,
    lease: null,
    lastFailure: null,
    priority: input.priority,
    jobPlace,
  });
  const [first, ...others] = recipients.map(deliveryTo);
  if (first === undefined) throw fieldError("to", emailJobMessages.toInvalid);
  return { job, content: { recipients, subject: input.subject }, message, deliveries: [first, ...others], wire };
}

async function store(
  { bodies, emailJobs, spoolSpace }: CreateDeps,
  made: EmailJobToQueue & { wire: readonly Buffer[] },
): Promise<EmailJob> {
  const place = await spoolSpace.reserve(made.message.sizeBytes, made.deliveries);
  try {
    await enqueueMessage(bodies, { id: made.message.id, wire: made.wire }, () => emailJobs.queue(made));
    place.stored();
  } catch (thrown) {
    place.release();
    throw thrown;
  }
  return made.job;
}

const bytesIn = (chunks: readonly Buffer[]): number => chunks.reduce((sum, chunk) => sum + chunk.length, 0);
