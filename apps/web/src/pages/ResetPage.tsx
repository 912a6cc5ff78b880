/** /reset#token: sets a new password, which the user then signs in with. Opening the page changes nothing. */
import "../app/zod-jitless.ts";

import { useState } from "react";
import { useLocation } from "wouter";
import { ApiError, messageOf } from "../api/api-error.ts";
import { usePasswordReset } from "../api/session/sign-in.ts";
import { AuthColumns } from "../features/auth/AuthFrame.tsx";
import { LinkNotChecked, LinkOver } from "../features/auth/LinkPages.tsx";
import { NewPasswordForm } from "../features/auth/NewPasswordForm.tsx";
import { useLinkToken } from "../features/auth/use-link-token.ts";
import { PageSpinner } from "../ui/Spinner.tsx";
import { showFailure, showToast } from "../ui/toast-store.ts";

const isLinkOver = (error: Error | null) => error instanceof ApiError && [400, 404].includes(error.status);

export function ResetPage() {
  const [, navigate] = useLocation();
  const token = useLinkToken();
  const { data, error, isFetching, refetch } = usePasswordReset(token);
  const [isOver, setIsOver] = useState(false);
  if (token === null || isOver || isLinkOver(error))
    return <LinkOver way={{ href: "/forgot", label: "Send a New Link" }} />;
  if (data === undefined && error !== null && !isFetching)
    return <LinkNotChecked title="Set a new password" error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <PageSpinner />;
  const onDone = () => {
    showToast({ title: "Password Changed", description: "Please sign in with your new password." });
    navigate("/auth", { replace: true });
  };
  const onRefused = (refused: Error) => {
    if (isLinkOver(refused)) setIsOver(true);
    else showFailure("Password Not Changed", messageOf(refused, "Failed to change the password"));
  };
  const swap = (
    <>
      For <span className="addr">{data.email}</span>. Every device that is signed in will be signed out.
    </>
  );
  return (
    <AuthColumns title="Set a new password" swap={swap}>
      <NewPasswordForm token={token} email={data.email} onDone={onDone} onRefused={onRefused} />
    </AuthColumns>
  );
}
