/** Neither key nor password is in state; a refused key stays in its field for corrections. */
import { type EncryptionKeyWire, isArmored } from "@kauke/contract";
import { Info } from "lucide-react";
import { type FormEvent, type ReactNode, type RefObject, useId, useRef, useState } from "react";
import { useEncryptionKeyCalls } from "../../api/encryption-keys.ts";
import { messageOf } from "../../api/error-text.ts";
import { rich, t } from "../../texts/texts.ts";
import { FormDialog } from "../../ui/Dialog.tsx";
import { KeyFilePicker, KeyTextarea, noKeyFile, useEmptyOnLeaving } from "../../ui/KeyInput.tsx";
import { PasswordField, takePassword } from "../../ui/PasswordField.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useVaultJob, vaultFailureText, wrongPassword } from "../../vault/use-vault-job.ts";
import { VaultProgress } from "../../vault/VaultProgress.tsx";
import { importKey, readKey, VaultError } from "../../vault/vault.ts";
import { duplicateText, importProblem, keyRequired, unreadableText } from "./import-failure.ts";
import { KeyNameField, newKeyErrors, RepeatField, storingKey, useFocusFirstError } from "./KeyNameField.tsx";

const failed = t("Failed to import key");
const noReason = t("The key could not be imported. Please try again.");

interface Errors {
  text?: string;
  keyName?: string;
  masterPassword?: string;
  repeated?: string;
}

interface ImportRequest {
  text: string;
  keyName: string;
  masterPassword: string;
}

/** @returns `run` resolves to field errors: `{}` on success or after a toast */
function useImport(keys: readonly EncryptionKeyWire[], onDone: () => void) {
  const job = useVaultJob();
  const { storeKey } = useEncryptionKeyCalls();
  const [isStoring, setIsStoring] = useState(false);
  const importRecognized = async (request: ImportRequest): Promise<Errors> => {
    const made = await job.run(t("Locking the key and opening it again as a test."), (options) =>
      importKey(request, options),
    );
    if (made === null) return {};
    const duplicate = duplicateText(made.publicKey, keys);
    if (duplicate !== null) return { text: duplicate };
    setIsStoring(true);
    await storeKey({ keyName: request.keyName, ...made });
    showToast({ title: t("Key imported"), description: request.keyName });
    onDone();
    return {};
  };
  const run = async (request: ImportRequest): Promise<Errors> => {
    try {
      const problem = importProblem(await readKey({ text: request.text }), keys);
      return problem === null ? await importRecognized(request) : { text: problem };
    } catch (error) {
      const unreadable = unreadableText(error);
      if (unreadable !== null) return { text: unreadable };
      const text = error instanceof VaultError ? vaultFailureText(error, noReason) : messageOf(error, noReason);
      if (text === wrongPassword) return { masterPassword: text };
      showFailure(failed, text);
      return {};
    } finally {
      setIsStoring(false);
    }
  };
  return { run, stop: job.stop, working: job.working, isBusy: job.working !== null || isStoring };
}

interface KeyFieldProps {
  fieldRef: RefObject<HTMLTextAreaElement | null>;
  error: string | undefined;
  onInput: () => void;
  onFile: (text: string | null) => void;
}

function KeyField({ fieldRef, error, onInput, onFile }: KeyFieldProps) {
  const id = useId();
  useEmptyOnLeaving(fieldRef);
  return (
    <div className="field">
      <label htmlFor={id}>{t("Private key")}</label>
      <KeyTextarea
        ref={fieldRef}
        id={id}
        data-secret
        error={error}
        rows={3}
        placeholder={t("AGE-SECRET-KEY-1…")}
        onInput={onInput}
      />
      <p className="hint">
        {rich("Or a file of <i>age-keygen</i>, or one that Settings has downloaded.", { i: (inner) => <i>{inner}</i> })}{" "}
        <KeyFilePicker onRead={onFile} />
      </p>
    </div>
  );
}

function Hint({ isLocked }: { isLocked: boolean }): ReactNode {
  return isLocked
    ? t("This file has a password. Give that one: it stays the key's master password.")
    : t("A new one, for the key as it is stored here.");
}

export function ImportKeyDialog({ keys, onClose }: { keys: readonly EncryptionKeyWire[]; onClose: () => void }) {
  const formId = useId();
  const keyField = useRef<HTMLTextAreaElement>(null);
  const password = useRef<HTMLInputElement>(null);
  const repeated = useRef<HTMLInputElement>(null);
  const [keyName, setKeyName] = useState("");
  const [errors, setErrors] = useState<Errors>({});
  const [isShown, setIsShown] = useState(false);
  const [isLocked, setIsLocked] = useState(false);
  const focusFirstError = useFocusFirstError(formId);
  const { run, working, isBusy } = useImport(keys, onClose);
  const clear = (field: keyof Errors) => setErrors((before) => ({ ...before, [field]: undefined }));
  const refuse = (found: Errors) => {
    setErrors(found);
    if (Object.values(found).some((message) => message !== undefined)) focusFirstError();
  };
  const onFile = async (text: string | null) => {
    if (text === null || keyField.current === null) return refuse({ text: noKeyFile });
    keyField.current.value = text;
    clear("text");
    try {
      const read = await readKey({ text });
      setIsLocked(read.kind === "locked");
      if (read.kind === "key") setKeyName((typed) => (typed === "" ? (read.keyName ?? "") : typed));
      refuse({ text: importProblem(read, keys) ?? undefined });
    } catch (error) {
      refuse({ text: unreadableText(error) ?? noReason });
    }
  };
  const onSubmit = async (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const request = {
      text: keyField.current?.value ?? "",
      keyName: keyName.trim(),
      masterPassword: password.current?.value ?? "",
    };
    const typed = { ...request, repeated: repeated.current?.value ?? null };
    const found: Errors = { ...newKeyErrors(typed), ...(request.text.trim() === "" && { text: keyRequired }) };
    if (Object.keys(found).length > 0) return refuse(found);
    setErrors({});
    setIsShown(false);
    takePassword(password);
    takePassword(repeated);
    refuse(await run(request));
  };
  return (
    <FormDialog
      asks={t("A private key and a master password are stored nowhere: you would enter them again.")}
      id={formId}
      title={t("Import key")}
      description={t(
        "A private key you already have. It is encrypted in this browser; only its protected form is stored.",
      )}
      label={t("Import Key")}
      pending={isBusy}
      pendingLabel={t("Importing...")}
      canStop
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {isBusy ? <VaultProgress {...(working ?? storingKey)} /> : null}
      {/* The fields are hidden, not unmounted, so that a refused key can be corrected. */}
      <div className="import-fields" hidden={isBusy}>
        <KeyField
          fieldRef={keyField}
          error={errors.text}
          onInput={() => {
            setIsLocked(isArmored(keyField.current?.value ?? ""));
            clear("text");
          }}
          onFile={(text) => void onFile(text)}
        />
        <KeyNameField
          value={keyName}
          error={errors.keyName}
          onEdit={(typed) => {
            setKeyName(typed);
            clear("keyName");
          }}
        />
        <PasswordField
          label={t("Master password")}
          fieldRef={password}
          error={errors.masterPassword}
          autoComplete={isLocked ? "current-password" : "new-password"}
          isShown={isShown}
          onShow={setIsShown}
          onInput={() => clear("masterPassword")}
          hint={<Hint isLocked={isLocked} />}
        />
        {isShown || isLocked ? null : (
          <RepeatField fieldRef={repeated} error={errors.repeated} onInput={() => clear("repeated")} />
        )}
      </div>
      <div className="note note-plain">
        <Info className="i" aria-hidden />
        <div>
          {t("Keep this password: it cannot be reset. Without it, nobody can open the key as it is stored here.")}
        </div>
      </div>
    </FormDialog>
  );
}
