import { emailJobMessages } from "@kauke/contract";
import { type RefObject, useCallback, useEffect, useEffectEvent, useRef, useState } from "react";
import { discardUpload } from "../../api/email-attachments.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { addFiles, hasFile, isUploading, type LetterFile, removeFile, uploadFile, withdraw } from "./attachments.ts";
import { keyTargets } from "./keys.ts";
import { emptyLetter, type Letter, type LetterField, problemsOf, withRecipientsSettled } from "./letter.ts";
import { changeLetter, closeLetter, readOpenLetter, useOpenLetter } from "./letter-store.ts";
import type { Person } from "./RecipientsRow.tsx";
import { canSend } from "./senders.ts";
import { type ComposeProps, isBeingSent, keyRefusals, noRefusals, type Refusals, useSend } from "./use-send.ts";

/** Only a single alias is preselected: the wrong one of several would reveal that it is the sender's. */
function usePreselectedAlias(letterId: string, senders: ComposeProps["senders"]): string | undefined {
  const active = senders?.filter(canSend);
  const onlyAlias = active?.length === 1 ? active[0]?.id : undefined;
  useEffect(() => {
    if (senders === undefined) return;
    const chosen = readOpenLetter().letter.fromAlias;
    // DNS may take away and give back an own domain while the letter is written.
    const isKept = senders.some((sender) => sender.id === chosen && (canSend(sender) || sender.state === "domain"));
    if (!isKept && chosen !== (onlyAlias ?? "")) changeLetter({ fromAlias: onlyAlias ?? "" });
  }, [letterId, senders, onlyAlias]);
  return onlyAlias;
}

function withoutProblem(refusals: Refusals, changed: readonly string[]): Refusals {
  const problems = { ...refusals.problems };
  for (const field of changed) delete problems[field === "files" ? "attachments" : (field as LetterField)];
  // Whether people in Bcc are allowed depends on it.
  if (changed.includes("isEncrypted")) delete problems.bcc;
  const isLeakTouched = refusals.leaks !== null && changed.includes(refusals.leaks.field);
  return { ...refusals, problems, leaks: isLeakTouched ? null : refusals.leaks };
}

/** Focuses the first field that is marked invalid, once it is. */
function useFocusInvalid(form: RefObject<HTMLFormElement | null>, refusals: Refusals): () => void {
  const isDue = useRef(false);
  useEffect(() => {
    if (!isDue.current) return;
    isDue.current = false;
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus();
  }, [form, refusals]);
  return () => {
    isDue.current = true;
  };
}

/** Reads the letter anew: uploads end while it is being changed, or when another one is open. */
function useLetterFiles(change: (to: Partial<Letter>) => void) {
  const noteUpload = (letterId: string, key: string, attachmentId: string | null) => {
    const { id, letter } = readOpenLetter();
    if (attachmentId === null) return;
    const file = letter.files.find((one) => one.key === key);
    if (id !== letterId || file === undefined || letter.isEncrypted) return discardUpload(attachmentId);
    change({ files: letter.files.map((one) => (one === file ? { ...file, attachmentId } : one)) });
  };
  const upload = ({ key }: LetterFile) => {
    const { id } = readOpenLetter();
    void uploadFile(key).then((attachmentId) => noteUpload(id, key, attachmentId));
  };
  // Of a letter that is written again, and one that was put aside while they were uploaded.
  const uploadMissing = useEffectEvent(() => {
    const { isEncrypted, files } = readOpenLetter().letter;
    for (const file of isEncrypted ? [] : files)
      if (file.attachmentId === null && hasFile(file.key) && !isUploading(file)) upload(file);
  });
  useEffect(() => uploadMissing(), []);
  return {
    addLetterFiles: (added: readonly File[]) => {
      const { id, letter } = readOpenLetter();
      if (isBeingSent(id)) return;
      const taken = addFiles(added, letter.files.length);
      change({ files: [...letter.files, ...taken] });
      if (!letter.isEncrypted) taken.forEach(upload);
    },
    removeLetterFile: (file: LetterFile) => {
      if (isBeingSent(readOpenLetter().id)) return;
      removeFile(file);
      change({ files: readOpenLetter().letter.files.filter(({ key }) => key !== file.key) });
    },
    retryLetterFile: (file: LetterFile) => {
      if (!readOpenLetter().letter.isEncrypted) upload(file);
    },
    /** What was uploaded in plain text leaves the server when the letter is to be encrypted. */
    switchEncryption: (isEncrypted: boolean) => {
      const {
        id,
        letter: { files },
      } = readOpenLetter();
      if (isBeingSent(id)) return;
      for (const file of files) if (isEncrypted) withdraw(file);
      const kept = files.map((file) => ({ ...file, attachmentId: isEncrypted ? null : file.attachmentId }));
      change({ isEncrypted, files: kept });
      if (!isEncrypted) kept.forEach(upload);
    },
  };
}

interface Input extends ComposeProps {
  people: readonly Person[];
}

export function useCompose({ userId, senders, people }: Input) {
  const { id, letter } = useOpenLetter();
  const [refusals, setRefusals] = useState(noRefusals);
  const form = useRef<HTMLFormElement>(null);
  const { beingSent, send } = useSend({ userId, senders });
  const isSending = beingSent.has(id);
  const onlyAlias = usePreselectedAlias(id, senders);
  const focusInvalid = useFocusInvalid(form, refusals);
  const targets = keyTargets(letter, people);

  const change = (to: Partial<Letter>) => {
    // What is typed now would neither be sent nor stay.
    if (isBeingSent(readOpenLetter().id)) return;
    changeLetter(to);
    setRefusals((before) => withoutProblem(before, Object.keys(to)));
  };
  const setKeyError = useCallback(
    (address: string, error: string | undefined) =>
      setRefusals((before) => ({ ...before, keyErrors: { ...before.keyErrors, [address]: error } })),
    [],
  );
  const refuse = (next: Refusals) => {
    focusInvalid();
    setRefusals(next);
  };
  const submit = async () => {
    if (isSending) return;
    const settled = changeLetter(withRecipientsSettled(letter));
    const settledTargets = keyTargets(settled, people);
    const problems = problemsOf(settled);
    const keyErrors = settled.isEncrypted ? keyRefusals(settledTargets) : {};
    if (Object.keys(keyErrors).length > 0)
      showFailure(t("Public key required"), said(emailJobMessages.publicKeyRequired));
    if (Object.keys(problems).length + Object.keys(keyErrors).length > 0)
      return refuse({ ...noRefusals, problems, keyErrors });
    const height = form.current?.offsetHeight ?? 0;
    setRefusals(noRefusals);
    const refused = await send(settled, settledTargets, height);
    if (refused !== null) refuse(refused);
  };
  const files = useLetterFiles(change);
  const onReset = () => {
    letter.files.forEach(removeFile);
    void closeLetter(id, emptyWith(onlyAlias));
  };
  return { form, letter, targets, refusals, isSending, change, setKeyError, setRefusals, submit, onReset, ...files };
}

const emptyWith = (fromAlias = ""): Letter => ({ ...emptyLetter, fromAlias });

export type Compose = ReturnType<typeof useCompose>;
