import { zodResolver } from "@hookform/resolvers/zod";
import { authMessages, loginBody } from "@kauke/contract";
import { useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "wouter";
import { messageOf } from "../../api/api-error.ts";
import { useSignIn } from "../../api/session/sign-in.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { CurrentPasswordField, EmailField } from "./AuthFields.tsx";
import { useAfterSignIn } from "./after-sign-in.ts";
import { isLinkOffered, SignInLinkOffer } from "./SignInLinkOffer.tsx";

/** Offers a link by mail while sign-ins are rate-limited. */
export function SignInForm() {
  const onSuccess = useAfterSignIn();
  const signIn = useSignIn();
  // The form has no default values, which would overwrite what was typed before hydration.
  const form = useForm<{ email: string; password: string }>({ resolver: zodResolver(loginBody) });
  const { errors } = form.formState;
  const [offeredTo, setOfferedTo] = useState<string | null>(null);
  const onSubmit = form.handleSubmit((body) =>
    signIn.mutate(body, {
      onSuccess,
      onError: (error) => {
        setOfferedTo(isLinkOffered(error) ? body.email : null);
        showFailure("Login Failed", messageOf(error, authMessages.loginFailed));
      },
    }),
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <EmailField error={errors.email?.message} {...form.register("email")} />
      <CurrentPasswordField error={errors.password?.message} {...form.register("password")} />
      <SubmitButton className="btn-primary btn-block" pending={signIn.isPending} pendingLabel="Signing in...">
        Sign In
      </SubmitButton>
      {offeredTo === null ? null : <SignInLinkOffer key={offeredTo} email={offeredTo} />}
      <p className="forgot">
        <Link className="link" href="/forgot">
          Forgot your password?
        </Link>
      </p>
    </form>
  );
}
