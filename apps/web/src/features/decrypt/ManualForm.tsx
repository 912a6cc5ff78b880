/** Manual Decrypt: with a private key of one's own. It goes into the worker and nowhere else. */
import { encryptionMessages } from "@kauke/contract";
import { LockOpen } from "lucide-react";
import { type FormEvent, useRef, useState } from "react";
import { FieldError } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { EncryptedField } from "./EncryptedField.tsx";
import { openEncrypted } from "./open-encrypted.ts";
import type { Decryption } from "./use-decrypt.ts";
import { useEncrypted } from "./use-encrypted.ts";

const errorId = "private-key-error";

function useManualForm(decryption: Decryption) {
  const keyField = useRef<HTMLTextAreaElement>(null);
  const encrypted = useEncrypted();
  const [keyError, setKeyError] = useState<string>();
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const privateKey = keyField.current?.value ?? "";
    const isMissing = privateKey.trim() === "";
    const what = encrypted.read();
    setKeyError(isMissing ? encryptionMessages.privateKeyRequired : undefined);
    if (isMissing) return keyField.current?.focus();
    if (what === null) return encrypted.focus();
    const toMend = await decryption.run("manual", async (options) => {
      const opened = await openEncrypted(what, { privateKey }, options);
      if (keyField.current) keyField.current.value = "";
      return opened;
    });
    if (toMend === "privateKey") keyField.current?.focus();
  };
  return { keyField, encrypted, keyError, onSubmit, onKeyInput: () => setKeyError(undefined) };
}

export function ManualForm({ decryption }: { decryption: Decryption }) {
  const { keyField, encrypted, keyError, onSubmit, onKeyInput } = useManualForm(decryption);
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
      </div>
      <EncryptedField {...encrypted.field} />
      <SubmitButton className="btn-primary" pending={isPending} pendingLabel="Decrypting...">
        <LockOpen className="i" aria-hidden />
        Decrypt Message
      </SubmitButton>
    </form>
  );
}
