/**
 * Letters on their way: kept in this browser under the id of their job until the server has sent them, so that one
 * undone, refused or cancelled can be written again. Of a sent one only recipients and subject stay, for a week.
 */
import { navigate } from "wouter/use-browser-location";
import { saveContact } from "../../api/contacts.ts";
import { cancelJob, readJobStatus } from "../../api/email-jobs.ts";
import { onUserChange, readSession } from "../../api/session/session.ts";
import type { Draft } from "../../drafts/draft.ts";
import { deleteDraft, listDrafts, readDraft, saveDraft } from "../../drafts/drafts.ts";
import { makeStore, useStore } from "../../ui/store.ts";
import { forgetFile } from "./attachments.ts";
import { cleanPublicKey } from "./encrypt-letter.ts";
import type { JobCalls } from "./job-tracker.ts";
import { keyTargets } from "./keys.ts";
import { asLetter, emptyLetter, type Letter, storedOf } from "./letter.ts";
import { renewLetter, restoreLetter } from "./letter-store.ts";

const COMPOSE_PATH = "/compose";

export interface SentLetter {
  letter: Letter;
  /** `null` until the job has ended. */
  status: "sent" | "failed" | "cancelled" | null;
}

export type SentDraft = Draft<SentLetter>;

const drafts = makeStore<readonly SentDraft[]>([]);
export const useSentLetters = (): readonly SentDraft[] => useStore(drafts);

const userId = () => readSession().user?.id;

export async function refreshSent(): Promise<void> {
  const of = userId();
  const found = await listDrafts<SentLetter>("sent");
  if (of === userId()) drafts.set(found);
}

onUserChange(() => drafts.set([]));

async function save(jobId: string, sent: SentLetter): Promise<void> {
  await saveDraft("sent", jobId, sent);
  await refreshSent();
}

/** The server has taken the uploads for the job, so a letter that is written again needs others. */
export const keepSent = (jobId: string, letter: Letter): Promise<void> =>
  save(jobId, {
    letter: { ...storedOf(letter), files: letter.files.map((file) => ({ ...file, attachmentId: null })) },
    status: null,
  });

export async function forgetSent(jobId: string): Promise<void> {
  await deleteDraft("sent", jobId);
  await refreshSent();
}

export async function noteEnd(jobId: string, status: string): Promise<void> {
  if (status !== "sent" && status !== "failed" && status !== "cancelled") return;
  const of = userId();
  const draft = await readDraft<SentLetter>("sent", jobId);
  if (draft === null || draft.value.status !== null || of !== userId()) return;
  const { letter } = draft.value;
  if (status === "sent") {
    letter.files.forEach(forgetFile);
    if (letter.isEncrypted) await rememberKeys(letter);
  }
  const { fromAlias, to, cc, bcc, subject } = letter;
  await save(jobId, {
    status,
    letter: status === "sent" ? { ...emptyLetter, fromAlias, to, cc, bcc, subject } : letter,
  });
}

/** Keys typed for a letter that was sent; refused where people are not to be remembered. */
async function rememberKeys(letter: Letter): Promise<void> {
  for (const { address, publicKey } of keyTargets(letter, []))
    if (publicKey.trim() !== "")
      await cleanPublicKey(publicKey)
        .then((key) => saveContact(address, key))
        .catch(() => {});
}

/** Opens the letter of a job that was not sent. @returns false if this browser no longer has it */
export async function writeAgain(jobId: string): Promise<boolean> {
  const of = userId();
  const draft = await readDraft<SentLetter>("sent", jobId);
  if (of !== userId()) return false;
  // This browser never learned that the server took the letter, so it is still being written.
  if (draft === null) await renewLetter(jobId);
  if (draft === null || of !== userId()) return false;
  await restoreLetter(asLetter(draft.value.letter));
  await forgetSent(jobId);
  if (window.location.pathname !== COMPOSE_PATH) navigate(COMPOSE_PATH);
  return true;
}

/** @param onChange called when a job has ended or was undone */
export function jobCallsOf(userId: string, onChange: () => void): JobCalls {
  return {
    readStatus: readJobStatus,
    cancel: cancelJob,
    isStillSignedIn: () => readSession().user?.id === userId,
    reopen: (jobId) => {
      onChange();
      return writeAgain(jobId);
    },
    onEnd: (jobId, status) => {
      onChange();
      void noteEnd(jobId, status);
    },
  };
}
