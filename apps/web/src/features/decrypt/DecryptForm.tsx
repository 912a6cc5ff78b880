import { FileLock2, LockOpen, X } from "lucide-react";
import { type FormEvent, type ReactNode, type Ref, useId } from "react";
import { describedBy, FieldError, verbatim } from "../../ui/Field.tsx";
import { FilePicker } from "../../ui/FilePicker.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { fileSizeText } from "../../ui/text/time-text.ts";
import type { ChosenFile } from "./encrypted-file.ts";
import type { Decryption } from "./use-decrypt.ts";
import type { useEncrypted } from "./use-encrypted.ts";

/** Field for encrypted text, or a file dropped anywhere on the form. */
interface EncryptedFieldProps {
  chosen: ChosenFile | null;
  error: string | undefined;
  onFile: (file: File) => void;
  onTakeAway: () => void;
  onInput: () => void;
  ref: Ref<HTMLTextAreaElement>;
}

function EncryptedField({ chosen, error, onFile, onTakeAway, onInput, ref }: EncryptedFieldProps) {
  const id = useId();
  const errorId = `${id}-error`;
  return (
    <div className="field">
      <label htmlFor={id}>Encrypted Text</label>
      {chosen === null ? null : <FileChip {...chosen} onTakeAway={onTakeAway} />}
      <textarea
        ref={ref}
        id={id}
        className="input mono"
        rows={11}
        wrap="off"
        {...verbatim}
        placeholder="-----BEGIN AGE ENCRYPTED FILE-----"
        hidden={chosen !== null}
        {...describedBy(errorId, error)}
        onInput={onInput}
      />
      <FieldError id={errorId}>{error}</FieldError>
      <p className="hint">
        Or drop a file here: <i>.age</i>, <i>message.eml.age</i>, up to 40 MB.{" "}
        <FilePicker label="Encrypted file" onFile={onFile}>
          {(open) => (
            <button type="button" className="link" onClick={open}>
              Choose a file
            </button>
          )}
        </FilePicker>
      </p>
    </div>
  );
}

function FileChip({ file, onTakeAway }: ChosenFile & { onTakeAway: () => void }) {
  return (
    <div className="file-chip">
      <FileLock2 className="i" aria-hidden />
      <span className="name">{file.name}</span>
      <span className="size">{fileSizeText(file.size)}</span>
      <button type="button" className="icon-btn" aria-label={`Take ${file.name} away`} onClick={onTakeAway}>
        <X className="i" aria-hidden />
      </button>
    </div>
  );
}

interface Props {
  className: string;
  label: string;
  encrypted: ReturnType<typeof useEncrypted>;
  decryption: Decryption;
  onSubmit: (event: FormEvent) => Promise<void>;
  children: ReactNode;
}

export function DecryptForm({ className, label, encrypted, decryption, onSubmit, children }: Props) {
  return (
    <form
      className={className}
      aria-label={label}
      noValidate
      onSubmit={(event) => void onSubmit(event)}
      {...encrypted.drop}
    >
      {children}
      <EncryptedField {...encrypted.field} />
      <SubmitButton className="btn-primary" pending={decryption.working !== null} pendingLabel="Decrypting...">
        <LockOpen className="i" aria-hidden />
        Decrypt Message
      </SubmitButton>
    </form>
  );
}
