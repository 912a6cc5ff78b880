/** A state line with the switch; the recipients' keys open from it. */
import { emailJobMessages } from "@kauke/contract";
import { CircleAlert, Info, Lock, LockOpen } from "lucide-react";
import { useCallback, useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { useEncryptionKeys } from "../../api/encryption-keys.ts";
import { said } from "../../texts/said.ts";
import { rich, t } from "../../texts/texts.ts";
import { Switch } from "../../ui/Controls.tsx";
import { KeyTextarea } from "../../ui/KeyInput.tsx";
import { isValidPublicKey } from "../../vault/vault.ts";
import { cleanPublicKey } from "./encrypt-letter.ts";
import { encryptionState, type KeyTarget } from "./keys.ts";

/** Milliseconds without typing before a public key is checked. */
const TYPING_PAUSE_MS = 600;

/** What is wrong with a key, by address. */
export type KeyErrors = Readonly<Record<string, string | undefined>>;

interface Props {
  isOn: boolean;
  targets: readonly KeyTarget[];
  keyErrors: KeyErrors;
  /** Why this browser can't encrypt. */
  failure: string | undefined;
  onSwitch: (isOn: boolean) => void;
  onKey: (address: string, publicKey: string) => void;
  onKeyError: (address: string, error: string | undefined) => void;
}

/** Checks a typed public key; `null` before the check has run. @param onResult must be a stable function */
function useKeyCheck(publicKey: string, onResult: (isKey: boolean) => void): boolean | null {
  const [checked, setChecked] = useState<{ text: string; isKey: boolean } | null>(null);
  useEffect(() => {
    if (publicKey.trim() === "") return;
    let isStale = false;
    const timer = setTimeout(() => {
      void (async () => {
        const isKey = await cleanPublicKey(publicKey).then(isValidPublicKey, () => false);
        if (isStale) return;
        setChecked({ text: publicKey, isKey });
        onResult(isKey);
      })();
    }, TYPING_PAUSE_MS);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [publicKey, onResult]);
  return checked?.text === publicKey ? checked.isKey : null;
}

const keyKindText = (publicKey: string): string =>
  /age1(?:tag)?pq1/.test(publicKey) ? t("Post-quantum key") : t("Valid key");

interface KeyFieldProps extends Pick<Props, "keyErrors" | "onKey" | "onKeyError"> {
  target: KeyTarget;
  isOnly: boolean;
}

function KeyField({ target: { address, publicKey, isKnown }, isOnly, keyErrors, onKey, onKeyError }: KeyFieldProps) {
  const id = useId();
  const { data: ownKeys = [] } = useEncryptionKeys();
  const own = ownKeys.find(({ isDefault }) => isDefault) ?? ownKeys[0];
  const showKeyError = useCallback(
    (isValid: boolean) => onKeyError(address, isValid ? undefined : emailJobMessages.publicKeyInvalid),
    [onKeyError, address],
  );
  const isKey = useKeyCheck(publicKey, showKeyError);
  const takeOwn = (ownKey: string) => {
    onKey(address, ownKey);
    document.getElementById(id)?.focus();
  };
  return (
    <div className="field">
      <label htmlFor={id}>
        <span>{isOnly ? t("Recipient's Public Key") : t("Recipient's Public Key for {address}", { address })}</span>
        <span className="opt" role="status">
          {isKey === true ? `${isKnown ? `${t("Remembered")} · ` : ""}${keyKindText(publicKey)}` : ""}
        </span>
      </label>
      <KeyTextarea
        id={id}
        error={keyErrors[address]}
        rows={3}
        placeholder="age1…"
        value={publicKey}
        onChange={({ target }) => onKey(address, target.value)}
      />
      {own === undefined || publicKey !== "" ? null : (
        <button type="button" className="link use-mine" onClick={() => takeOwn(own.publicKey)}>
          {t("Use my key")}
        </button>
      )}
    </div>
  );
}

function Failure({ text }: { text: string }) {
  return (
    <div className="note note-danger" role="alert">
      <CircleAlert className="i" aria-hidden />
      <div>
        <b>{t("Not sent")}</b>
        <br />
        {said(text)}
      </div>
    </div>
  );
}

function Notice() {
  return (
    <div className="note note-plain">
      <Info className="i" aria-hidden />
      <div>
        {rich(
          "<b>Encryption Notice</b>{br}This e-mail is AGE-encrypted. Only the recipient's private key decrypts it. The subject and the addresses are not encrypted. You can <link>generate keys in Settings</link>.",
          {
            br: <br />,
            b: (inner) => <b>{inner}</b>,
            link: (inner) => (
              <Link className="link" href="/settings">
                {inner}
              </Link>
            ),
          },
        )}
      </div>
    </div>
  );
}

export function EncryptionSection(props: Props) {
  const { isOn, targets, keyErrors, failure, onSwitch, onKey, onKeyError } = props;
  const id = useId();
  const Icon = isOn ? Lock : LockOpen;
  return (
    <div className="e2e">
      <div className="switch-row">
        <Switch checked={isOn} label={t("Enable End-to-End Encryption")} onChange={onSwitch} />
        <span>
          {t("Enable End-to-End Encryption")}
          <small role="status">
            <Icon className="i" aria-hidden />
            {encryptionState({ isEncrypted: isOn }, targets)}
          </small>
        </span>
      </div>
      {isOn ? (
        <div className="keys" id={id}>
          {targets.map((target) => (
            <KeyField
              key={targets.length === 1 ? "" : target.address}
              target={target}
              isOnly={targets.length === 1}
              {...{ keyErrors, onKey, onKeyError }}
            />
          ))}
          {failure === undefined ? null : <Failure text={failure} />}
          <Notice />
        </div>
      ) : null}
    </div>
  );
}
