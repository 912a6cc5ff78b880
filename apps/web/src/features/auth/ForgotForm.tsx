import { zodResolver } from "@hookform/resolvers/zod";
import { passwordResetRequest } from "@kauke/contract";
import { useForm } from "react-hook-form";
import { messageOf } from "../../api/api-error.ts";
import { useAskPasswordReset } from "../../api/session/sign-in.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { EmailField } from "./EmailField.tsx";

/** Asks for an e-mail to send a reset link to. The server's message is the same whether there is an account or not. */
export function ForgotForm({ onSent }: { onSent: (message: string) => void }) {
  const ask = useAskPasswordReset();
  const form = useForm({ resolver: zodResolver(passwordResetRequest), defaultValues: { email: "" } });
  const onSubmit = form.handleSubmit(({ email }) =>
    ask.mutate(email, {
      onSuccess: ({ message }) => onSent(message),
      onError: (error) => showFailure("Not Sent", messageOf(error, "The message could not be requested.")),
    }),
  );
  return (
    <form onSubmit={onSubmit} noValidate>
      <EmailField error={form.formState.errors.email?.message} {...form.register("email")} />
      <SubmitButton className="btn-primary btn-block" pending={ask.isPending} pendingLabel="Asking...">
        Send Link
      </SubmitButton>
    </form>
  );
}
