import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { fieldMessages } from "../../api/api-error.ts";
import { useResetPassword } from "../../api/sign-in.ts";
import { TextField } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { newPasswordForm } from "./new-password-form.ts";
import { refusalToast } from "./register-form.ts";

interface Props {
  token: string;
  /** Whose password it is, for password managers. */
  email: string;
  onDone: () => void;
  onRefused: (error: Error) => void;
}

/** The new password twice. Fields are refused here; what concerns the link is the page's to say. */
export function NewPasswordForm({ token, email, onDone, onRefused }: Props) {
  const reset = useResetPassword();
  const form = useForm({
    resolver: zodResolver(newPasswordForm),
    defaultValues: { password: "", confirmPassword: "" },
  });
  const { errors } = form.formState;
  const onError = (error: Error) => {
    const refused = fieldMessages(error).find(([field]) => field === "password");
    if (refused === undefined) onRefused(error);
    else form.setError("password", { message: refused[1] });
  };
  const onSubmit = form.handleSubmit(
    ({ password }) => reset.mutate({ token, password }, { onSuccess: onDone, onError }),
    (refused) => {
      const toast = refusalToast(refused);
      if (toast !== null) showFailure(toast.title, toast.description);
    },
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label="New password"
        aside={<span className="opt">8 characters or more</span>}
        type="password"
        autoComplete="new-password"
        error={errors.password?.message}
        {...form.register("password")}
      />
      <TextField
        label="Confirm new password"
        type="password"
        autoComplete="new-password"
        error={errors.confirmPassword?.message}
        {...form.register("confirmPassword", { deps: "password" })}
      />
      <SubmitButton className="btn-primary btn-block" pending={reset.isPending} pendingLabel="Saving...">
        Set New Password
      </SubmitButton>
    </form>
  );
}
