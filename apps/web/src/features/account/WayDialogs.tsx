import { zodResolver } from "@hookform/resolvers/zod";
import { emailChangeRequest } from "@kauke/contract";
import { useForm } from "react-hook-form";
import { fieldMessages, messageOf } from "../../api/api-error.ts";
import { isProofNeeded, useAskEmailChange, useRemoveWay } from "../../api/session/ways-in.ts";
import { ConfirmDialog, FormDialog } from "../../ui/Dialog.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { EmailField } from "../auth/AuthFields.tsx";

interface Props {
  email: string | null;
  /** `again` repeats the change after the fresh sign-in. */
  onProofNeeded: (again: () => void) => void;
  onClose: () => void;
}

export function ChangeEmailDialog({ email, onProofNeeded, onClose }: Props) {
  const ask = useAskEmailChange();
  const form = useForm({ resolver: zodResolver(emailChangeRequest), defaultValues: { email: "" } });
  const send = (wished: string) => ask.mutate(wished, { onSuccess, onError: (error) => onError(error, wished) });
  const onSuccess = () => {
    showToast({ title: "Link Sent", description: "Open it in this browser within 24 hours. Nothing changes before." });
    onClose();
  };
  const onError = (error: Error, wished: string) => {
    if (isProofNeeded(error)) return onProofNeeded(() => send(wished));
    const [refused] = fieldMessages(error).filter(([field]) => field === "email");
    if (refused === undefined) showFailure("Not Sent", messageOf(error, "The message could not be sent"));
    else form.setError("email", { message: refused[1] }, { shouldFocus: true });
  };
  return (
    <FormDialog
      title={email === null ? "Add e-mail" : "Change e-mail"}
      description={
        email === null
          ? "We send a link to it. Once you have used that, you can set a password too."
          : "We send a link to the new one. Once you have used that, every other device is signed out; a confirmed old e-mail is notified."
      }
      label="Send Link"
      pending={ask.isPending}
      pendingLabel="Sending..."
      onSubmit={form.handleSubmit(({ email: wished }) => send(wished))}
      onClose={onClose}
    >
      <EmailField label="New e-mail" error={form.formState.errors.email?.message} {...form.register("email")} />
    </FormDialog>
  );
}

interface RemoveWayDialogProps {
  way: "wallet" | "google";
  /** `again` repeats the removal after the fresh sign-in. */
  onProofNeeded: (again: () => void) => void;
  onClose: () => void;
}

const words = {
  wallet: { title: "Remove wallet", removed: "Wallet Removed", subject: "The wallet" },
  google: { title: "Remove Google", removed: "Google Removed", subject: "The Google account" },
} as const;

export function RemoveWayDialog({ way, onProofNeeded, onClose }: RemoveWayDialogProps) {
  const remove = useRemoveWay(way);
  const { title, removed, subject } = words[way];
  const onRemove = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ title: removed, description: "Every other device was signed out." });
        onClose();
      },
      onError: (error) => {
        if (isProofNeeded(error)) return onProofNeeded(onRemove);
        showFailure("Not Removed", messageOf(error, "Please try again."));
      },
    });
  return (
    <ConfirmDialog
      title={title}
      description={`${subject} will no longer sign in to your account, and every other device is signed out.`}
      label="Remove"
      pending={remove.isPending}
      pendingLabel="Removing..."
      onConfirm={onRemove}
      onClose={onClose}
    />
  );
}
