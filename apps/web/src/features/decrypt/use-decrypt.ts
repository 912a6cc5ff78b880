/**
 * Runs one decryption at a time and holds its result. The plaintext exists only in this component's state while it is
 * shown: a new attempt, Clear Results and leaving the page delete it.
 */
import { useCallback, useEffect, useState } from "react";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useVaultJob } from "../../vault/use-vault-job.ts";
import type { JobOptions } from "../../vault/vault.ts";
import { failureToast, fieldToCorrect, type Method } from "./decrypt-failure.ts";
import type { Opened } from "./open-encrypted.ts";

type Work = (options: JobOptions & { signal: AbortSignal }) => Promise<Opened>;

export interface FieldFailure {
  field: NonNullable<ReturnType<typeof fieldToCorrect>>;
  message: string;
}

export function useDecrypt() {
  const { working, run: runJob, stop } = useVaultJob();
  const [opened, setOpened] = useState<Opened | null>(null);
  const clear = useCallback(() => {
    stop();
    setOpened(null);
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
      const result = await runJob("Decrypting...", work);
      if (result === null) return null;
      setOpened(result);
      showToast({ title: "Decryption successful" });
      return null;
    } catch (thrown) {
      const toast = failureToast(thrown, method);
      showFailure(toast.title, toast.description);
      const field = fieldToCorrect(thrown);
      return field === null ? null : { field, message: toast.description };
    }
  };
  return { opened, working, run, clear };
}

export type Decryption = ReturnType<typeof useDecrypt>;
