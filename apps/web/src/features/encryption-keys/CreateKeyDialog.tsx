/** The master password goes straight to the worker, which makes, encrypts and checks the key. */
import type { KeyKind } from "@kauke/age";
import { Info } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { messageOf } from "../../api/api-error.ts";
import { useEncryptionKeyCalls } from "../../api/encryption-keys.ts";
import { Switch } from "../../ui/Controls.tsx";
import { FormDialog } from "../../ui/Dialog.tsx";
import { PasswordField, takePassword } from "../../ui/PasswordField.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useVaultJob, vaultFailureText } from "../../vault/use-vault-job.ts";
import { VaultProgress } from "../../vault/VaultProgress.tsx";
import { createKey, VaultError } from "../../vault/vault.ts";
import { KeyNameField, type NewKeyErrors, newKeyErrors, storingKey, useFocusFirstError } from "./KeyNameField.tsx";
import { type PasswordStrength, passwordStrength, strengthTexts } from "./password-strength.ts";

const failed = "Failed to create key";
const noReason = "The key could not be made. Please try again.";

function useCreation(onDone: () => void) {
  const job = useVaultJob();
  const { storeKey } = useEncryptionKeyCalls();
  const [isStoring, setIsStoring] = useState(false);
  const run = async (request: { keyName: string; masterPassword: string; kind: KeyKind }) => {
    try {
      const made = await job.run("Making the key and opening it again as a test.", (options) =>
        createKey(request, options),
      );
      if (made === null) return;
      setIsStoring(true);
      await storeKey({ keyName: request.keyName, ...made });
      showToast({
        title: "Key created",
        description: `${request.keyName} was created, and decrypted again as a test.`,
      });
      onDone();
    } catch (error) {
      const text = error instanceof VaultError ? vaultFailureText(error, noReason) : messageOf(error, noReason);
      showFailure(failed, text);
    } finally {
      setIsStoring(false);
    }
  };
  return { run, stop: job.stop, working: job.working, isBusy: job.working !== null || isStoring };
}

/** What is known of the typed password, which itself is never in state. */
function useNewPassword() {
  const password = useRef<HTMLInputElement>(null);
  const [isShown, setIsShown] = useState(false);
  const [strength, setStrength] = useState<PasswordStrength>("empty");
  return {
    password,
    isShown,
    strength,
    onShow: setIsShown,
    onInput: () => setStrength(passwordStrength(password.current?.value ?? "")),
    errorsWith: (keyName: string): NewKeyErrors =>
      newKeyErrors({ keyName, masterPassword: password.current?.value ?? "" }),
    take(): string {
      setIsShown(false);
      setStrength("empty");
      return takePassword(password);
    },
  };
}

function KindSwitch({ isChecked, onChange }: { isChecked: boolean; onChange: (isChecked: boolean) => void }) {
  return (
    <div className="setting">
      <div>
        <h3>Post-quantum</h3>
        <p>Resists attacks by quantum computers too. Encrypting to this key requires age 1.3 or newer.</p>
      </div>
      <Switch checked={isChecked} label="Post-quantum" onChange={onChange} />
    </div>
  );
}

interface MasterPasswordProps {
  typed: ReturnType<typeof useNewPassword>;
  error: string | undefined;
  onEdit: () => void;
}

/** One password field with a button that shows it, because the specification's form has no field to repeat it. */
function MasterPassword({ typed, error, onEdit }: MasterPasswordProps) {
  const onInput = () => {
    typed.onInput();
    onEdit();
  };
  return (
    <PasswordField
      label="Master password"
      fieldRef={typed.password}
      error={error}
      autoComplete="new-password"
      isShown={typed.isShown}
      onShow={typed.onShow}
      onInput={onInput}
      hint={<span className={`strength-${typed.strength}`}>{strengthTexts[typed.strength]}</span>}
    />
  );
}

export function CreateKeyDialog({ onClose }: { onClose: () => void }) {
  const formId = useId();
  const [keyName, setKeyName] = useState("");
  const [kind, setKind] = useState<KeyKind>("classic");
  const [errors, setErrors] = useState<NewKeyErrors>({});
  const focusFirstError = useFocusFirstError(formId);
  const typed = useNewPassword();
  const { run, working, isBusy } = useCreation(onClose);
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
    <FormDialog
      id={formId}
      title="Create key"
      description="A new AGE key pair. You can download it later with the master password."
      label="Create Key"
      pending={isBusy}
      pendingLabel="Creating..."
      canStop
      onSubmit={onSubmit}
      onClose={onClose}
    >
      {isBusy ? (
        <VaultProgress {...(working ?? storingKey)} />
      ) : (
        <>
          <KeyNameField
            value={keyName}
            error={errors.keyName}
            onEdit={(typedName) => {
              setKeyName(typedName);
              onEdit("keyName");
            }}
          />
          <MasterPassword typed={typed} error={errors.masterPassword} onEdit={() => onEdit("masterPassword")} />
          <KindSwitch
            isChecked={kind === "post-quantum"}
            onChange={(isChecked) => setKind(isChecked ? "post-quantum" : "classic")}
          />
        </>
      )}
      <div className="note note-plain">
        <Info className="i" aria-hidden />
        <div>Keep this password: it cannot be reset. Without it, nobody can open the private key.</div>
      </div>
    </FormDialog>
  );
}
