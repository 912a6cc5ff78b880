/** The page shows the same message whether there is an account or not. */
import "../app/zod-jitless.ts";
import { zodResolver } from "@hookform/resolvers/zod";
import { passwordResetRequest } from "@kauke/contract";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link, useLocation } from "wouter";
import { ApiError } from "../api/api-error.ts";
import { fieldMessages, messageOf } from "../api/error-text.ts";
import { useAskPasswordReset, usePasswordReset, useResetPassword } from "../api/session/sign-in.ts";
import { EmailField, HiddenUsername, NewPasswordFields } from "../features/auth/AuthFields.tsx";
import { AuthColumns } from "../features/auth/AuthFrame.tsx";
import { LinkNotChecked, LinkOver, useLinkToken } from "../features/auth/LinkPages.tsx";
import { newPasswordForm, refusalToast } from "../features/auth/password-form.ts";
import { said } from "../texts/said.ts";
import { rich, t } from "../texts/texts.ts";
import { failureOf } from "../ui/LoadFailed.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../ui/toast-store.ts";

function ForgotForm({ onSent }: { onSent: (message: string) => void }) {
  const ask = useAskPasswordReset();
  const form = useForm({ resolver: zodResolver(passwordResetRequest), defaultValues: { email: "" } });
  const onSubmit = form.handleSubmit(({ email }) =>
    ask.mutate(email, {
      onSuccess: ({ message }) => onSent(said(message)),
      onError: (error) => showFailure(t("Not Sent"), messageOf(error, t("The message could not be requested."))),
    }),
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <EmailField error={form.formState.errors.email?.message} {...form.register("email")} />
      <SubmitButton className="btn-primary btn-block" pending={ask.isPending} pendingLabel={t("Asking...")}>
        {t("Send Link")}
      </SubmitButton>
    </form>
  );
}

export function ForgotPage() {
  const [sent, setSent] = useState<string | null>(null);
  const swap = (
    <>
      {rich("Remembered it? <link>Sign in</link>", {
        link: (inner) => (
          <Link className="link" href="/auth">
            {inner}
          </Link>
        ),
      })}
    </>
  );
  return (
    <AuthColumns title={t("Forgot your password?")} swap={swap}>
      {sent === null ? (
        <ForgotForm onSent={setSent} />
      ) : (
        <div className="sent">
          <div role="status">
            <p>{sent}</p>
            <p>
              {t("The link in it works once, for 30 minutes. No message? Check your spam folder, or send another one.")}
            </p>
          </div>
          <button type="button" className="btn btn-block" onClick={() => setSent(null)}>
            {t("Send Another")}
          </button>
        </div>
      )}
    </AuthColumns>
  );
}

interface Props {
  token: string;
  /** The account's e-mail, for password managers. */
  email: string;
  onDone: () => void;
  onRefused: (error: Error) => void;
}

/** The form for a new password; errors of the link itself are shown by the page. */
function NewPasswordForm({ token, email, onDone, onRefused }: Props) {
  const reset = useResetPassword();
  const form = useForm({
    resolver: zodResolver(newPasswordForm),
    defaultValues: { password: "", confirmPassword: "" },
  });
  const onError = (error: Error) => {
    const refused = fieldMessages(error).find(([field]) => field === "password");
    if (refused === undefined) onRefused(error);
    else form.setError("password", { message: refused[1] });
  };
  const onSubmit = form.handleSubmit(
    ({ password }) => reset.mutate({ token, password }, { onSuccess: onDone, onError }),
    (refused) => {
      const toast = refusalToast(refused);
      if (toast !== null) showFailure(toast.title, toast.description);
    },
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <HiddenUsername email={email} />
      <NewPasswordFields isChange form={form} name="password" />
      <SubmitButton className="btn-primary btn-block" pending={reset.isPending} pendingLabel={t("Saving...")}>
        {t("Set New Password")}
      </SubmitButton>
    </form>
  );
}

const isLinkOver = (error: Error | null) => error instanceof ApiError && [400, 404].includes(error.status);

export function ResetPage() {
  const [, navigate] = useLocation();
  const token = useLinkToken();
  const query = usePasswordReset(token);
  const { data, error } = query;
  const failure = failureOf(query);
  const [isOver, setIsOver] = useState(false);
  if (token === null || isOver || isLinkOver(error))
    return <LinkOver way={{ href: "/forgot", label: t("Send a New Link") }} />;
  if (failure !== null)
    return <LinkNotChecked title={t("Set a new password")} error={failure} onRetry={query.refetch} />;
  if (data === undefined) return <PageSpinner />;
  const onDone = () => {
    showToast({ title: t("Password Changed"), description: t("Please sign in with your new password.") });
    navigate("/auth", { replace: true });
  };
  const onRefused = (refused: Error) => {
    if (isLinkOver(refused)) setIsOver(true);
    else showFailure(t("Password Not Changed"), messageOf(refused, t("Failed to change the password")));
  };
  const swap = (
    <>
      {rich("For {span}. Every device that is signed in will be signed out.", {
        span: <span className="addr">{data.email}</span>,
      })}
    </>
  );
  return (
    <AuthColumns title={t("Set a new password")} swap={swap}>
      <NewPasswordForm token={token} email={data.email} onDone={onDone} onRefused={onRefused} />
    </AuthColumns>
  );
}
