/** Asks once about a domain that looks mistyped. */
import { addMailboxBody, mailboxMessages } from "@kauke/contract";
import { type FormEvent, useState } from "react";
import { ApiError, fieldMessages } from "../../api/api-error.ts";
import { useAddMailbox } from "../../api/mailboxes.ts";
import { FormDialog } from "../../ui/Dialog.tsx";
import { TextField, verbatim } from "../../ui/Field.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { suggestedAddress } from "../aliases/create/domain-typo.ts";
import { readDestinations } from "../aliases/create/read-typed.ts";
import { TypoNote } from "../aliases/create/TypoNote.tsx";

/** The typed mailbox without text pasted around it; `null` if it is none. */
function readAddress(typed: string): string | null {
  const read = addMailboxBody.safeParse({ address: readDestinations(typed) });
  return read.success ? read.data.address : null;
}

function useAdding(onError: (message: string) => void, onClose: () => void) {
  const add = useAddMailbox();
  const run = (address: string) =>
    add.mutate(address, {
      onSuccess: (mailbox) => {
        const isConfirmed = mailbox.state === "confirmed";
        const description = isConfirmed ? mailbox.email : `Look for our message in ${mailbox.email}.`;
        showToast({ title: isConfirmed ? "Mailbox Added" : "Confirmation Sent", description });
        onClose();
      },
      onError: (error) => {
        const [field] = fieldMessages(error);
        if (field !== undefined) return onError(field[1]);
        const isLimited = error instanceof ApiError && error.rateLimited;
        const title = isLimited ? "Rate Limit Exceeded" : "Mailbox Not Added";
        showFailure(title, refusalText(error, "The mailbox could not be added. Please try again."));
      },
    });
  return { run, isPending: add.isPending };
}

export function AddMailboxDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const [asked, setAsked] = useState<{ typed: string; meant: string } | null>(null);
  const { run, isPending } = useAdding(setError, onClose);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (isPending) return;
    const address = readAddress(typed);
    setError(address === null ? mailboxMessages.addressInvalid : undefined);
    if (address === null) return;
    setTyped(address);
    const meant = asked?.typed === address ? null : suggestedAddress(address);
    setAsked(meant === null ? null : { typed: address, meant });
    if (meant === null) run(address);
  };
  const onDecide = (isUsed: boolean) => {
    if (asked === null) return;
    setAsked(null);
    const address = isUsed ? asked.meant : asked.typed;
    setTyped(address);
    run(address);
  };
  return (
    <FormDialog
      title="Add mailbox"
      description="It gets one message that asks whether it is yours."
      label="Add Mailbox"
      pending={isPending}
      pendingLabel="Adding..."
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextField
        label="E-mail address"
        mono
        inputMode="email"
        {...verbatim}
        placeholder="you@example.org"
        error={error}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setError(undefined);
          setAsked(null);
        }}
      />
      {asked === null ? null : <TypoNote question={{ ...asked, isAwaited: true }} onDecide={onDecide} />}
    </FormDialog>
  );
}
