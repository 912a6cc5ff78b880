import { zodResolver } from "@hookform/resolvers/zod";
import { useEffect, useRef, useState } from "react";
import { type FieldErrors, useForm } from "react-hook-form";
import { ApiError } from "../../api/api-error.ts";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { useRegister } from "../../api/session/sign-in.ts";
import { keepTabText, readTabText } from "../../drafts/tab-text.ts";
import { t } from "../../texts/texts.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { useAskBeforeLeaving } from "../../ui/use-ask-before-leaving.ts";
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
  const { setValue, getValues } = form;
  useEffect(() => {
    const [earlier, typed] = [readTabText("typed-email"), getValues("email")];
    // No event told of what was typed before hydration.
    if (typed) keepTabText("typed-email", typed);
    else if (earlier !== "") setValue("email", earlier);
  }, [setValue, getValues]);
  const email = form.register("email", { onChange: ({ target }) => keepTabText("typed-email", target.value) });
  const formRef = useRef<HTMLFormElement>(null);
  useAskBeforeLeaving(formRef);
  const onRefused = (error: Error) => {
    if (error instanceof ApiError && error.code === "invite_required") return setIsRefused(true);
    for (const [field, message] of fieldMessages(error))
      if (field === "email" || field === "password") form.setError(field, { message });
    showFailure(t("Registration Failed"), messageOf(error, t("Failed to create account")));
  };
  const onSubmit = form.handleSubmit(({ email, password }) => {
    setIsRefused(false);
    const onDone = () => {
      keepTabText("typed-email", "");
      onSuccess();
    };
    registration.mutate({ email, password }, { onSuccess: onDone, onError: onRefused });
  }, sayRefusal);
  return (
    <form onSubmit={onSubmit} ref={formRef} noValidate>
      {isInvited && !isRefused ? <Invited /> : null}
      <EmailField error={errors.email?.message} {...email} />
      <NewPasswordFields form={form} name="password" />
      {isRefused ? <InviteRefused /> : null}
      <SubmitButton
        className="btn-primary btn-block"
        pending={registration.isPending}
        pendingLabel={t("Creating account...")}
      >
        {t("Create Account")}
      </SubmitButton>
    </form>
  );
}
