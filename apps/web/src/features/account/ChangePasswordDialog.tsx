import { zodResolver } from "@hookform/resolvers/zod";
import { changePasswordBody } from "@kauke/contract";
import { useForm } from "react-hook-form";
import * as z from "zod";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { useChangePassword } from "../../api/session/sign-in.ts";
import { t } from "../../texts/texts.ts";
import { FormDialog } from "../../ui/Dialog.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { CurrentPasswordField, HiddenUsername, NewPasswordFields } from "../auth/AuthFields.tsx";
import { passwordMismatch } from "../auth/password-form.ts";

const changePasswordForm = z
  .object({ ...changePasswordBody.shape, confirmPassword: z.string() })
  .refine((form) => form.newPassword === form.confirmPassword, {
    path: ["confirmPassword"],
    message: passwordMismatch,
  });

export function ChangePasswordDialog({ email, onClose }: { email: string; onClose: () => void }) {
  const change = useChangePassword();
  const form = useForm({
    resolver: zodResolver(changePasswordForm),
    defaultValues: { currentPassword: "", newPassword: "", confirmPassword: "" },
  });
  const { errors } = form.formState;
  const onError = (error: Error) => {
    const refused = fieldMessages(error).filter(([field]) => field === "currentPassword" || field === "newPassword");
    for (const [field, message] of refused)
      form.setError(field as "currentPassword" | "newPassword", { message }, { shouldFocus: true });
    if (refused.length === 0)
      showFailure(t("Password Not Changed"), messageOf(error, t("Failed to change the password")));
  };
  const onSuccess = () => {
    showToast({ title: t("Password Changed"), description: t("Every other device was signed out.") });
    onClose();
  };
  const onSubmit = form.handleSubmit(({ currentPassword, newPassword }) =>
    change.mutate({ currentPassword, newPassword }, { onSuccess, onError }),
  );
  return (
    <FormDialog
      title={t("Change password")}
      description={t("This signs out every other device. This one stays signed in.")}
      label={t("Change Password")}
      pending={change.isPending}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <HiddenUsername email={email} />
      <CurrentPasswordField
        label={t("Current password")}
        error={errors.currentPassword?.message}
        {...form.register("currentPassword")}
      />
      <NewPasswordFields isChange form={form} name="newPassword" />
    </FormDialog>
  );
}
