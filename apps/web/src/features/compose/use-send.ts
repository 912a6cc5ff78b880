import { emailJobMessages } from "@kauke/contract";
import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import { refetchAliases } from "../../api/aliases.ts";
import { ApiError } from "../../api/api-error.ts";
import { discardUpload } from "../../api/email-attachments.ts";
import { makeSmtpCredentials, refetchJobs, useCreateEmailJob, useReadLeakGuard } from "../../api/email-jobs.ts";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { type JobFile, uploadAllEncrypted } from "./attachments.ts";
import type { KeyErrors } from "./EncryptionSection.tsx";
import { encryptLetter, NotEncrypted } from "./encrypt-letter.ts";
import { followJob } from "./job-tracker.ts";
import { type KeyTarget, missingKeys } from "./keys.ts";
import { findLeaks, type LeakPlace } from "./leak-places.ts";
import { type EncryptedText, emptyLetter, jobRequest, type Letter, letterField, type Problems } from "./letter.ts";
import { closeLetter, jobIdOf, readOpenLetter, renewLetter, type Sent } from "./letter-store.ts";
import { letterAddresses, namesOf } from "./recipients.ts";
import type { SendingAlias } from "./senders.ts";
import { jobCallsOf, keepSent } from "./sent-letters.ts";

export interface ComposeProps {
  userId: string;
  senders: readonly SendingAlias[] | undefined;
}

/** What the form shows at the fields. */
export interface Refusals {
  problems: Problems;
  keyErrors: KeyErrors;
  /** Why this browser can't encrypt. */
  failure: string | undefined;
  leaks: { field: "subject" | "body"; places: readonly LeakPlace[] } | null;
}

export const noRefusals: Refusals = { problems: {}, keyErrors: {}, failure: undefined, leaks: null };

/** Another tab may have made the credentials. @returns whether made here @throws ApiError at the field From */
async function makeCredentials(client: QueryClient, userId: string, sender: SendingAlias): Promise<boolean> {
  try {
    await makeSmtpCredentials(client, userId, sender.id);
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.code === "smtp_credential_exists") {
      void refetchAliases(client, userId);
      return false;
    }
    const reason = messageOf(error, t("Please try again."));
    const message = t("No SMTP credentials could be made for this alias. {reason}", { reason });
    throw new ApiError({ status: 0, message, errors: { fromAliasId: [message] } }, { cause: error });
  }
}

/** Files of an encrypted letter are encrypted and uploaded now. @throws NotEncrypted */
async function filesOf({ files }: Letter, encrypted: EncryptedText | null): Promise<JobFile[]> {
  if (encrypted === null)
    return files.flatMap(({ attachmentId, name, type }) =>
      attachmentId === null ? [] : [{ id: attachmentId, name, type: type === "" ? "application/octet-stream" : type }],
    );
  const uploaded = await uploadAllEncrypted(files, encrypted.publicKeys);
  if (uploaded === null)
    throw new NotEncrypted("attachments", t("A file could not be encrypted or sent. Its row says why."));
  return uploaded;
}

interface EncryptedLetter {
  /** What was encrypted, and for whom. */
  of: string;
  encrypted: EncryptedText;
  files: JobFile[];
}

/**
 * The last letter that was encrypted and has no response yet: sent again as it is, so that the server sees the same
 * message. Encrypted anew, it would be another.
 */
let lastEncrypted: EncryptedLetter | null = null;
onUserChange(() => {
  lastEncrypted = null;
});

/** Encrypts a letter and its files, unless it is the last one and unchanged. */
async function encryptOnce(
  letter: Letter,
  targets: readonly KeyTarget[],
  readGuard: ReturnType<typeof useReadLeakGuard>,
): Promise<EncryptedLetter> {
  const of = JSON.stringify([readOpenLetter().id, letter, targets]);
  if (lastEncrypted?.of === of) return lastEncrypted;
  const encrypted = await encryptLetter(letter, targets, () => readGuard(letter.fromAlias));
  return { of, encrypted, files: await filesOf(letter, encrypted) };
}

/** The letter is in the way of a job that another version of it made, or that was cancelled. */
class AnotherJob extends Error {
  override readonly name = "AnotherJob";
}

const anotherJob = {
  changed: t(
    "An earlier version of this message is already queued or sent; it is listed below. Send again to send this one as well.",
  ),
  cancelled: t("This message was queued before and then cancelled. Send again to send it after all."),
};

/** Puts what the server or this browser refused at its fields. */
function refusalsOf(error: unknown, targets: readonly KeyTarget[]): Refusals {
  if (error instanceof NotEncrypted) {
    const { field, message, address } = error;
    if (field === "encryption") return { ...noRefusals, failure: message };
    if (field === "key") return { ...noRefusals, keyErrors: { [address]: message } };
    return { ...noRefusals, problems: { [field]: message } };
  }
  const messages = fieldMessages(error);
  const problems: Problems = {};
  for (const [requestField, message] of messages) {
    const field = letterField(requestField);
    if (field !== null) problems[field] = message;
  }
  const wrongKey = messages.find(([field]) => field === "recipientPublicKey")?.[1];
  return {
    ...noRefusals,
    problems,
    keyErrors: wrongKey === undefined ? {} : { [targets[0]?.address ?? ""]: wrongKey },
  };
}

/** Marks the places of a leak, if this browser finds them too. */
async function withLeaks(
  refusals: Refusals,
  letter: Letter,
  readGuard: ReturnType<typeof useReadLeakGuard>,
): Promise<Refusals> {
  const fields = ["body", "subject"] as const;
  const field = fields.find((name) => leakMessages.has(refusals.problems[name] ?? ""));
  if (field === undefined) return refusals;
  const guard = await readGuard(letter.fromAlias).catch(() => null);
  if (guard === null) return refusals;
  return { ...refusals, leaks: { field, places: findLeaks(letter[field], guard.forwardTo) } };
}

/** Ids of letters on their way to the server: whoever leaves the page meanwhile and comes back can't send one twice. */
const sending = makeStore<ReadonlySet<string>>(new Set());

export const isBeingSent = (letterId: string): boolean => sending.read().has(letterId);

function setBeingSent(letterId: string, isSent: boolean): void {
  const others = [...sending.read()].filter((id) => id !== letterId);
  sending.set(new Set(isSent ? [...others, letterId] : others));
}

/** What was refused needs its encrypted files no more: the next attempt encrypts them anew. @returns what to throw */
function refusedJob(error: unknown, encryptedFiles: readonly JobFile[]): unknown {
  if (!(error instanceof ApiError) || error.status < 400 || error.status >= 500) return error;
  lastEncrypted = null;
  for (const { id } of encryptedFiles) discardUpload(id);
  return error.code === "job_id_taken" ? new AnotherJob(anotherJob.changed) : error;
}

const reasonOf = (error: unknown): string =>
  error instanceof NotEncrypted ? said(error.message) : messageOf(error, t("The email could not be queued."));

/** Encrypts the letter if requested, enqueues it and tracks it. */
export function useSend({ userId, senders }: ComposeProps) {
  const client = useQueryClient();
  const create = useCreateEmailJob(userId);
  const readGuard = useReadLeakGuard(userId);
  const beingSent = useStore(sending);
  const isSameUser = () => readSession().user?.id === userId;
  const checkUser = () => {
    if (!isSameUser()) throw new Error("The session that sends the letter is over");
  };

  async function enqueue(letter: Letter, targets: readonly KeyTarget[]): Promise<Omit<Sent, "height">> {
    const { id } = readOpenLetter();
    const whole = letter.isEncrypted ? await encryptOnce(letter, targets, readGuard) : null;
    const encrypted = whole?.encrypted ?? null;
    const files = whole?.files ?? (await filesOf(letter, null));
    const sender = senders?.find(({ id }) => id === letter.fromAlias);
    checkUser();
    const madeCredentials = sender?.state === "new" && (await makeCredentials(client, userId, sender));
    lastEncrypted = whole;
    const request = { ...jobRequest(letter, encrypted, files), ...jobIdOf(id) };
    const job = await create.mutateAsync(request).catch((error: unknown) => {
      throw refusedJob(error, whole?.files ?? []);
    });
    lastEncrypted = null;
    checkUser();
    if (job.status === "cancelled") throw new AnotherJob(anotherJob.cancelled);
    await keepSent(job.jobId, letter);
    const calls = jobCallsOf(userId, () => void refetchJobs(client, userId));
    followJob(job, namesOf(letterAddresses(letter)), calls);
    return { jobId: job.jobId, letter, madeCredentials };
  }

  /** @param letter valid @param height of the form, in pixels @returns what was refused; `null` once it is enqueued */
  async function send(letter: Letter, targets: readonly KeyTarget[], height: number): Promise<Refusals | null> {
    const { id } = readOpenLetter();
    if (isBeingSent(id)) return null;
    setBeingSent(id, true);
    try {
      const sent = await enqueue(letter, targets);
      // The next letter keeps the sender.
      await closeLetter(id, { ...emptyLetter, fromAlias: letter.fromAlias }, { ...sent, height });
      return null;
    } catch (error) {
      if (!isSameUser()) return null;
      if (error instanceof AnotherJob) {
        await renewLetter(id);
        showFailure(t("Failed to queue email"), error.message);
        return null;
      }
      const refusals = await withLeaks(refusalsOf(error, targets), letter, readGuard);
      showFailure(t("Failed to queue email"), reasonOf(error));
      // If the alias or its credentials changed elsewhere, the aliases are refetched.
      if (refusals.problems.fromAlias !== undefined) void refetchAliases(client, userId);
      return refusals;
    } finally {
      setBeingSent(id, false);
    }
  }
  return { beingSent, send };
}

const leakMessages: ReadonlySet<string> = new Set(
  [emailJobMessages.bodyLeaks, emailJobMessages.subjectLeaks].flatMap((text) => [text, said(text)]),
);

/** What is missing for encryption, at the fields of the keys. */
export function keyRefusals(targets: readonly KeyTarget[]): KeyErrors {
  return Object.fromEntries(missingKeys(targets).map(({ address }) => [address, emailJobMessages.publicKeyRequired]));
}
