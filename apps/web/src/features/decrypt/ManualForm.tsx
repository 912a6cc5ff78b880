/** The private key goes to the worker and nowhere else. */
import { encryptionMessages } from "@kauke/contract";
import { useEffect, useRef, useState } from "react";
import { rich, t } from "../../texts/texts.ts";
import { KeyFilePicker, KeyTextarea, noKeyFile, useEmptyOnLeaving } from "../../ui/KeyInput.tsx";
import { onForget } from "../../vault/forget-decrypted.ts";
import { type PastedKey, readPastedKey } from "../../vault/pasted-key.ts";
import { DecryptForm } from "./DecryptForm.tsx";
import { openEncrypted } from "./open-encrypted.ts";
import type { Decryption } from "./use-decrypt.ts";
import type { EncryptedInput } from "./use-encrypted.ts";

const lockedKeyText = t(
  "This .age file is a key under its master password. Open it with the age program, or use the key in Auto Decrypt if it is stored here.",
);

const lockedText = ({ kind }: PastedKey): string | undefined => (kind === "locked" ? lockedKeyText : undefined);

interface Props {
  encrypted: EncryptedInput;
  decryption: Decryption;
}

function useManualForm({ encrypted, decryption }: Props) {
  const keyField = useRef<HTMLTextAreaElement>(null);
  const [keyError, setKeyError] = useState<string>();
  useEmptyOnLeaving(keyField);
  useEffect(() => onForget(() => keyField.current && (keyField.current.value = "")), []);
  const onSubmit = async (focusText: () => void) => {
    const typed = keyField.current?.value ?? "";
    const pasted = readPastedKey(typed);
    const what = encrypted.read();
    const wrong = typed.trim() === "" ? encryptionMessages.privateKeyRequired : lockedText(pasted);
    setKeyError(wrong);
    if (wrong !== undefined || pasted.kind === "locked") return keyField.current?.focus();
    if (what === null) return focusText();
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
  return { keyField, keyError, onSubmit, onKeyFile, onKeyInput: () => setKeyError(undefined) };
}

export function ManualForm(props: Props) {
  const { encrypted, decryption } = props;
  const { keyField, keyError, onSubmit, onKeyFile, onKeyInput } = useManualForm(props);
  return (
    <DecryptForm className="manual" label={t("Manual Decrypt")} {...{ encrypted, decryption, onSubmit }}>
      <div className="field short">
        <label htmlFor="private-key">{t("Private Key")}</label>
        <KeyTextarea
          ref={keyField}
          id="private-key"
          data-secret
          error={keyError}
          rows={2}
          placeholder={t("AGE-SECRET-KEY-1…")}
          onInput={onKeyInput}
        />
        <p className="hint">
          {rich("Or the <i>.json</i> file that Settings downloads.", { i: (inner) => <i>{inner}</i> })}{" "}
          <KeyFilePicker onRead={onKeyFile} />
        </p>
      </div>
    </DecryptForm>
  );
}
