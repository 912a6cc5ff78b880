import { authMessages } from "@kauke/contract";
import { useForm } from "react-hook-form";
import { Link } from "wouter";
import { fieldMessages, messageOf } from "../../api/api-error.ts";
import type { useSignInByLink } from "../../api/session/sign-in.ts";
import { TextField } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";

interface Props {
  token: string;
  /** E-mail of the account the link signs in to, for password managers. */
  email: string;
  needsPassword: boolean;
  signIn: ReturnType<typeof useSignInByLink>;
  /** Called when the sign-in is refused. @returns whether the page shows the error, so that the form need not */
  onRefused: (error: Error) => boolean;
}

/** Signs in only when the button is pressed; asks for the password where the link alone is not enough. */
export function LinkSignInForm({ token, email, needsPassword, signIn, onRefused }: Props) {
  const form = useForm({ defaultValues: { password: "" } });
  const onError = (error: Error) => {
    if (onRefused(error)) return;
    const refused = fieldMessages(error).find(([field]) => field === "password");
    if (refused === undefined) showFailure("Login Failed", messageOf(error, authMessages.loginFailed));
    else form.setError("password", { message: refused[1] });
  };
  const onSubmit = form.handleSubmit(({ password }) =>
    signIn.mutate(needsPassword ? { token, password } : { token }, { onError }),
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      {needsPassword ? (
        <TextField
          label="Password"
          type="password"
          autoComplete="current-password"
          error={form.formState.errors.password?.message}
          {...form.register("password", { required: authMessages.passwordRequired })}
        />
      ) : null}
      <SubmitButton className="btn-primary btn-block" pending={signIn.isPending} pendingLabel="Signing in...">
        Sign In
      </SubmitButton>
      {needsPassword ? (
        <p className="forgot">
          <Link className="link" href="/forgot">
            Forgot your password?
          </Link>
        </p>
      ) : null}
    </form>
  );
}
