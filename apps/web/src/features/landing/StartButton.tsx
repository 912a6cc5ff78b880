/** The landing page's main button, in the hero and in the closing call. */
import { useEffect, useState } from "react";
import { Link } from "wouter";
import { useSession } from "../../api/session/session.ts";
import { PATIENCE_MS, startState } from "./start-button.ts";

interface Props {
  /** Label for signed-out visitors. */
  words: string;
  className: string;
}

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
        Go to Dashboard
      </Link>
    );
  if (state === "sign-up")
    return (
      <Link className={`btn btn-lg ${className}`} href="/auth">
        {words}
      </Link>
    );
  return (
    <button type="button" className={`btn btn-lg start ${className}`} disabled>
      <span className="width" aria-hidden="true">
        {words}
      </span>
      <span>Loading...</span>
    </button>
  );
}
