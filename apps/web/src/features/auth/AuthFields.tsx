import { limits } from "@kauke/contract";
import type { ComponentProps } from "react";
import type { FieldValues, Path, UseFormReturn } from "react-hook-form";
import { t } from "../../texts/texts.ts";
import { TextField } from "../../ui/Field.tsx";

type Props = Omit<ComponentProps<typeof TextField>, "label" | "type" | "autoComplete"> & { label?: string };

export function EmailField({ label = t("Email"), ...props }: Props) {
  return <TextField label={label} type="email" autoComplete="email" {...props} />;
}

export function CurrentPasswordField({ label = t("Password"), ...props }: Props) {
  return <TextField label={label} type="password" autoComplete="current-password" {...props} />;
}

/** Hidden field with the user name, for password managers. */
export function HiddenUsername({ email }: { email: string }) {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}

interface NewPasswordProps<Values extends FieldValues & { confirmPassword: string }, Sent> {
  /** Whether the account gets another password, instead of its first one. */
  isChange?: boolean;
  form: UseFormReturn<Values, unknown, Sent>;
  name: Path<Values>;
}

export function NewPasswordFields<Values extends FieldValues & { confirmPassword: string }, Sent>({
  isChange = false,
  form,
  name,
}: NewPasswordProps<Values, Sent>) {
  const again = "confirmPassword" as Path<Values>;
  const hidden = { type: "password", autoComplete: "new-password" } as const;
  const errorOf = (field: Path<Values>) => form.getFieldState(field, form.formState).error?.message;
  return (
    <>
      <TextField
        label={isChange ? t("New password") : t("Password")}
        aside={
          <span className="opt">{t("{passwordMin} characters or more", { passwordMin: limits.passwordMin })}</span>
        }
        {...hidden}
        error={errorOf(name)}
        {...form.register(name)}
      />
      <TextField
        label={isChange ? t("Confirm new password") : t("Confirm password")}
        {...hidden}
        error={errorOf(again)}
        {...form.register(again, { deps: name })}
      />
    </>
  );
}
