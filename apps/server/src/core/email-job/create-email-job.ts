import { emailJobMessages, limits } from "@kauke/contract";
import { type Alias, aliasAddress, type Destination } from "../alias/alias.ts";
import { fieldError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { enqueueMessage } from "../message/enqueue-message.ts";
import { takeLimit } from "../rate-limit/take-limit.ts";
import { buildMessage } from "./build-message.ts";
import type { EmailJob, EmailJobToQueue } from "./email-job.ts";
import { encryptBody } from "./encrypt-body.ts";
import { findTypedLeak } from "./find-typed-leak.ts";

export interface NewEmailJob {
  userId: string;
  aliasId: string;
  to: string;
  subject: string;
  body: string;
  /**
   * Age recipient to encrypt the body to before it is enqueued, unless the body is an armored age file already; `null`:
   * sent as typed.
   */
  recipientPublicKey: string | null;
  priority: number;
  /** Time chosen by the user; `null`: the message is sent as soon as the time to cancel is over. */
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
>;

const MAX_RETRIES = 3;
const DAY_MS = 86_400_000;

/**
 * Composes the message and enqueues it, due when the time to cancel is over, or when scheduled if that is later.
 * @throws AppError `invalid`, `rate_limited`, `busy`, `unavailable`, `spool_quota`, `spool_failed`
 */
export async function createEmailJob(deps: CreateDeps, input: NewEmailJob): Promise<EmailJob> {
  const now = deps.clock.now();
  if (input.scheduledAt !== null && input.scheduledAt.getTime() - now.getTime() > limits.scheduleMaxDays * DAY_MS)
    throw fieldError("scheduledAt", emailJobMessages.scheduleFar);
  const alias = await findSender(deps, input);
  await takeLimit(deps, "email_job_burst", { userId: input.userId });
  await guardLeaks(deps, input, alias);
  await takeLimit(deps, "email_job_create", { userId: input.userId });
  const body = await encryptBody(deps, input);
  // The clock is read again: encryption may have waited in a queue, and the time to cancel starts now.
  return store(deps, makeJob(deps, { input: { ...input, body }, alias, now: deps.clock.now() }));
}

/** Finds the alias to send from. `store` checks it again under lock; this earlier check avoids unnecessary work. */
async function findSender({ aliases }: CreateDeps, { userId, aliasId }: NewEmailJob): Promise<Alias> {
  const senders = await aliases.listWithSmtp(userId);
  const alias = senders.find(({ id, routing }) => id === aliasId && routing.state === "active");
  if (alias === undefined) throw fieldError("fromAliasId", emailJobMessages.senderUnfit);
  return alias;
}

/**
 * Rejects text that reveals a mailbox, unless the owner switched the leak guard off; applies also if the account no
 * longer exists.
 */
async function guardLeaks({ users, leakGuard }: CreateDeps, input: NewEmailJob, alias: Alias): Promise<void> {
  const mailboxes = alias.routing.state === "active" ? mailboxesAmong(alias.routing.destinations) : [];
  if (mailboxes.length === 0 || (await users.settings(input.userId))?.leakGuard === false) return;
  const leak = await findTypedLeak(input, { userId: input.userId, mailboxes, leakGuard });
  if (leak !== null) throw fieldError(leak.field, leak.message);
}

const mailboxesAmong = (destinations: readonly Destination[]): string[] =>
  destinations.flatMap((destination) => (destination.kind === "mailbox" ? [destination.address] : []));

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
