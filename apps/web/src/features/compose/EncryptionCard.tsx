import { emailJobMessages } from "@kauke/contract";
import { CircleAlert, Info, Lock } from "lucide-react";
import { type RefObject, useCallback, useEffect, useId, useState } from "react";
import { Link } from "wouter";
import { Switch } from "../../ui/Controls.tsx";
import { KeyTextarea } from "../../ui/KeyInput.tsx";
import { isValidPublicKey } from "../../vault/vault.ts";
import { cleanPublicKey } from "./encrypt-message.ts";

/** Milliseconds without typing before a public key is checked. */
const TYPING_PAUSE_MS = 600;

export interface MessageEncryption {
  isOn: boolean;
  publicKey: string;
  keyError: string | undefined;
  failure: string | undefined;
}

export const noEncryption: MessageEncryption = { isOn: false, publicKey: "", keyError: undefined, failure: undefined };

interface Props {
  encryption: MessageEncryption;
  onChange: (change: Partial<MessageEncryption>) => void;
  keyField: RefObject<HTMLTextAreaElement | null>;
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

function KeyField({ encryption, onChange, keyField }: Props) {
  const id = useId();
  const { publicKey, keyError } = encryption;
  const showKeyError = useCallback(
    (isValid: boolean) => onChange({ keyError: isValid ? undefined : emailJobMessages.publicKeyInvalid }),
    [onChange],
  );
  const isKey = useKeyCheck(publicKey, showKeyError);
  return (
    <div className="field">
      <label htmlFor={id}>
        <span>Recipient's Public Key</span>
        <span className="opt" role="status">
          {isKey === true ? keyKindText(publicKey) : ""}
        </span>
      </label>
      <KeyTextarea
        ref={keyField}
        id={id}
        error={keyError}
        rows={3}
        placeholder="age1…"
        value={publicKey}
        onChange={({ target }) => onChange({ publicKey: target.value, keyError: undefined, failure: undefined })}
      />
    </div>
  );
}

const keyKindText = (publicKey: string): string =>
  /age1(?:tag)?pq1/.test(publicKey) ? "Post-quantum key" : "Valid key";

export function EncryptionCard({ encryption, onChange, keyField }: Props) {
  const { isOn, failure } = encryption;
  return (
    <div className="card">
      <div className="e2e">
        <div className="switch-row">
          <span>
            <Lock className="i" aria-hidden />
            Enable End-to-End Encryption
          </span>
          <Switch
            checked={isOn}
            label="Enable End-to-End Encryption"
            onChange={(to) => onChange({ isOn: to, failure: undefined })}
          />
        </div>
        {isOn ? (
          <>
            <KeyField encryption={encryption} onChange={onChange} keyField={keyField} />
            {failure === undefined ? null : (
              <div className="note note-danger" role="alert">
                <CircleAlert className="i" aria-hidden />
                <div>
                  <b>Not sent</b>
                  <br />
                  {failure}
                </div>
              </div>
            )}
            <div className="note note-plain">
              <Info className="i" aria-hidden />
              <div>
                <b>Encryption Notice</b>
                <br />
                This e-mail is AGE-encrypted. Only the recipient's private key decrypts it. The subject and the
                addresses are not encrypted. You can{" "}
                <Link className="link" href="/settings">
                  generate keys in Settings
                </Link>
                .
              </div>
            </div>
          </>
        ) : null}
      </div>
    </div>
  );
}
