/** The master password goes straight to the worker, which makes, encrypts and checks the key. */
import type { KeyKind } from "@kauke/age";
import { Download, Info } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { useEncryptionKeyCalls } from "../../api/encryption-keys.ts";
import { messageOf } from "../../api/error-text.ts";
import { keepTabText, readTabText } from "../../drafts/tab-text.ts";
import { t } from "../../texts/texts.ts";
import { Switch } from "../../ui/Controls.tsx";
import { Dialog, DialogFooter } from "../../ui/Dialog.tsx";
import { saveFile } from "../../ui/files.ts";
import { PasswordField, takePassword } from "../../ui/PasswordField.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { useVaultJob, vaultFailureText } from "../../vault/use-vault-job.ts";
import { VaultProgress } from "../../vault/VaultProgress.tsx";
import { createKey, VaultError } from "../../vault/vault.ts";
import { keyFileName } from "./DownloadKeyDialog.tsx";
import {
  KeyNameField,
  type NewKeyErrors,
  newKeyErrors,
  RepeatField,
  storingKey,
  useFocusFirstError,
} from "./KeyNameField.tsx";
import { type PasswordStrength, passwordStrength, strengthTexts } from "./password-strength.ts";

const failed = t("Failed to create key");
const noReason = t("The key could not be made. Please try again.");

/** A stored key; its private half is encrypted with the master password. */
interface Created {
  keyName: string;
  encryptedPrivateKey: string;
}

function useCreation() {
  const [created, setCreated] = useState<Created | null>(null);
  const job = useVaultJob();
  const { storeKey } = useEncryptionKeyCalls();
  const [isStoring, setIsStoring] = useState(false);
  const run = async (request: { keyName: string; masterPassword: string; kind: KeyKind }) => {
    try {
      const made = await job.run(t("Making the key and opening it again as a test."), (options) =>
        createKey(request, options),
      );
      if (made === null) return;
      setIsStoring(true);
      await storeKey({ keyName: request.keyName, ...made });
      keepTabText("typed-key-name", "");
      setCreated({ keyName: request.keyName, encryptedPrivateKey: made.encryptedPrivateKey });
    } catch (error) {
      const text = error instanceof VaultError ? vaultFailureText(error, noReason) : messageOf(error, noReason);
      showFailure(failed, text);
    } finally {
      setIsStoring(false);
    }
  };
  return { run, created, working: job.working, isBusy: job.working !== null || isStoring };
}

/** What is known of the typed password, which itself is never in state. */
function useNewPassword() {
  const password = useRef<HTMLInputElement>(null);
  const repeated = useRef<HTMLInputElement>(null);
  const [isShown, setIsShown] = useState(false);
  const [strength, setStrength] = useState<PasswordStrength>("empty");
  return {
    password,
    repeated,
    isShown,
    strength,
    onShow: setIsShown,
    onInput: () => setStrength(passwordStrength(password.current?.value ?? "")),
    errorsWith: (keyName: string): NewKeyErrors =>
      newKeyErrors({
        keyName,
        masterPassword: password.current?.value ?? "",
        repeated: repeated.current?.value ?? null,
      }),
    take(): string {
      setIsShown(false);
      setStrength("empty");
      takePassword(repeated);
      return takePassword(password);
    },
  };
}

function KindSwitch({ isChecked, onChange }: { isChecked: boolean; onChange: (isChecked: boolean) => void }) {
  return (
    <div className="setting">
      <div>
        <h3>{t("Post-quantum")}</h3>
        <p>{t("Resists attacks by quantum computers too. Encrypting to this key requires age 1.3 or newer.")}</p>
      </div>
      <Switch checked={isChecked} label={t("Post-quantum")} onChange={onChange} />
    </div>
  );
}

interface MasterPasswordProps {
  typed: ReturnType<typeof useNewPassword>;
  errors: NewKeyErrors;
  onEdit: (field: keyof NewKeyErrors) => void;
}

function MasterPassword({ typed, errors, onEdit }: MasterPasswordProps) {
  const onInput = () => {
    typed.onInput();
    onEdit("masterPassword");
  };
  return (
    <>
      <PasswordField
        label={t("Master password")}
        fieldRef={typed.password}
        error={errors.masterPassword}
        autoComplete="new-password"
        isShown={typed.isShown}
        onShow={typed.onShow}
        onInput={onInput}
        hint={<span className={`strength-${typed.strength}`}>{strengthTexts[typed.strength]}</span>}
      />
      {typed.isShown ? null : (
        <RepeatField fieldRef={typed.repeated} error={errors.repeated} onInput={() => onEdit("repeated")} />
      )}
    </>
  );
}

const keepPassword = (
  <div className="note note-plain">
    <Info className="i" aria-hidden />
    <div>{t("Keep this password: it cannot be reset. Without it, nobody can open the private key.")}</div>
  </div>
);

function Backup({ created, onClose }: { created: Created; onClose: () => void }) {
  const fileName = keyFileName(created.keyName, "age");
  const [isSaved, setIsSaved] = useState(false);
  const onSave = () => {
    saveFile(fileName, created.encryptedPrivateKey);
    setIsSaved(true);
  };
  return (
    <>
      <div className="body">
        <p>
          {t(
            "Save a copy of the key on this device too. It is encrypted with your master password, and the age program opens it without us.",
          )}
        </p>
        {keepPassword}
        <p className="hint" role="status">
          {isSaved ? t("Saved as {fileName}.", { fileName }) : ""}
        </p>
      </div>
      <DialogFooter cancel={t("Done")} onCancel={onClose}>
        {/* The button that had the focus is gone with the form. */}
        <button type="button" className="btn btn-primary" autoFocus onClick={onSave}>
          <Download className="i" aria-hidden />
          {t("Download a backup")}
        </button>
      </DialogFooter>
    </>
  );
}

function CreateForm({ creation, onClose }: { creation: ReturnType<typeof useCreation>; onClose: () => void }) {
  const formId = useId();
  const [keyName, setKeyName] = useState(() => readTabText("typed-key-name"));
  const [kind, setKind] = useState<KeyKind>("classic");
  const [errors, setErrors] = useState<NewKeyErrors>({});
  const focusFirstError = useFocusFirstError(formId);
  const typed = useNewPassword();
  const { run, working, isBusy } = creation;
  const onEdit = (field: keyof NewKeyErrors) => setErrors((before) => ({ ...before, [field]: undefined }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isBusy) return;
    const found = typed.errorsWith(keyName);
    setErrors(found);
    if (Object.keys(found).length > 0) return focusFirstError();
    void run({ keyName: keyName.trim(), masterPassword: typed.take(), kind });
  };
  return (
    <form id={formId} className="contents" onSubmit={onSubmit} noValidate>
      <div className="body">
        {isBusy ? (
          <VaultProgress {...(working ?? storingKey)} />
        ) : (
          <>
            <KeyNameField
              value={keyName}
              error={errors.keyName}
              onEdit={(typedName) => {
                setKeyName(typedName);
                keepTabText("typed-key-name", typedName);
                onEdit("keyName");
              }}
            />
            <MasterPassword typed={typed} errors={errors} onEdit={onEdit} />
            <KindSwitch
              isChecked={kind === "post-quantum"}
              onChange={(isChecked) => setKind(isChecked ? "post-quantum" : "classic")}
            />
          </>
        )}
        {keepPassword}
      </div>
      <DialogFooter onCancel={onClose}>
        <SubmitButton className="btn-primary" pending={isBusy} pendingLabel={t("Creating...")}>
          {t("Create Key")}
        </SubmitButton>
      </DialogFooter>
    </form>
  );
}

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const creation = useCreation();
  const { created } = creation;
  return (
    <Dialog
      title={created === null ? t("Create key") : t("Key created")}
      description={
        created === null
          ? t("A new AGE key pair. You can download it later with the master password.")
          : t("{keyName} is ready: it was made here, and opened again as a test.", { keyName: created.keyName })
      }
      asks={t("The key's name is kept in this tab. A master password is stored nowhere: you would type it again.")}
      onClose={onClose}
    >
      {created === null ? (
        <CreateForm creation={creation} onClose={onClose} />
      ) : (
        <Backup created={created} onClose={onClose} />
      )}
    </Dialog>
  );
}
