/** The plaintext is in this component's state only, until the next attempt, Clear Results or leaving the page. */
import { encryptionMessages } from "@kauke/contract";
import { useCallback, useEffect, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { messageOf } from "../../api/error-text.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { onForget } from "../../vault/forget-decrypted.ts";
import { useVaultJob, vaultFailureText } from "../../vault/use-vault-job.ts";
import { type JobOptions, VaultError, type VaultErrorCode } from "../../vault/vault.ts";
import { firstShown, type Message } from "./open-encrypted.ts";

type Work = (options: JobOptions & { signal: AbortSignal }) => Promise<readonly Message[]>;

interface Failure {
  code: VaultErrorCode | null;
  /** The field at fault, if it is a single one. */
  field: ReturnType<typeof fieldToCorrect>;
  message: string;
}

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
    const stopForgetting = onForget(clear);
    // Cleared when the page is left: the back/forward cache would keep the plaintext.
    window.addEventListener("pagehide", clear);
    return () => {
      stopForgetting();
      window.removeEventListener("pagehide", clear);
    };
  }, [clear]);

  /** Decrypts, and shows the result or a toast. @returns `null` also if stopped */
  const run = async (method: Method, work: Work): Promise<Failure | null> => {
    clear();
    try {
      const messages = await runJob(t("Decrypting..."), work);
      if (messages === null) return null;
      setResult({ messages, shown: firstShown(messages) });
      showToast({ title: t("Decryption successful") });
      return null;
    } catch (thrown) {
      const toast = failureToast(thrown, method);
      showFailure(toast.title, toast.description);
      const code = thrown instanceof VaultError ? thrown.code : null;
      return { code, field: fieldToCorrect(thrown), message: toast.description };
    }
  };
  const opened = result?.messages[result.shown]?.opened ?? null;
  const show = (shown: number) => setResult((before) => before && { ...before, shown });
  return { result, opened, working, run, clear, show };
}

export type Decryption = ReturnType<typeof useDecrypt>;

interface FailureToast {
  title: string;
  description: string;
}

type Method = "auto" | "manual";

const unexpected = t("An error occurred while decrypting the message.");
const damaged = t("The encrypted text is damaged or is not an AGE message.");

/** Texts of failures, the same as in the API (specification section 8, "Auto decrypt" and "Manual decrypt"). */
const texts: Readonly<Partial<Record<VaultErrorCode, string>>> = {
  not_age: damaged,
  malformed: damaged,
  work_factor_too_high: damaged,
  too_large: t("The message is too large to be decrypted here."),
  no_matching_key: t("This message was not encrypted for this key."),
  bad_private_key: t("The private key is not valid."),
  not_text: t("Decrypted, but the content is not text."),
};

const needsUpdate: FailureToast = {
  title: t("Encryption key needs update"),
  description: said(encryptionMessages.needsRecreation),
};

const incompatible: FailureToast = {
  title: t("Key Compatibility Issue"),
  description: t("Create a new key in Settings for auto-decrypt, or use manual decrypt."),
};

export function failureToast(thrown: unknown, method: Method): FailureToast {
  if (thrown instanceof VaultError) return vaultToast(thrown);
  if (method === "auto" && thrown instanceof ApiError && /master password protection/i.test(thrown.message))
    return incompatible;
  return { title: t("Decryption failed"), description: messageOf(thrown, unexpected) };
}

function vaultToast(thrown: VaultError): FailureToast {
  if (thrown.code === "not_protected_key") return needsUpdate;
  if (thrown.code === "unprotected_key") return incompatible;
  return { title: t("Decryption failed"), description: decryptFailureText(thrown.code) };
}

export function decryptFailureText(code: VaultErrorCode): string {
  return texts[code] ?? vaultFailureText(new VaultError(code), t("Failed to decrypt the message."));
}

/** The field to correct; `null` unless a single field is at fault. */
export function fieldToCorrect(thrown: unknown): "password" | "privateKey" | null {
  if (!(thrown instanceof VaultError)) return null;
  if (thrown.code === "wrong_password" || thrown.code === "bad_password") return "password";
  return thrown.code === "bad_private_key" ? "privateKey" : null;
}
