/** The parts that both ways to decrypt have: the form, the field for what is encrypted, and the button. */
import { LockOpen } from "lucide-react";
import type { FormEvent, ReactNode } from "react";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { EncryptedField } from "./EncryptedField.tsx";
import type { Decryption } from "./use-decrypt.ts";
import type { useEncrypted } from "./use-encrypted.ts";

interface Props {
  className: string;
  /** Accessible name of the form. */
  label: string;
  encrypted: ReturnType<typeof useEncrypted>;
  decryption: Decryption;
  onSubmit: (event: FormEvent) => Promise<void>;
  /** Fields that say what decrypts: a stored key and its password, or a private key. */
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
