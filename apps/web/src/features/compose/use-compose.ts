import { emailJobMessages } from "@kauke/contract";
import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import { showFailure } from "../../ui/toast-store.ts";
import { keyTargets } from "./keys.ts";
import { emptyLetter, type Letter, type LetterField, problemsOf, withRecipientsSettled } from "./letter.ts";
import { changeLetter, closeLetter, readOpenLetter, useOpenLetter } from "./letter-store.ts";
import type { Person } from "./RecipientsRow.tsx";
import { canSend } from "./senders.ts";
import { type ComposeProps, keyRefusals, noRefusals, type Refusals, useSend } from "./use-send.ts";

/** Only a single alias is preselected: the wrong one of several would reveal that it is the sender's. */
function usePreselectedAlias(letterId: string, senders: ComposeProps["senders"]): string | undefined {
  const active = senders?.filter(canSend);
  const onlyAlias = active?.length === 1 ? active[0]?.id : undefined;
  useEffect(() => {
    if (senders === undefined) return;
    const chosen = readOpenLetter().letter.fromAlias;
    const isKept = senders.some((sender) => sender.id === chosen && canSend(sender));
    if (!isKept && chosen !== (onlyAlias ?? "")) changeLetter({ fromAlias: onlyAlias ?? "" });
  }, [letterId, senders, onlyAlias]);
  return onlyAlias;
}

function withoutProblem(refusals: Refusals, changed: readonly string[]): Refusals {
  const problems = { ...refusals.problems };
  for (const field of changed) delete problems[field as LetterField];
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

interface Input extends ComposeProps {
  people: readonly Person[];
}

export function useCompose({ userId, senders, people }: Input) {
  const { id, letter } = useOpenLetter();
  const [refusals, setRefusals] = useState(noRefusals);
  const form = useRef<HTMLFormElement>(null);
  const { isSending, send } = useSend({ userId, senders });
  const onlyAlias = usePreselectedAlias(id, senders);
  const focusInvalid = useFocusInvalid(form, refusals);
  const targets = keyTargets(letter, people);

  const change = (to: Partial<Letter>) => {
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
    const settled = withRecipientsSettled(letter);
    changeLetter(settled);
    const settledTargets = keyTargets(settled, people);
    const problems = problemsOf(settled);
    const keyErrors = settled.isEncrypted ? keyRefusals(settledTargets) : {};
    if (Object.keys(keyErrors).length > 0) showFailure("Public key required", emailJobMessages.publicKeyRequired);
    if (Object.keys(problems).length + Object.keys(keyErrors).length > 0)
      return refuse({ ...noRefusals, problems, keyErrors });
    const height = form.current?.offsetHeight ?? 0;
    setRefusals(noRefusals);
    const refused = await send(settled, settledTargets, height);
    if (refused !== null) refuse(refused);
  };
  const onReset = () => void closeLetter(id, emptyWith(onlyAlias));
  return { form, letter, targets, refusals, isSending, change, setKeyError, setRefusals, submit, onReset };
}

const emptyWith = (fromAlias = ""): Letter => ({ ...emptyLetter, fromAlias });

export type Compose = ReturnType<typeof useCompose>;
