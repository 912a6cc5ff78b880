import { useId, useState } from "react";
import { useLocation } from "wouter";
import { useDeleteAccount } from "../../api/account-settings.ts";
import { messageOf } from "../../api/api-error.ts";
import { leaveSession } from "../../api/session/session.ts";
import { Button } from "../../ui/Controls.tsx";
import { FormDialog } from "../../ui/Dialog.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";

/** Accepts the typed word in any letter case (specification section 4). */
export const isConfirmed = (typed: string): boolean => typed.trim().toUpperCase() === "DELETE";

const REDIRECT_MS = 2000;

function useDeletion(onDone: () => void) {
  const [, navigate] = useLocation();
  const deletion = useDeleteAccount();
  const run = () =>
    deletion.mutate(undefined, {
      onSuccess: () => {
        showToast({ title: "Account Deleted", description: "Your aliases and data have been removed." });
        onDone();
        setTimeout(() => {
          leaveSession();
          navigate("/");
        }, REDIRECT_MS);
      },
      onError: (error) => showFailure("Deletion Failed", messageOf(error, "Failed to delete account")),
    });
  return { run, pending: deletion.isPending, done: deletion.isSuccess };
}

interface DialogProps {
  pending: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

function DeleteAccountDialog({ pending, onConfirm, onClose }: DialogProps) {
  const id = useId();
  const [word, setWord] = useState("");
  return (
    <FormDialog
      title="Delete account"
      description="This removes your aliases and data and signs you out. It cannot be undone."
      label="Delete Account"
      look="btn-danger"
      pending={pending}
      pendingLabel="Deleting..."
      canStop
      disabled={!isConfirmed(word)}
      onSubmit={(event) => {
        event.preventDefault();
        if (isConfirmed(word) && !pending) onConfirm();
      }}
      onClose={onClose}
    >
      <div className="field">
        <label htmlFor={id}>Type DELETE to confirm</label>
        <input
          className="input mono"
          id={id}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={word}
          onChange={(event) => setWord(event.target.value)}
        />
      </div>
    </FormDialog>
  );
}

export function DeleteAccountCard() {
  const [asking, setAsking] = useState(false);
  const { run, pending, done } = useDeletion(() => setAsking(false));
  return (
    <section className="card danger-card" aria-labelledby="delete-account">
      <div>
        <h2 id="delete-account">Delete account</h2>
        <p>Removes your aliases and data, and signs you out. This cannot be undone.</p>
      </div>
      <Button look="danger-line" disabled={done} onClick={() => setAsking(true)}>
        Delete Account
      </Button>
      {asking ? (
        <DeleteAccountDialog pending={pending} onConfirm={run} onClose={() => pending || setAsking(false)} />
      ) : null}
    </section>
  );
}
