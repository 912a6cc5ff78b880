import { useState } from "react";
import { useLocation } from "wouter";
import { useDeleteAccount } from "../../api/account-settings.ts";
import { messageOf } from "../../api/error-text.ts";
import { leaveSession } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useLate } from "../../ui/use-late.ts";

const loadDialog = async () => (await import("../../ui/TypedConfirmDialog.tsx")).TypedConfirmDialog;

const REDIRECT_MS = 2000;

function useDeletion(onDone: () => void) {
  const [, navigate] = useLocation();
  const deletion = useDeleteAccount();
  const run = () =>
    deletion.mutate(undefined, {
      onSuccess: () => {
        showToast({ title: t("Account Deleted"), description: t("Your aliases and data have been removed.") });
        onDone();
        setTimeout(() => {
          leaveSession();
          navigate("/");
        }, REDIRECT_MS);
      },
      onError: (error) => showFailure(t("Deletion Failed"), messageOf(error, t("Failed to delete account"))),
    });
  return { run, pending: deletion.isPending, done: deletion.isSuccess };
}

export function DeleteAccountCard() {
  const [asking, setAsking] = useState(false);
  const { run, pending, done } = useDeletion(() => setAsking(false));
  const [isNear, setNear] = useState(false);
  const Dialog = useLate(isNear || asking, loadDialog)?.component;
  return (
    <section className="quiet-danger" aria-labelledby="delete-account">
      <h2 id="delete-account">{t("Delete account")}</h2>
      <p>{t("Removes your aliases and data, and signs you out. This cannot be undone.")}</p>
      <Button
        isSmall
        look="danger-line"
        disabled={done}
        onPointerEnter={() => setNear(true)}
        onFocus={() => setNear(true)}
        onClick={() => setAsking(true)}
      >
        {t("Delete Account")}
      </Button>
      {asking && Dialog !== undefined ? (
        <Dialog
          title={t("Delete account")}
          description={t("This removes your aliases and data and signs you out. It cannot be undone.")}
          label={t("Delete Account")}
          pending={pending}
          canStop
          onConfirm={run}
          onClose={() => pending || setAsking(false)}
        />
      ) : null}
    </section>
  );
}
