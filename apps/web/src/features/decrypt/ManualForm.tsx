/** Manual Decrypt: uses a private key that the user enters. It is passed to the worker and nowhere else. */
import { encryptionMessages } from "@kauke/contract";
import { LockOpen } from "lucide-react";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { FieldError } from "../../ui/Field.tsx";
import { KeyFilePicker, noKeyFile } from "../../ui/KeyFilePicker.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { type PastedKey, readPastedKey } from "../../vault/pasted-key.ts";
import { EncryptedField } from "./EncryptedField.tsx";
import { openEncrypted } from "./open-encrypted.ts";
import type { Decryption } from "./use-decrypt.ts";
import { useEncrypted } from "./use-encrypted.ts";

const errorId = "private-key-error";

const lockedKeyText =
  "This .age file is a key under its master password. Open it with the age program, or use the key in Auto Decrypt if it is stored here.";

const lockedText = ({ kind }: PastedKey): string | undefined => (kind === "locked" ? lockedKeyText : undefined);

function useManualForm(decryption: Decryption) {
  const keyField = useRef<HTMLTextAreaElement>(null);
  const encrypted = useEncrypted();
  const [keyError, setKeyError] = useState<string>();
  useEffect(() => {
    const empty = () => keyField.current && (keyField.current.value = "");
    window.addEventListener("pagehide", empty);
    return () => window.removeEventListener("pagehide", empty);
  }, []);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const typed = keyField.current?.value ?? "";
    const pasted = readPastedKey(typed);
    const what = encrypted.read();
    const wrong = typed.trim() === "" ? encryptionMessages.privateKeyRequired : lockedText(pasted);
    setKeyError(wrong);
    if (wrong !== undefined || pasted.kind === "locked") return keyField.current?.focus();
    if (what === null) return encrypted.focus();
    const failure = await decryption.run("manual", async (options) => {
      const opened = await openEncrypted(what, { privateKey: pasted.text }, options);
      if (keyField.current) keyField.current.value = "";
      return opened;
    });
    if (failure?.field !== "privateKey") return;
    setKeyError(failure.message);
    keyField.current?.focus();
  };
  const onKeyFile = (text: string | null) => {
    const read = readPastedKey(text ?? "");
    setKeyError(text === null ? noKeyFile : lockedText(read));
    if (text !== null && read.kind === "key" && keyField.current) keyField.current.value = read.text;
  };
  return { keyField, encrypted, keyError, onSubmit, onKeyFile, onKeyInput: () => setKeyError(undefined) };
}

export function ManualForm({ decryption }: { decryption: Decryption }) {
  const { keyField, encrypted, keyError, onSubmit, onKeyFile, onKeyInput } = useManualForm(decryption);
  const isPending = decryption.working !== null;
  return (
    <form
      className="manual"
      aria-label="Manual Decrypt"
      noValidate
      onSubmit={(event) => void onSubmit(event)}
      {...encrypted.drop}
    >
      <div className="field short">
        <label htmlFor="private-key">Private Key</label>
        <textarea
          ref={keyField}
          id="private-key"
          className="input mono"
          rows={2}
          spellCheck={false}
          autoComplete="off"
          autoCapitalize="none"
          placeholder="AGE-SECRET-KEY-1…"
          aria-invalid={keyError ? true : undefined}
          aria-describedby={keyError ? errorId : undefined}
          onInput={onKeyInput}
        />
        <FieldError id={errorId}>{keyError}</FieldError>
        <p className="hint">
          Or the <i>.json</i> file that Settings downloads. <KeyFilePicker onRead={onKeyFile} />
        </p>
      </div>
      <EncryptedField {...encrypted.field} />
      <SubmitButton className="btn-primary" pending={isPending} pendingLabel="Decrypting...">
        <LockOpen className="i" aria-hidden />
        Decrypt Message
      </SubmitButton>
    </form>
  );
}
