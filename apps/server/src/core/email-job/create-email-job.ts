import { domainToASCII } from "node:url";
import { emailJobMessages, heldReasons, limits } from "@kauke/contract";
import { composeMessage, makeMessageId, parseAddress, stuff } from "@kauke/mail-rfc";
import { ageResult } from "../age-worker.ts";
import { type Alias, aliasAddress, mailboxesAmong } from "../alias/alias.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import type { FoundLeak, LeakGuard } from "../leak-guard.ts";
import { enqueueMessage, type MessageEnvelope } from "../message/message.ts";
import { takeLimit } from "../take-limit.ts";
import type { EmailJob, EmailJobToQueue } from "./email-job.ts";

export interface TypedMessage {
  aliasAddress: string;
  aliasDomain: string;
  to: string;
  subject: string;
  body: string;
}

export interface BuiltMessage {
  wire: Buffer;
  envelope: MessageEnvelope;
  recipient: string;
  messageId: string;
}

/** @param random 16 bytes for the Message-ID @throws MailSyntaxError for an invalid recipient */
export function buildMessage(typed: TypedMessage, { now, random }: { now: Date; random: Uint8Array }): BuiltMessage {
  const messageId = makeMessageId(random, typed.aliasDomain);
  const recipient = spellRecipient(typed.to);
  const { subject, body, aliasAddress } = typed;
  const bytes = composeMessage({ from: aliasAddress, to: recipient, subject, text: body, at: now, messageId });
  return { wire: stuff(bytes), envelope: envelopeOf(aliasAddress, recipient, now), recipient, messageId };
}

/** With A-labels in the domain, only a non-ASCII local part makes the message SMTPUTF8 (RFC 6531). */
function spellRecipient(to: string): string {
  const { local, domain, canonical } = parseAddress(to);
  const ascii = domainToASCII(domain);
  return ascii !== "" && /^[ -~]*$/.test(local) ? `${local}@${ascii}` : canonical;
}

function envelopeOf(aliasAddress: string, recipient: string, receivedAt: Date): MessageEnvelope {
  const { needsSmtpUtf8 } = parseAddress(recipient);
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
}

export interface TypedLeakDeps {
  userId: string;
  mailboxes: readonly string[];
  leakGuard: LeakGuard;
}

/** Searches for mailboxes behind the alias; the recipient may be one. @throws AppError `busy`, `unavailable` */
export async function findTypedLeak({ subject, body }: TypedWords, deps: TypedLeakDeps): Promise<TypedLeak | null> {
  const inBody = await deps.leakGuard.search({ ...deps, content: { kind: "text", text: body } });
  if (inBody !== null) return { field: "body", message: messageFor(inBody) };
  const inSubject = await deps.leakGuard.search({ ...deps, content: { kind: "subject", text: subject } });
  return inSubject === null ? null : { field: "subject", message: emailJobMessages.subjectLeaks };
}

function messageFor({ leak, place }: FoundLeak): string {
  if (leak !== "address") return emailJobMessages.bodyUnsearched;
  return place.line === null ? emailJobMessages.bodyLeaksEncoded : emailJobMessages.bodyLeaks;
}

/** Throws rather than return plain text when encryption fails. @throws AppError `invalid`, `busy`, `unavailable` */
async function encryptBody(
  { ageWorker }: Pick<CoreDeps, "ageWorker">,
  { userId, body, recipientPublicKey }: { userId: string; body: string; recipientPublicKey: string | null },
): Promise<string> {
  if (recipientPublicKey === null) return body;
  const outcome = await ageWorker.run({ name: "encrypt", userId }, { publicKey: recipientPublicKey, text: body });
  if (!outcome.done && outcome.failure === "public_key_invalid")
    throw fieldError("recipientPublicKey", emailJobMessages.publicKeyInvalid);
  if (!outcome.done && outcome.failure === "text_too_long") throw fieldError("body", emailJobMessages.bodyLong);
  return ageResult<"encrypt">(outcome).encryptedText;
}

export interface NewEmailJob {
  userId: string;
  aliasId: string;
  to: string;
  subject: string;
  body: string;
  recipientPublicKey: string | null;
  priority: number;
  scheduledAt: Date | null;
}

type CreateDeps = Pick<
  CoreDeps,
  | "aliases"
  | "emailJobs"
  | "users"
  | "bodies"
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

/** @throws AppError `invalid`, `rate_limited`, `busy`, `unavailable`, `spool_quota`, `spool_failed` */
export async function createEmailJob(deps: CreateDeps, input: NewEmailJob): Promise<EmailJob> {
  const now = deps.clock.now();
  if (input.scheduledAt !== null && input.scheduledAt.getTime() - now.getTime() > limits.scheduleMaxDays * DAY_MS)
    throw fieldError("scheduledAt", emailJobMessages.scheduleFar);
  const alias = await findSender(deps, input);
  await refuseHeldSender(deps, input);
  await takeLimit(deps, "email_job_burst", { userId: input.userId });
  await guardLeaks(deps, input, alias);
  await takeLimit(deps, "email_job_create", { userId: input.userId });
  const body = await encryptBody(deps, input);
  // Encryption may have waited in a queue, and the time to cancel starts now.
  return store(deps, makeJob(deps, { input: { ...input, body }, alias, now: deps.clock.now() }));
}

/** Fails early; `store` checks the alias again under lock. */
async function findSender({ aliases }: CreateDeps, { userId, aliasId }: NewEmailJob): Promise<Alias> {
  const senders = await aliases.listWithSmtp(userId);
  const alias = senders.find(({ id, routing }) => id === aliasId && routing.state === "active");
  if (alias === undefined) throw fieldError("fromAliasId", emailJobMessages.senderUnfit);
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

/** Applies unless the owner switched the leak guard off; also if the account no longer exists. */
async function guardLeaks({ users, leakGuard }: CreateDeps, input: NewEmailJob, alias: Alias): Promise<void> {
  const mailboxes = alias.routing.state === "active" ? mailboxesAmong(alias.routing.destinations) : [];
  if (mailboxes.length === 0 || (await users.settings(input.userId))?.leakGuard === false) return;
  const leak = await findTypedLeak(input, { userId: input.userId, mailboxes, leakGuard });
  if (leak !== null) throw fieldError(leak.field, leak.message);
}

interface Composing {
  input: NewEmailJob;
  alias: Alias;
  now: Date;
}

function makeJob(
  { random, undoSeconds }: CreateDeps,
  { input, alias, now }: Composing,
): EmailJobToQueue & { wire: Buffer } {
  const from = aliasAddress(alias.name, alias.domain);
  const typed = { ...input, aliasAddress: from, aliasDomain: alias.domain };
  const { wire, envelope, recipient, messageId } = buildMessage(typed, { now, random: random.bytes(16) });
  const notBefore = new Date(Math.max(now.getTime() + undoSeconds * 1000, input.scheduledAt?.getTime() ?? 0));
  const job: EmailJob = {
    id: random.uuid(),
    userId: input.userId,
    aliasId: alias.id,
    useEncryption: input.recipientPublicKey !== null,
    status: "pending",
    priority: input.priority,
    maxRetries: MAX_RETRIES,
    currentRetries: 0,
    scheduledAt: notBefore,
    processedAt: null,
    cancelledAt: null,
    lastFailure: null,
    messageId,
    createdAt: now,
  };
  const message = { id: random.uuid(), emailJobId: job.id, envelope, sizeBytes: wire.length, createdAt: now };
  const delivery = {
    id: random.uuid(),
    messageId: message.id,
    aliasId: alias.id,
    userId: input.userId,
    target: { purpose: "send" as const, destination: mailboxAt(recipient), aliasAddress: from },
    attempts: 0,
    createdAt: now,
    notBefore,
    lease: null,
    lastFailure: null,
    priority: input.priority,
  };
  return { job, content: { recipient, subject: input.subject }, message, delivery, wire };
}

const mailboxAt = (address: string) => ({ kind: "mailbox" as const, address });

async function store(
  { bodies, emailJobs, spoolSpace }: CreateDeps,
  made: EmailJobToQueue & { wire: Buffer },
): Promise<EmailJob> {
  const place = await spoolSpace.reserve(made.wire.length, [made.delivery]);
  try {
    await enqueueMessage(bodies, { id: made.message.id, wire: made.wire }, () => emailJobs.queue(made));
    place.stored();
  } catch (thrown) {
    place.release();
    throw thrown;
  }
  return made.job;
}
