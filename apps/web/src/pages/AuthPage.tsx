import "../app/zod-jitless.ts";
import "../features/aliases/create/shared-site.ts";

import { useEffect, useRef } from "react";
import { Link } from "wouter";
import { useHistoryState } from "wouter/use-browser-location";
import { useHeldInvite } from "../api/session/held-invite.ts";
import { registrationMode } from "../api/session/registration-mode.ts";
import { AuthFrame } from "../features/auth/AuthFrame.tsx";
import { ByInvitation, RegistrationClosed } from "../features/auth/ByInvitation.tsx";
import { RegisterForm } from "../features/auth/RegisterForm.tsx";
import { SignInForm } from "../features/auth/SignInForm.tsx";
import { rich, t } from "../texts/texts.ts";

/** A sign-up button leads here with a state in the history entry, and then the form makes an account. */
export function SignInPage() {
  const isNew = useHistoryState<{ isNew?: boolean } | null>()?.isNew === true;
  useFocusOnChange(isNew ? "new" : null);
  return isNew ? <RegisterPage /> : <WelcomeBack />;
}

function WelcomeBack() {
  const swap = (
    <>
      {rich("New here? <link>Create an account</link>", {
        link: (inner) => (
          <Link className="link" href="/register">
            {inner}
          </Link>
        ),
      })}
    </>
  );
  return (
    <AuthFrame title={t("Welcome Back")} swap={swap}>
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
      {rich("Already have one? <link>Sign in</link>", {
        link: (inner) => (
          <Link className="link" href="/auth">
            {inner}
          </Link>
        ),
      })}
    </>
  );
  return (
    <AuthFrame title={t("Create your account")} swap={swap}>
      <RegisterForm isInvited={isInvited} />
    </AuthFrame>
  );
}
