/** The encrypted file is as stored and needs no password; for the unencrypted one the vault decrypts the key. */
import { type DownloadedKey, type EncryptionKeyWire, encryptionMessages } from "@kauke/contract";
import { TriangleAlert } from "lucide-react";
import { type FormEvent, type RefObject, useEffect, useId, useRef, useState } from "react";
import { readProtectedKey } from "../../api/encryption-keys.ts";
import { t } from "../../texts/texts.ts";
import { FormDialog } from "../../ui/Dialog.tsx";
import { saveFile } from "../../ui/files.ts";
import { PasswordField, takePassword } from "../../ui/PasswordField.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useVaultJob, vaultFailureText, wrongPassword } from "../../vault/use-vault-job.ts";
import { VaultProgress } from "../../vault/VaultProgress.tsx";
import { type JobOptions, openKey, VaultError } from "../../vault/vault.ts";

type Form = "protected" | "plain";

async function saveProtected({ id, keyName }: EncryptionKeyWire, { signal }: JobOptions): Promise<string> {
  const text = await readProtectedKey(id);
  const fileName = keyFileName(keyName, "age");
  if (!signal?.aborted) saveFile(fileName, text);
  return fileName;
}

async function savePlain(key: EncryptionKeyWire, masterPassword: string, options: JobOptions): Promise<string> {
  const encryptedPrivateKey = await readProtectedKey(key.id);
  const { publicKey, privateKey } = await openKey({ encryptedPrivateKey, masterPassword }, options);
  if (publicKey !== key.publicKey) throw new VaultError("malformed");
  const fileName = keyFileName(key.keyName, "json");
  if (!options.signal?.aborted) saveFile(fileName, keyFileJson({ ...key, privateKey }));
  return fileName;
}

function useDownload(key: EncryptionKeyWire, onDone: () => void) {
  const job = useVaultJob();
  /** @returns the error's text if the password is at fault */
  const run = async (form: Form, masterPassword: string): Promise<string | undefined> => {
    const doing = form === "protected" ? t("Fetching the key.") : t("Opening the key in this browser.");
    try {
      const fileName = await job.run(doing, (options) =>
        form === "protected" ? saveProtected(key, options) : savePlain(key, masterPassword, options),
      );
      if (fileName === null) return;
      showToast({ title: t("Key downloaded"), description: fileName });
      onDone();
    } catch (error) {
      const text = vaultFailureText(error, t("The stored key is damaged and could not be opened."));
      showFailure(t("Download failed"), text);
      return text === wrongPassword ? text : undefined;
    }
  };
  return { run, working: job.working };
}

interface ChoiceProps {
  group: string;
  value: Form;
  chosen: Form;
  title: string;
  tag?: string;
  text: string;
  onChoose: (form: Form) => void;
}

function Choice({ group, value, chosen, title, tag, text, onChoose }: ChoiceProps) {
  return (
    <label className="choice">
      <input type="radio" name={group} checked={chosen === value} onChange={() => onChoose(value)} />
      <span>
        <b>{title}</b>
        {tag === undefined ? null : <span className="tag">{tag}</span>}
        <span>{text}</span>
      </span>
    </label>
  );
}

function FormChoice({ chosen, onChoose }: { chosen: Form; onChoose: (form: Form) => void }) {
  const group = useId();
  return (
    <fieldset className="choices">
      <legend className="sr">{t("File")}</legend>
      <Choice
        {...{ group, chosen, onChoose }}
        value="protected"
        title={t("Protected file, .age")}
        tag={t("safer")}
        text={t("Encrypted, as it is stored here. The age program opens it with your password, without us.")}
      />
      <Choice
        {...{ group, chosen, onChoose }}
        value="plain"
        title={t("Private key, .json")}
        text={t("Not encrypted: the private key as plain text, for other programs.")}
      />
    </fieldset>
  );
}

interface UnlockingProps {
  field: RefObject<HTMLInputElement | null>;
  error: string | undefined;
  onInput: () => void;
}

function Unlocking({ field, error, onInput }: UnlockingProps) {
  const [isShown, setIsShown] = useState(false);
  return (
    <>
      <PasswordField
        label={t("Master password")}
        fieldRef={field}
        error={error}
        autoComplete="current-password"
        isShown={isShown}
        onShow={setIsShown}
        onInput={onInput}
      />
      <div className="note">
        <TriangleAlert className="i" aria-hidden />
        <div>{t("Whoever gets this file can read what is encrypted to this key. Keep it offline.")}</div>
      </div>
    </>
  );
}

interface Props {
  encryptionKey: EncryptionKeyWire;
  onClose: () => void;
}

export function DownloadKeyDialog({ encryptionKey, onClose }: Props) {
  const [form, setForm] = useState<Form>("protected");
  const [error, setError] = useState<string>();
  const field = useRef<HTMLInputElement>(null);
  const { run, working } = useDownload(encryptionKey, onClose);
  // The password field mounts only after the form has replaced the progress view.
  useEffect(() => {
    if (error !== undefined && working === null) field.current?.focus();
  }, [error, working]);
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (working !== null) return;
    const isMissing = form === "plain" && (field.current?.value ?? "").trim() === "";
    setError(isMissing ? encryptionMessages.passwordRequired : undefined);
    if (isMissing) return;
    setError(await run(form, takePassword(field)));
  };
  return (
    <FormDialog
      title={t("Download key")}
      description={t("{keyName}, as a file on this device.", { keyName: encryptionKey.keyName })}
      label={t("Download")}
      pending={working !== null}
      pendingLabel={t("Downloading...")}
      canStop
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {working === null ? (
        <>
          <FormChoice chosen={form} onChoose={setForm} />
          {form === "plain" ? <Unlocking field={field} error={error} onInput={() => setError(undefined)} /> : null}
        </>
      ) : (
        <VaultProgress {...working} />
      )}
    </FormDialog>
  );
}

/** Maximum characters of a file name: fits any file system's limit in bytes, even at three bytes a character. */
const NAME_MAX = 80;
/** Names of devices on Windows, with any extension. */
const reserved = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i;
/** Characters that are replaced in a file name; bidirectional marks could disguise the extension. */
const forbidden = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}/\\:*?"<>|]+/gu;

/** @example keyFileName("Work / 2026", "age") // "Work - 2026.age" */
export function keyFileName(keyName: string, ending: "age" | "json"): string {
  const cleaned = keyName.replace(forbidden, "-").replace(/^[\s.-]+|[\s.-]+$/g, "");
  const name = [...cleaned].slice(0, NAME_MAX).join("").trimEnd() || "encryption-key";
  return `${reserved.test(name) ? `key-${name}` : name}.${ending}`;
}

/** The file has exactly the five fields that the specification names. */
export function keyFileJson({ keyName, publicKey, privateKey, createdAt, isDefault }: DownloadedKey): string {
  return `${JSON.stringify({ keyName, publicKey, privateKey, createdAt, isDefault }, null, 2)}\n`;
}
