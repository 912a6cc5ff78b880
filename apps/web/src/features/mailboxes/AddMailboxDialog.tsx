/** Asks once about a domain that looks mistyped. */
import { addMailboxBody, mailboxMessages } from "@kauke/contract";
import { type FormEvent, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { fieldMessages } from "../../api/error-text.ts";
import { useAddMailbox } from "../../api/mailboxes.ts";
import { t } from "../../texts/texts.ts";
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
        const description = isConfirmed
          ? mailbox.email
          : t("Look for our message in {email}.", { email: mailbox.email });
        showToast({ title: isConfirmed ? t("Mailbox Added") : t("Confirmation Sent"), description });
        onClose();
      },
      onError: (error) => {
        const [field] = fieldMessages(error);
        if (field !== undefined) return onError(field[1]);
        const isLimited = error instanceof ApiError && error.rateLimited;
        const title = isLimited ? t("Rate Limit Exceeded") : t("Mailbox Not Added");
        showFailure(title, refusalText(error, t("The mailbox could not be added. Please try again.")));
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
      title={t("Add mailbox")}
      description={t("It gets one message that asks whether it is yours.")}
      label={t("Add Mailbox")}
      pending={isPending}
      pendingLabel={t("Adding...")}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextField
        label={t("E-mail address")}
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
