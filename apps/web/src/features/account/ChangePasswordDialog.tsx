import { zodResolver } from "@hookform/resolvers/zod";
import { changePasswordBody } from "@kauke/contract";
import { useForm } from "react-hook-form";
import * as z from "zod";
import { fieldMessages, messageOf } from "../../api/api-error.ts";
import { useChangePassword } from "../../api/session/sign-in.ts";
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
    if (refused.length === 0) showFailure("Password Not Changed", messageOf(error, "Failed to change the password"));
  };
  const onSuccess = () => {
    showToast({ title: "Password Changed", description: "Every other device was signed out." });
    onClose();
  };
  const onSubmit = form.handleSubmit(({ currentPassword, newPassword }) =>
    change.mutate({ currentPassword, newPassword }, { onSuccess, onError }),
  );
  return (
    <FormDialog
      title="Change password"
      description="This signs out every other device. This one stays signed in."
      label="Change Password"
      pending={change.isPending}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <HiddenUsername email={email} />
      <CurrentPasswordField
        label="Current password"
        error={errors.currentPassword?.message}
        {...form.register("currentPassword")}
      />
      <NewPasswordFields label="New password" form={form} name="newPassword" />
    </FormDialog>
  );
}
