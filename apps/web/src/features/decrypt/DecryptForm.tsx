import { FileLock2, LockOpen, X } from "lucide-react";
import { type ClipboardEvent, type FormEvent, type ReactNode, useId } from "react";
import { rich, t } from "../../texts/texts.ts";
import { describedBy, FieldError, verbatim } from "../../ui/Field.tsx";
import { FilePicker } from "../../ui/FilePicker.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { fileSizeText } from "../../ui/text/time-text.ts";
import { useListFocus } from "../../ui/use-list-focus.ts";
import type { Decryption } from "./use-decrypt.ts";
import type { EncryptedInput } from "./use-encrypted.ts";

/** Field for encrypted text, or files dropped anywhere on the page. */
function EncryptedField({ encrypted, id }: { encrypted: EncryptedInput; id: string }) {
  const { text, chosen, error, onText, onFiles, onTakeAway } = encrypted;
  const errorId = `${id}-error`;
  const hasFiles = chosen.length > 0;
  // The field is shown again when the last file is gone.
  const listFocus = useListFocus(() => document.getElementById(id));
  return (
    <div className="field encrypted">
      <label htmlFor={id}>{t("Encrypted Text")}</label>
      {hasFiles ? (
        <ul className="file-chips" {...listFocus}>
          {chosen.map(({ file }, index) => (
            // Keyed by index: names may be equal.
            <li key={index} className="file-chip">
              <FileLock2 className="i" aria-hidden />
              <span className="name">{file.name}</span>
              <span className="size">{fileSizeText(file.size)}</span>
              <button
                type="button"
                className="icon-btn"
                aria-label={t("Take {name} away", { name: file.name })}
                onClick={() => onTakeAway(index)}
              >
                <X className="i" aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      ) : null}
      <textarea
        id={id}
        className="input mono"
        rows={11}
        wrap="off"
        {...verbatim}
        placeholder="-----BEGIN AGE ENCRYPTED FILE-----"
        hidden={hasFiles}
        {...describedBy(errorId, error)}
        value={text}
        onChange={(event) => onText(event.target.value)}
      />
      <FieldError id={errorId}>{error}</FieldError>
      <p className="hint">
        {rich("Or drop files on any page: <i>.age</i>, <i>.eml</i>, up to 40 MB.", {
          i: (ending) => <i key={ending}>{ending}</i>,
        })}{" "}
        <FilePicker label={t("Encrypted file")} onFiles={onFiles}>
          {(open) => (
            <button type="button" className="link" onClick={open}>
              {t("Choose files")}
            </button>
          )}
        </FilePicker>
      </p>
    </div>
  );
}

interface Props {
  className: string;
  label: string;
  encrypted: EncryptedInput;
  decryption: Decryption;
  /** The keys are loading. */
  isLoading?: boolean;
  /** @param focusText focuses the encrypted text, which is missing */
  onSubmit: (focusText: () => void) => Promise<void>;
  children: ReactNode;
}

export function DecryptForm(props: Props) {
  const { className, label, encrypted, decryption, isLoading = false, onSubmit, children } = props;
  const id = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void onSubmit(() => document.getElementById(id)?.focus());
  };
  const onPaste = (event: ClipboardEvent) => {
    const files = [...event.clipboardData.files];
    if (files.length === 0) return;
    event.preventDefault();
    encrypted.onFiles(files);
  };
  return (
    <form className={className} aria-label={label} noValidate onSubmit={submit} onPaste={onPaste} {...encrypted.drop}>
      <EncryptedField encrypted={encrypted} id={id} />
      {children}
      <SubmitButton
        className="btn-primary"
        pending={decryption.working !== null}
        pendingLabel={t("Decrypting...")}
        disabled={isLoading}
      >
        <LockOpen className="i" aria-hidden />
        {t("Decrypt Message")}
      </SubmitButton>
    </form>
  );
}
