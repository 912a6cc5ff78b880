/** /sign-in-link#token: signs in with a mailed link. Opening the page changes nothing. */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { useLocation } from "wouter";
import { ApiError } from "../api/api-error.ts";
import { useSignInByLink, useSignInLink } from "../api/session/sign-in.ts";
import { AuthColumns } from "../features/auth/AuthFrame.tsx";
import { LinkNotChecked, LinkOver } from "../features/auth/LinkPages.tsx";
import { LinkSignInForm } from "../features/auth/LinkSignInForm.tsx";
import { useLinkToken } from "../features/auth/use-link-token.ts";
import { PageSpinner } from "../ui/Spinner.tsx";

/** Whether the link can't work any more: it is unknown, used or expired (404), or its token is malformed (400). */
const isLinkOver = (error: Error | null) =>
  error instanceof ApiError && (error.status === 404 || (error.status === 400 && error.errors?.token !== undefined));

export function SignInLinkPage() {
  const token = useLinkToken();
  const [, navigate] = useLocation();
  const signIn = useSignInByLink(() => navigate("/dashboard", { replace: true }));
  const { data, error, isFetching, refetch } = useSignInLink(token, signIn.isPending || signIn.isSuccess);
  const [isOver, setIsOver] = useState(false);
  if (token === null || isOver || isLinkOver(error))
    return <LinkOver way={{ href: "/auth", label: "Go to Sign In" }} />;
  if (data === undefined && error !== null && !isFetching)
    return <LinkNotChecked title="Sign in" error={error} onRetry={() => void refetch()} />;
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
