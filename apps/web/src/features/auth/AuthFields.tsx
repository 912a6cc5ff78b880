import { limits } from "@kauke/contract";
import type { ComponentProps } from "react";
import type { UseFormRegisterReturn } from "react-hook-form";
import { TextField } from "../../ui/Field.tsx";

interface Half {
  field: UseFormRegisterReturn;
  error: string | undefined;
}

interface Props {
  /** Label of the first field, e.g. `New password`; the second field is labelled `Confirm new password`. */
  label: string;
  password: Half;
  confirm: Half;
}

/** Fields for a new password, typed twice. */
export function NewPasswordFields({ label, password, confirm }: Props) {
  const hidden = { type: "password", autoComplete: "new-password" } as const;
  return (
    <>
      <TextField
        label={label}
        aside={<span className="opt">{limits.passwordMin} characters or more</span>}
        {...hidden}
        error={password.error}
        {...password.field}
      />
      <TextField label={`Confirm ${label.toLowerCase()}`} {...hidden} error={confirm.error} {...confirm.field} />
    </>
  );
}

type EmailFieldProps = Omit<ComponentProps<typeof TextField>, "label" | "type" | "autoComplete"> & { label?: string };

/** Field for the user's own e-mail address, which browsers fill in. */
export function EmailField({ label = "Email", ...props }: EmailFieldProps) {
  return <TextField label={label} type="email" autoComplete="email" {...props} />;
}
