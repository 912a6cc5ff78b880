/**
 * /new-email#token: makes the address the link was mailed to the account's e-mail. Opening the page changes nothing.
 */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { Link } from "wouter";
import { ApiError, messageOf } from "../api/api-error.ts";
import { useSession } from "../api/session/session.ts";
import { useChangeEmail, useEmailChange } from "../api/session/ways-in.ts";
import { AuthFrame } from "../features/auth/AuthFrame.tsx";
import { LinkNotChecked, LinkOver } from "../features/auth/LinkPages.tsx";
import { SignInForm } from "../features/auth/SignInForm.tsx";
import { useLinkToken } from "../features/auth/use-link-token.ts";
import { Mask } from "../ui/Mask.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { showFailure } from "../ui/toast-store.ts";

const wayBack = { href: "/settings", label: "Go to Settings" };
const why =
  "It was used, its 24 hours are over, a newer one was sent, how the account signs in was changed, or it was made for another account than the one you are signed in to.";
const isOver = (error: Error | null) => error instanceof ApiError && (error.status === 404 || error.status === 400);

function Question({ token }: { token: string }) {
  const change = useChangeEmail();
  const [isEnded, setIsEnded] = useState(false);
  const { data, error, isFetching, refetch } = useEmailChange(token, change.isPending || change.isSuccess);
  if (isEnded || isOver(error)) return <LinkOver way={wayBack} why={why} />;
  if (data === undefined && error !== null && !isFetching)
    return <LinkNotChecked title="Your new e-mail" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PageSpinner />;
  const onError = (refused: Error) => {
    if (isOver(refused)) setIsEnded(true);
    else showFailure("Not Changed", messageOf(refused, "The e-mail could not be changed"));
  };
  const isDone = change.isSuccess;
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask />
      <div role="status">
        <h1>{isDone ? "Your e-mail was changed" : "Sign in with this e-mail?"}</h1>
        <p className="muted mt-3 max-w-[36rem]">
          {isDone ? "From now on you sign in with " : "From then on you sign in with "}
          <span className="addr">{data.email}</span>
          {isDone ? "." : ". Every other device is signed out."}
        </p>
      </div>
      {isDone ? (
        <Link className="btn mt-3" href={wayBack.href}>
          {wayBack.label}
        </Link>
      ) : (
        <SubmitButton
          type="button"
          className="btn-primary mt-3"
          pending={change.isPending}
          pendingLabel="Changing..."
          onClick={() => change.mutate(token, { onError })}
        >
          Use This E-mail
        </SubmitButton>
      )}
    </main>
  );
}

export function NewEmailPage() {
  const token = useLinkToken();
  const { user } = useSession();
  if (token === null) return <LinkOver way={wayBack} why={why} />;
  if (user === null)
    return (
      <AuthFrame
        title="Sign in to change your e-mail"
        swap="Sign in as you have until now. The link works only for the account it was made for."
      >
        <SignInForm onSignedIn={() => {}} />
      </AuthFrame>
    );
  return <Question key={token} token={token} />;
}
