/** /confirm-email#token: confirms the signed-in account's e-mail. Opening the page changes nothing. */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { ApiError, messageOf } from "../api/api-error.ts";
import { useConfirmEmail } from "../api/session/sign-in.ts";
import { AccountLink, AccountLinkOver, AccountLinkStep } from "../features/auth/AccountLink.tsx";
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
    <AccountLink signIn={signIn} why={why}>
      {(token, user) => <Question token={token} email={user.email ?? ""} />}
    </AccountLink>
  );
}
