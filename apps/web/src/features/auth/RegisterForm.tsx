import { zodResolver } from "@hookform/resolvers/zod";
import { useState } from "react";
import { type FieldErrors, useForm } from "react-hook-form";
import { ApiError, fieldMessages, messageOf } from "../../api/api-error.ts";
import { useRegister } from "../../api/session/sign-in.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { EmailField, NewPasswordFields } from "./AuthFields.tsx";
import { useAfterSignIn } from "./after-sign-in.ts";
import { Invited, InviteRefused } from "./ByInvitation.tsx";
import { type RegisterValues, refusalToast, registerForm } from "./password-form.ts";

function sayRefusal(errors: FieldErrors<RegisterValues>): void {
  const toast = refusalToast(errors);
  if (toast !== null) showFailure(toast.title, toast.description);
}

export function RegisterForm({ isInvited }: { isInvited: boolean }) {
  const onSuccess = useAfterSignIn();
  const [isRefused, setIsRefused] = useState(false);
  const registration = useRegister();
  // The form has no default values, which would overwrite what was typed before hydration.
  const form = useForm<RegisterValues>({ resolver: zodResolver(registerForm) });
  const { errors } = form.formState;
  const onRefused = (error: Error) => {
    if (error instanceof ApiError && error.code === "invite_required") return setIsRefused(true);
    for (const [field, message] of fieldMessages(error))
      if (field === "email" || field === "password") form.setError(field, { message });
    showFailure("Registration Failed", messageOf(error, "Failed to create account"));
  };
  const onSubmit = form.handleSubmit(({ email, password }) => {
    setIsRefused(false);
    registration.mutate({ email, password }, { onSuccess, onError: onRefused });
  }, sayRefusal);
  return (
    <form onSubmit={onSubmit} noValidate>
      {isInvited && !isRefused ? <Invited /> : null}
      <EmailField error={errors.email?.message} {...form.register("email")} />
      <NewPasswordFields label="Password" form={form} name="password" />
      {isRefused ? <InviteRefused /> : null}
      <SubmitButton
        className="btn-primary btn-block"
        pending={registration.isPending}
        pendingLabel="Creating account..."
      >
        Create Account
      </SubmitButton>
    </form>
  );
}
