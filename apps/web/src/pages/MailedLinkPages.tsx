/** Pages behind mailed links; opening one changes nothing. */
import "../app/zod-jitless.ts";
import { authMessages } from "@kauke/contract";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link, useLocation } from "wouter";
import { ApiError, fieldMessages, messageOf } from "../api/api-error.ts";
import { useConfirmEmail, useSignInByLink, useSignInLink } from "../api/session/sign-in.ts";
import { useChangeEmail, useEmailChange } from "../api/session/ways-in.ts";
import { AccountLinkOver, AccountLinkPage, AccountLinkStep } from "../features/auth/AccountLinkPage.tsx";
import { CurrentPasswordField, HiddenUsername } from "../features/auth/AuthFields.tsx";
import { AuthColumns } from "../features/auth/AuthFrame.tsx";
import { LinkNotChecked, LinkOver, useLinkToken } from "../features/auth/LinkPages.tsx";
import { failureOf } from "../ui/LoadFailed.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { showFailure } from "../ui/toast-store.ts";

const why =
  "It was used, its 24 hours are over, a newer one was sent, or it was made for another account than the one you are signed in to.";
const signIn = {
  title: "Sign in to confirm",
  swap: "The link works for whoever is signed in to the account it was made for.",
};

function Question({ token, email }: { token: string; email: string }) {
  const confirm = useConfirmEmail();
  const [isOver, setIsOver] = useState(false);
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 404) setIsOver(true);
    else showFailure("Not Confirmed", messageOf(error, "The e-mail could not be confirmed"));
  };
  if (isOver) return <AccountLinkOver why={why} />;
  if (confirm.isSuccess)
    return (
      <AccountLinkStep title="Your e-mail is confirmed">
        You have confirmed that this is your e-mail: <span className="addr">{email}</span>. As a mailbox that your
        aliases forward to it is confirmed too, unless its reader has refused that.
      </AccountLinkStep>
    );
  const button = {
    label: "Confirm My Email",
    pendingLabel: "Confirming...",
    isPending: confirm.isPending,
    onPress: () => confirm.mutate(token, { onError }),
  };
  return (
    <AccountLinkStep title="Is this your e-mail?" button={button}>
      You sign in here with <span className="addr">{email}</span>. Confirm it if you had this link sent to you.
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
    if (refused === undefined) showFailure("Login Failed", messageOf(error, authMessages.loginFailed));
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
      <SubmitButton className="btn-primary btn-block" pending={signIn.isPending} pendingLabel="Signing in...">
        Sign In
      </SubmitButton>
      {needsPassword ? (
        <p className="forgot">
          <Link className="link" href="/forgot">
            Forgot your password?
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
    return <LinkOver way={{ href: "/auth", label: "Go to Sign In" }} />;
  if (failure !== null) return <LinkNotChecked title="Sign in" error={failure} onRetry={query.refetch} />;
  if (data === undefined) return <PageSpinner />;
  const { email, needsPassword } = data;
  const onRefused = (refused: Error) => {
    const isEnded = isLinkOver(refused);
    setIsOver(isEnded);
    return isEnded;
  };
  const swap = needsPassword ? (
    <>
      As <span className="addr">{email}</span>. The link was asked for in another browser, or this e-mail was never
      confirmed, so your password is needed too.
    </>
  ) : (
    <>
      As <span className="addr">{email}</span>, in this browser.
    </>
  );
  return (
    <AuthColumns title="Sign in" swap={swap}>
      <LinkSignInForm key={token} {...{ token, email, needsPassword, signIn, onRefused }} />
    </AuthColumns>
  );
}

const whyNewEmail =
  "It was used, its 24 hours are over, a newer one was sent, how the account signs in was changed, or it was made for another account than the one you are signed in to.";
const newEmailSignIn = {
  title: "Sign in to change your e-mail",
  swap: "Sign in as you have until now. The link works only for the account it was made for.",
};
const isOver = (error: Error | null) => error instanceof ApiError && (error.status === 404 || error.status === 400);

function NewEmailQuestion({ token }: { token: string }) {
  const change = useChangeEmail();
  const [isEnded, setIsEnded] = useState(false);
  const query = useEmailChange(token, change.isPending || change.isSuccess);
  const { data, error } = query;
  const failure = failureOf(query);
  if (isEnded || isOver(error)) return <AccountLinkOver why={whyNewEmail} />;
  if (failure !== null) return <LinkNotChecked title="Your new e-mail" error={failure} onRetry={query.refetch} />;
  if (data === undefined) return <PageSpinner />;
  const onError = (refused: Error) => {
    if (isOver(refused)) setIsEnded(true);
    else showFailure("Not Changed", messageOf(refused, "The e-mail could not be changed"));
  };
  const address = <span className="addr">{data.email}</span>;
  if (change.isSuccess)
    return <AccountLinkStep title="Your e-mail was changed">From now on you sign in with {address}.</AccountLinkStep>;
  const button = {
    label: "Use This E-mail",
    pendingLabel: "Changing...",
    isPending: change.isPending,
    onPress: () => change.mutate(token, { onError }),
  };
  return (
    <AccountLinkStep title="Sign in with this e-mail?" button={button}>
      From then on you sign in with {address}. Every other device is signed out.
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
