import { zodResolver } from "@hookform/resolvers/zod";
import { authMessages, loginBody } from "@kauke/contract";
import { CircleAlert } from "lucide-react";
import { useId, useState } from "react";
import { useForm } from "react-hook-form";
import { Link } from "wouter";
import { messageOf } from "../../api/error-text.ts";
import { useSignIn } from "../../api/session/sign-in.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { CurrentPasswordField, EmailField } from "./AuthFields.tsx";
import { useAfterSignIn } from "./after-sign-in.ts";
import { isLinkOffered, SignInLinkOffer } from "./SignInLinkOffer.tsx";

/** Offers a link by mail while sign-ins are rate-limited. @param email of the user who was signed in */
export function SignInForm({ email }: { email?: string }) {
  const onSuccess = useAfterSignIn();
  const signIn = useSignIn();
  // The form has no default values, which would overwrite what was typed before hydration.
  const form = useForm<{ email: string; password: string }>({
    resolver: zodResolver(loginBody),
    ...(email !== undefined && { defaultValues: { email, password: "" } }),
  });
  const { errors } = form.formState;
  const [offeredTo, setOfferedTo] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const failureId = useId();
  const onSubmit = form.handleSubmit((body) => {
    setFailure(null);
    signIn.mutate(body, {
      onSuccess,
      onError: (error) => {
        const message = messageOf(error, said(authMessages.loginFailed));
        setOfferedTo(isLinkOffered(error) ? body.email : null);
        setFailure(message);
        showFailure(t("Login Failed"), message);
      },
    });
  });
  const linked = failure === null ? {} : ({ "aria-invalid": true, "aria-describedby": failureId } as const);
  return (
    <form onSubmit={onSubmit} noValidate>
      <EmailField error={errors.email?.message} {...linked} {...form.register("email")} />
      <CurrentPasswordField
        autoFocus={email !== undefined}
        error={errors.password?.message}
        {...linked}
        {...form.register("password")}
      />
      {failure === null ? null : (
        // The toast announces the same text.
        <p className="error" id={failureId}>
          <CircleAlert className="i" aria-hidden />
          <span>{failure}</span>
        </p>
      )}
      <SubmitButton className="btn-primary btn-block" pending={signIn.isPending} pendingLabel={t("Signing in...")}>
        {t("Sign In")}
      </SubmitButton>
      {offeredTo === null ? null : <SignInLinkOffer key={offeredTo} email={offeredTo} />}
      <p className="forgot">
        <Link className="link" href="/forgot">
          {t("Forgot your password?")}
        </Link>
      </p>
    </form>
  );
}
