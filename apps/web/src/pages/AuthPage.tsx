import "../app/zod-jitless.ts";

import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { useHeldInvite } from "../api/session/held-invite.ts";
import { registrationMode } from "../api/session/registration-mode.ts";
import { AuthFrame } from "../features/auth/AuthFrame.tsx";
import { ByInvitation, RegistrationClosed } from "../features/auth/ByInvitation.tsx";
import { RegisterForm } from "../features/auth/RegisterForm.tsx";
import { SignInForm } from "../features/auth/SignInForm.tsx";

/** A sign-up button leads here with a state in the history entry, and then the form makes an account. */
export function SignInPage() {
  const isNew = useHistoryState<{ isNew?: boolean } | null>()?.isNew === true;
  useFocusOnChange(isNew ? "new" : null);
  return isNew ? <RegisterPage /> : <WelcomeBack />;
}

function WelcomeBack() {
  const swap = (
    <>
      New here?{" "}
      <Link className="link" href="/register">
        Create an account
      </Link>
    </>
  );
  return (
    <AuthFrame title="Welcome Back" swap={swap}>
      <SignInForm />
    </AuthFrame>
  );
}

/** The form that had the focus is replaced by the other one. */
function useFocusOnChange(value: string | null): void {
  const before = useRef(value);
  useEffect(() => {
    if (before.current === value) return;
    before.current = value;
    window.scrollTo({ top: 0, behavior: "instant" });
    document.querySelector<HTMLElement>("main")?.focus({ preventScroll: true });
  }, [value]);
}

export function RegisterPage() {
  const mode = registrationMode();
  const invite = useHeldInvite();
  useFocusOnChange(invite);
  if (mode === "closed") return <RegistrationClosed />;
  if (mode === "invite" && invite === null) return <ByInvitation />;
  return <Registration isInvited={invite !== null} />;
}

function Registration({ isInvited }: { isInvited: boolean }) {
  const swap = (
    <>
      Already have one?{" "}
      <Link className="link" href="/auth">
        Sign in
      </Link>
    </>
  );
  return (
    <AuthFrame title="Create your account" swap={swap}>
      <RegisterForm isInvited={isInvited} />
    </AuthFrame>
  );
}
