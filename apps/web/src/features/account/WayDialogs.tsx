import { zodResolver } from "@hookform/resolvers/zod";
import { emailChangeRequest } from "@kauke/contract";
import { useForm } from "react-hook-form";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { isProofNeeded, useAskEmailChange, useRemoveWay } from "../../api/session/ways-in.ts";
import { t } from "../../texts/texts.ts";
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
    showToast({
      title: t("Link Sent"),
      description: t("Open it in this browser within 24 hours. Nothing changes before."),
    });
    onClose();
  };
  const onError = (error: Error, wished: string) => {
    if (isProofNeeded(error)) return onProofNeeded(() => send(wished));
    const [refused] = fieldMessages(error).filter(([field]) => field === "email");
    if (refused === undefined) showFailure(t("Not Sent"), messageOf(error, t("The message could not be sent")));
    else form.setError("email", { message: refused[1] }, { shouldFocus: true });
  };
  return (
    <FormDialog
      title={email === null ? t("Add e-mail") : t("Change e-mail")}
      description={
        email === null
          ? t("We send a link to it. Once you have used that, you can set a password too.")
          : t(
              "We send a link to the new one. Once you have used that, every other device is signed out; a confirmed old e-mail is notified.",
            )
      }
      label={t("Send Link")}
      pending={ask.isPending}
      pendingLabel={t("Sending...")}
      onSubmit={form.handleSubmit(({ email: wished }) => send(wished))}
      onClose={onClose}
    >
      <EmailField label={t("New e-mail")} error={form.formState.errors.email?.message} {...form.register("email")} />
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
  wallet: {
    title: t("Remove wallet"),
    removed: t("Wallet Removed"),
    says: t("The wallet will no longer sign in to your account, and every other device is signed out."),
  },
  google: {
    title: t("Remove Google"),
    removed: t("Google Removed"),
    says: t("The Google account will no longer sign in to your account, and every other device is signed out."),
  },
} as const;

export function RemoveWayDialog({ way, onProofNeeded, onClose }: RemoveWayDialogProps) {
  const remove = useRemoveWay(way);
  const { title, removed, says } = words[way];
  const onRemove = () =>
    remove.mutate(undefined, {
      onSuccess: () => {
        showToast({ title: removed, description: t("Every other device was signed out.") });
        onClose();
      },
      onError: (error) => {
        if (isProofNeeded(error)) return onProofNeeded(onRemove);
        showFailure(t("Not Removed"), messageOf(error, t("Please try again.")));
      },
    });
  return (
    <ConfirmDialog
      title={title}
      description={says}
      label={t("Remove")}
      pending={remove.isPending}
      pendingLabel={t("Removing...")}
      // The button that opened the dialog is replaced by the one that links again.
      returnTo={() => document.querySelector<HTMLElement>(`#${way}-acts button`)}
      onConfirm={onRemove}
      onClose={onClose}
    />
  );
}
