/**
 * Runs one decryption at a time and holds its result. The plaintext exists only in this component's state while the
 * result is shown: a new attempt, Clear Results and leaving the page delete it.
 */
import { useCallback, useEffect, useState } from "react";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useVaultJob } from "../../vault/use-vault-job.ts";
import type { JobOptions } from "../../vault/vault.ts";
import { failureToast, fieldToCorrect, type Method } from "./decrypt-failure.ts";
import { firstShown, type Message } from "./open-encrypted.ts";

type Work = (options: JobOptions & { signal: AbortSignal }) => Promise<readonly Message[]>;

export interface FieldFailure {
  field: NonNullable<ReturnType<typeof fieldToCorrect>>;
  message: string;
}

/** The messages of the input, and the index of the one that is shown. */
interface Result {
  messages: readonly Message[];
  shown: number;
}

export function useDecrypt() {
  const { working, run: runJob, stop } = useVaultJob();
  const [result, setResult] = useState<Result | null>(null);
  const clear = useCallback(() => {
    stop();
    setResult(null);
  }, [stop]);
  useEffect(() => {
    // A page in the back/forward cache would keep the plaintext.
    window.addEventListener("pagehide", clear);
    return () => window.removeEventListener("pagehide", clear);
  }, [clear]);

  /**
   * Decrypts and shows the result or a toast about the failure.
   * @returns the field to correct and its error; `null` on success, or if no single field is at fault
   */
  const run = async (method: Method, work: Work): Promise<FieldFailure | null> => {
    clear();
    try {
      const messages = await runJob("Decrypting...", work);
      if (messages === null) return null;
      setResult({ messages, shown: firstShown(messages) });
      showToast({ title: "Decryption successful" });
      return null;
    } catch (thrown) {
      const toast = failureToast(thrown, method);
      showFailure(toast.title, toast.description);
      const field = fieldToCorrect(thrown);
      return field === null ? null : { field, message: toast.description };
    }
  };
  const opened = result?.messages[result.shown]?.opened ?? null;
  const show = (shown: number) => setResult((before) => before && { ...before, shown });
  return { result, opened, working, run, clear, show };
}

export type Decryption = ReturnType<typeof useDecrypt>;
