/** The server sends the private key encrypted; the browser decrypts it with the master password. */
import { type EncryptionKeyWire, encryptionMessages } from "@kauke/contract";
import { type FormEvent, useRef, useState } from "react";
import { readProtectedKey } from "../../api/encryption-keys.ts";
import { Select } from "../../ui/Controls.tsx";
import { describedBy, FieldError, TextField } from "../../ui/Field.tsx";
import { readStoredKeyForm, VaultError } from "../../vault/vault.ts";
import { DecryptForm } from "./DecryptForm.tsx";
import { openEncrypted } from "./open-encrypted.ts";
import type { Decryption } from "./use-decrypt.ts";
import { useEncrypted } from "./use-encrypted.ts";

const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

function keyLabel({ keyName, createdAt }: Pick<EncryptionKeyWire, "keyName" | "createdAt">): string {
  return `${keyName}, created ${day.format(new Date(createdAt))}`;
}

async function readUsableKey(keyId: string): Promise<string> {
  const encryptedPrivateKey = await readProtectedKey(keyId);
  const form = await readStoredKeyForm(encryptedPrivateKey);
  if (form !== "protected") throw new VaultError(form === "unprotected" ? "unprotected_key" : "not_protected_key");
  return encryptedPrivateKey;
}

interface Props {
  keys: readonly EncryptionKeyWire[];
  decryption: Decryption;
}

interface Errors {
  key?: string;
  password?: string;
}

function useAutoForm({ decryption }: Props) {
  const keyField = useRef<HTMLSelectElement>(null);
  const passwordField = useRef<HTMLInputElement>(null);
  const encrypted = useEncrypted();
  const [errors, setErrors] = useState<Errors>({});
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    const keyId = keyField.current?.value ?? "";
    const masterPassword = passwordField.current?.value ?? "";
    const found: Errors = {};
    if (keyId === "") found.key = encryptionMessages.keyRequired;
    if (masterPassword.trim() === "") found.password = encryptionMessages.decryptPasswordRequired;
    const what = encrypted.read();
    setErrors(found);
    if (found.key !== undefined) return keyField.current?.focus();
    if (found.password !== undefined) return passwordField.current?.focus();
    if (what === null) return encrypted.focus();
    // From this point on only the worker has the master password.
    if (passwordField.current) passwordField.current.value = "";
    const failure = await decryption.run("auto", async (options) => {
      const encryptedPrivateKey = await readUsableKey(keyId);
      return openEncrypted(what, { encryptedPrivateKey, masterPassword }, options);
    });
    if (failure?.field !== "password") return;
    setErrors({ password: failure.message });
    passwordField.current?.focus();
  };
  const settle = (field: keyof Errors) => () => setErrors((before) => ({ ...before, [field]: undefined }));
  return { keyField, passwordField, encrypted, errors, settle, onSubmit };
}

export function AutoForm(props: Props) {
  const { keyField, passwordField, encrypted, errors, settle, onSubmit } = useAutoForm(props);
  const { keys, decryption } = props;
  return (
    <DecryptForm className="auto" label="Auto Decrypt" {...{ encrypted, decryption, onSubmit }}>
      <div className="field">
        <label htmlFor="decryption-key">Decryption Key</label>
        <Select
          id="decryption-key"
          ref={keyField}
          defaultValue={keys.find((key) => key.isDefault)?.id ?? keys[0]?.id}
          {...describedBy("decryption-key-error", errors.key)}
          options={keys.map((key) => [key.id, keyLabel(key)])}
          onChange={settle("key")}
        />
        <FieldError id="decryption-key-error">{errors.key}</FieldError>
      </div>
      <TextField
        ref={passwordField}
        label="Master Password"
        type="password"
        autoComplete="off"
        error={errors.password}
        onInput={settle("password")}
      />
    </DecryptForm>
  );
}
