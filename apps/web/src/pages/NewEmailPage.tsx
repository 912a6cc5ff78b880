/**
 * /new-email#token: makes the address the link was mailed to the account's e-mail. Opening the page changes nothing.
 */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { ApiError, messageOf } from "../api/api-error.ts";
import { useChangeEmail, useEmailChange } from "../api/session/ways-in.ts";
import { AccountLink, AccountLinkOver, AccountLinkStep } from "../features/auth/AccountLink.tsx";
import { LinkNotChecked } from "../features/auth/LinkPages.tsx";
import { PageSpinner } from "../ui/Spinner.tsx";
import { showFailure } from "../ui/toast-store.ts";

const why =
  "It was used, its 24 hours are over, a newer one was sent, how the account signs in was changed, or it was made for another account than the one you are signed in to.";
const signIn = {
  title: "Sign in to change your e-mail",
  swap: "Sign in as you have until now. The link works only for the account it was made for.",
};
const isOver = (error: Error | null) => error instanceof ApiError && (error.status === 404 || error.status === 400);

function Question({ token }: { token: string }) {
  const change = useChangeEmail();
  const [isEnded, setIsEnded] = useState(false);
  const { data, error, isFetching, refetch } = useEmailChange(token, change.isPending || change.isSuccess);
  if (isEnded || isOver(error)) return <AccountLinkOver why={why} />;
  if (data === undefined && error !== null && !isFetching)
    return <LinkNotChecked title="Your new e-mail" error={error} onRetry={() => void refetch()} />;
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
    <AccountLink signIn={signIn} why={why}>
      {(token) => <Question key={token} token={token} />}
    </AccountLink>
  );
}
