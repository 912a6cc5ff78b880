/** Pages behind mailed links; opening one changes nothing. */
import "../app/zod-jitless.ts";
import { authMessages } from "@kauke/contract";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link, useLocation } from "wouter";
import { ApiError } from "../api/api-error.ts";
import { fieldMessages, messageOf } from "../api/error-text.ts";
import { useConfirmEmail, useSignInByLink, useSignInLink } from "../api/session/sign-in.ts";
import { useChangeEmail, useEmailChange } from "../api/session/ways-in.ts";
import { AccountLinkOver, AccountLinkPage, AccountLinkStep } from "../features/auth/AccountLinkPage.tsx";
import { CurrentPasswordField, HiddenUsername } from "../features/auth/AuthFields.tsx";
import { AuthColumns } from "../features/auth/AuthFrame.tsx";
import { LinkNotChecked, LinkOver, useLinkToken } from "../features/auth/LinkPages.tsx";
import { said } from "../texts/said.ts";
import { rich, t } from "../texts/texts.ts";
import { failureOf } from "../ui/LoadFailed.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { showFailure } from "../ui/toast-store.ts";

const why = t(
  "It was used, its 24 hours are over, a newer one was sent, or it was made for another account than the one you are signed in to.",
);
const signIn = {
  title: t("Sign in to confirm"),
  swap: t("The link works for whoever is signed in to the account it was made for."),
};

function Question({ token, email }: { token: string; email: string }) {
  const confirm = useConfirmEmail();
  const [isOver, setIsOver] = useState(false);
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 404) setIsOver(true);
    else showFailure(t("Not Confirmed"), messageOf(error, t("The e-mail could not be confirmed")));
  };
  if (isOver) return <AccountLinkOver why={why} />;
  if (confirm.isSuccess)
    return (
      <AccountLinkStep title={t("Your e-mail is confirmed")}>
        {rich(
          "You have confirmed that this is your e-mail: {span}. As a mailbox that your aliases forward to it is confirmed too, unless its reader has refused that.",
          { span: <span className="addr">{email}</span> },
        )}
      </AccountLinkStep>
    );
  const button = {
    label: t("Confirm My Email"),
    pendingLabel: t("Confirming..."),
    isPending: confirm.isPending,
    onPress: () => confirm.mutate(token, { onError }),
  };
  return (
    <AccountLinkStep title={t("Is this your e-mail?")} button={button}>
      {rich("You sign in here with {span}. Confirm it if you had this link sent to you.", {
        span: <span className="addr">{email}</span>,
      })}
    </AccountLinkStep>
  );
}

export function ConfirmEmailPage() {
  return (
    <AccountLinkPage signIn={signIn} why={why}>
      {(token, user) => <Question token={token} email={user.email ?? ""} />}
    </AccountLinkPage>
  );
}

interface Props {
  token: string;
  /** The account's e-mail, for password managers. */
  email: string;
  needsPassword: boolean;
  signIn: ReturnType<typeof useSignInByLink>;
  /** @returns whether the page shows the error */
  onRefused: (error: Error) => boolean;
}

/** Asks for the password where the link alone is not enough. */
function LinkSignInForm({ token, email, needsPassword, signIn, onRefused }: Props) {
  const form = useForm({ defaultValues: { password: "" } });
  const onError = (error: Error) => {
    if (onRefused(error)) return;
    const refused = fieldMessages(error).find(([field]) => field === "password");
    if (refused === undefined) showFailure(t("Login Failed"), messageOf(error, said(authMessages.loginFailed)));
    else form.setError("password", { message: refused[1] });
  };
  const onSubmit = form.handleSubmit(({ password }) =>
    signIn.mutate(needsPassword ? { token, password } : { token }, { onError }),
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <HiddenUsername email={email} />
      {needsPassword ? (
        <CurrentPasswordField
          error={form.formState.errors.password?.message}
          {...form.register("password", { required: authMessages.passwordRequired })}
        />
      ) : null}
      <SubmitButton className="btn-primary btn-block" pending={signIn.isPending} pendingLabel={t("Signing in...")}>
        {t("Sign In")}
      </SubmitButton>
      {needsPassword ? (
        <p className="forgot">
          <Link className="link" href="/forgot">
            {t("Forgot your password?")}
          </Link>
        </p>
      ) : null}
    </form>
  );
}

/** Whether a link is unknown, used or expired (404), or malformed (400). */
const isLinkOver = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || (error.status === 400 && error.errors?.token !== undefined));

export function SignInLinkPage() {
  const token = useLinkToken();
  const [, navigate] = useLocation();
  const signIn = useSignInByLink(() => navigate("/dashboard", { replace: true }));
  const query = useSignInLink(token, signIn.isPending || signIn.isSuccess);
  const { data, error } = query;
  const failure = failureOf(query);
  const [isOver, setIsOver] = useState(false);
  if (token === null || isOver || isLinkOver(error))
    return <LinkOver way={{ href: "/auth", label: t("Go to Sign In") }} />;
  if (failure !== null) return <LinkNotChecked title={t("Sign in")} error={failure} onRetry={query.refetch} />;
  if (data === undefined) return <PageSpinner />;
  const { email, needsPassword } = data;
  const onRefused = (refused: Error) => {
    const isEnded = isLinkOver(refused);
    setIsOver(isEnded);
    return isEnded;
  };
  const swap = needsPassword ? (
    <>
      {rich(
        "As {span}. The link was asked for in another browser, or this e-mail was never confirmed, so your password is needed too.",
        { span: <span className="addr">{email}</span> },
      )}
    </>
  ) : (
    <>{rich("As {span}, in this browser.", { span: <span className="addr">{email}</span> })}</>
  );
  return (
    <AuthColumns title={t("Sign in")} swap={swap}>
      <LinkSignInForm key={token} {...{ token, email, needsPassword, signIn, onRefused }} />
    </AuthColumns>
  );
}

const whyNewEmail = t(
  "It was used, its 24 hours are over, a newer one was sent, how the account signs in was changed, or it was made for another account than the one you are signed in to.",
);
const newEmailSignIn = {
  title: t("Sign in to change your e-mail"),
  swap: t("Sign in as you have until now. The link works only for the account it was made for."),
};
const isOver = (error: Error | null) => error instanceof ApiError && (error.status === 404 || error.status === 400);

function NewEmailQuestion({ token }: { token: string }) {
  const change = useChangeEmail();
  const [isEnded, setIsEnded] = useState(false);
  const query = useEmailChange(token, change.isPending || change.isSuccess);
  const { data, error } = query;
  const failure = failureOf(query);
  if (isEnded || isOver(error)) return <AccountLinkOver why={whyNewEmail} />;
  if (failure !== null) return <LinkNotChecked title={t("Your new e-mail")} error={failure} onRetry={query.refetch} />;
  if (data === undefined) return <PageSpinner />;
  const onError = (refused: Error) => {
    if (isOver(refused)) setIsEnded(true);
    else showFailure(t("Not Changed"), messageOf(refused, t("The e-mail could not be changed")));
  };
  const address = <span className="addr">{data.email}</span>;
  if (change.isSuccess)
    return (
      <AccountLinkStep title={t("Your e-mail was changed")}>
        {rich("From now on you sign in with {address}.", { address })}
      </AccountLinkStep>
    );
  const button = {
    label: t("Use This E-mail"),
    pendingLabel: t("Changing..."),
    isPending: change.isPending,
    onPress: () => change.mutate(token, { onError }),
  };
  return (
    <AccountLinkStep title={t("Sign in with this e-mail?")} button={button}>
      {rich("From then on you sign in with {address}. Every other device is signed out.", { address })}
    </AccountLinkStep>
  );
}

export function NewEmailPage() {
  return (
    <AccountLinkPage signIn={newEmailSignIn} why={whyNewEmail}>
      {(token) => <NewEmailQuestion key={token} token={token} />}
    </AccountLinkPage>
  );
}
