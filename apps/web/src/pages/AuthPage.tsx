import "../app/zod-jitless.ts";

import { Link } from "wouter";
import { AuthFrame } from "../features/auth/AuthFrame.tsx";
import { RegisterForm } from "../features/auth/RegisterForm.tsx";
import { SignInForm } from "../features/auth/SignInForm.tsx";

export function SignInPage() {
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

export function RegisterPage() {
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
      <RegisterForm />
    </AuthFrame>
  );
}
