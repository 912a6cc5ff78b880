import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useSession } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";

interface Props {
  words: string;
  className: string;
}

/** Tells the sign-in page to show the form that makes an account. */
const isNew = { isNew: true };

function useIsSlow(isLoading: boolean): boolean {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    if (!isLoading) return;
    const timer = setTimeout(() => setSlow(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [isLoading]);
  return isLoading && isSlow;
}

export function StartButton({ words, className }: Props) {
  const { user, isLoading } = useSession();
  const state = startState({ isSignedIn: user !== null, isLoading, isSlow: useIsSlow(isLoading) });
  if (state === "dashboard")
    return (
      <Link className={`btn btn-lg ${className}`} href="/dashboard">
        {t("Go to Dashboard")}
      </Link>
    );
  if (state === "sign-up")
    return (
      <Link className={`btn btn-lg ${className}`} href="/auth" state={isNew}>
        {words}
      </Link>
    );
  return (
    <button type="button" className={`btn btn-lg start ${className}`} disabled>
      <span className="width" aria-hidden="true">
        {words}
      </span>
      <span>{t("Loading...")}</span>
    </button>
  );
}

/** Milliseconds until the label changes: a label that changes sooner could not be read. */
const PATIENCE_MS = 300;

type StartState = "loading" | "dashboard" | "sign-up";

interface Known {
  isSignedIn: boolean;
  isLoading: boolean;
  /** Whether the session check takes longer than `PATIENCE_MS`. */
  isSlow: boolean;
}

export function startState({ isSignedIn, isLoading, isSlow }: Known): StartState {
  if (isLoading && isSlow) return "loading";
  return isSignedIn ? "dashboard" : "sign-up";
}
