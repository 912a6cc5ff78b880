import { zodResolver } from "@hookform/resolvers/zod";
import { useForm } from "react-hook-form";
import { fieldMessages } from "../../api/api-error.ts";
import { useResetPassword } from "../../api/session/sign-in.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { NewPasswordFields } from "./NewPasswordFields.tsx";
import { newPasswordForm } from "./new-password-form.ts";
import { refusalToast } from "./register-form.ts";

interface Props {
  token: string;
  /** E-mail of the account, for password managers. */
  email: string;
  onDone: () => void;
  onRefused: (error: Error) => void;
}

/** Form for a new password, typed twice. It shows field errors itself; errors of the link are left to the page. */
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
      <NewPasswordFields
        label="New password"
        password={{ field: form.register("password"), error: errors.password?.message }}
        confirm={{
          field: form.register("confirmPassword", { deps: "password" }),
          error: errors.confirmPassword?.message,
        }}
      />
      <SubmitButton className="btn-primary btn-block" pending={reset.isPending} pendingLabel="Saving...">
        Set New Password
      </SubmitButton>
    </form>
  );
}
