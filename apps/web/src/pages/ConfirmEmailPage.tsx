/** /confirm-email#token: confirms the signed-in account's e-mail. Opening the page changes nothing. */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { Link } from "wouter";
import { ApiError, messageOf } from "../api/api-error.ts";
import { useSession } from "../api/session/session.ts";
import { useConfirmEmail } from "../api/session/sign-in.ts";
import { AuthFrame } from "../features/auth/AuthFrame.tsx";
import { LinkOver } from "../features/auth/LinkPages.tsx";
import { SignInForm } from "../features/auth/SignInForm.tsx";
import { useLinkToken } from "../features/auth/use-link-token.ts";
import { Mask } from "../ui/Mask.tsx";
import { SubmitButton } from "../ui/SubmitButton.tsx";
import { showFailure } from "../ui/toast-store.ts";

const wayBack = { href: "/settings", label: "Go to Settings" };
const why =
  "It was used, its 24 hours are over, a newer one was sent, or it was made for another account than the one you are signed in to.";

function Question({ token, email }: { token: string; email: string }) {
  const confirm = useConfirmEmail();
  const [isOver, setIsOver] = useState(false);
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 404) setIsOver(true);
    else showFailure("Not Confirmed", messageOf(error, "The e-mail could not be confirmed"));
  };
  if (isOver) return <LinkOver way={wayBack} why={why} />;
  const isDone = confirm.isSuccess;
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask />
      <div role="status">
        <h1>{isDone ? "Your e-mail is confirmed" : "Is this your e-mail?"}</h1>
        <p className="muted mt-3 max-w-[36rem]">
          {isDone ? "You have confirmed that this is your e-mail: " : "You sign in here with "}
          <span className="addr">{email}</span>
          {isDone ? "." : ". Confirm it if you had this link sent to you."}
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
          pending={confirm.isPending}
          pendingLabel="Confirming..."
          onClick={() => confirm.mutate(token, { onError })}
        >
          Confirm My Email
        </SubmitButton>
      )}
    </main>
  );
}

export function ConfirmEmailPage() {
  const token = useLinkToken();
  const { user } = useSession();
  if (token === null) return <LinkOver way={wayBack} why={why} />;
  if (user === null)
    return (
      <AuthFrame
        title="Sign in to confirm"
        swap="The link works for whoever is signed in to the account it was made for."
      >
        <SignInForm onSignedIn={() => {}} />
      </AuthFrame>
    );
  return <Question token={token} email={user.email ?? ""} />;
}
