/** Runs one job of the vault at a time; unmounting ends it. */
import { useCallback, useEffect, useRef, useState } from "react";
import { ApiError } from "../api/api-error.ts";
import { said } from "../texts/said.ts";
import { t } from "../texts/texts.ts";
import { type JobOptions, VaultError, type VaultErrorCode } from "./vault.ts";

interface Working {
  doing: string;
  forecastSeconds: number | null;
}

export function useVaultJob() {
  const [working, setWorking] = useState<Working | null>(null);
  const current = useRef<AbortController | null>(null);
  const stop = useCallback(() => current.current?.abort(), []);
  useEffect(() => stop, [stop]);
  return {
    working,
    /** Ends the job by terminating the worker. */
    stop,
    /** @param doing e.g. `Opening the key.` @returns `null` if stopped: then do nothing */
    async run<T>(
      doing: string,
      work: (options: JobOptions & { signal: AbortSignal }) => Promise<T>,
    ): Promise<T | null> {
      stop();
      const controller = new AbortController();
      const { signal } = controller;
      current.current = controller;
      setWorking({ doing, forecastSeconds: null });
      const onForecast = (forecastSeconds: number) => setWorking({ doing, forecastSeconds });
      try {
        const result = await work({ signal, onForecast });
        return signal.aborted ? null : result;
      } catch (error) {
        if (signal.aborted) return null;
        throw error;
      } finally {
        if (current.current === controller) setWorking(null);
      }
    },
  };
}

/** Texts of failures are our own: no library's text is shown. */
export const wrongPassword = t("Incorrect master password.");

const texts: Partial<Record<VaultErrorCode, string>> = {
  wrong_password: wrongPassword,
  bad_password: t("The master password is too long. The maximum is 1024 characters."),
  out_of_memory: t(
    "This device has too little free memory: 256 MB are needed. Close other tabs, or use another device.",
  ),
  insecure_context: t("Browsers work with keys on secure pages only. Open this site over https."),
  not_protected_key: t("This key was made with an older method. Delete it and create a new one."),
  unprotected_key: t("This key has no master password. Delete it and create a new one."),
  not_loaded: t(
    "The code for keys could not be loaded: either there is no connection, or this site was updated. Reload the page.",
  ),
  ended: t("The browser ended the work before it was done. Please try again."),
};

/** @param fallback for errors without a message of their own */
export function vaultFailureText(error: unknown, fallback: string): string {
  if (error instanceof VaultError) return texts[error.code] ?? fallback;
  return error instanceof ApiError && error.message !== "" ? said(error.message) : fallback;
}
