import { accountDomainMessages, addAccountDomainBody } from "@kauke/contract";
import { type FormEvent, useState } from "react";
import { useAddDomain } from "../../api/account-domains.ts";
import { ApiError } from "../../api/api-error.ts";
import { fieldMessages, messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { FormDialog } from "../../ui/Dialog.tsx";
import { TextField, verbatim } from "../../ui/Field.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { readDomain } from "./domain-text.ts";

/** What is wrong with the domain itself; `null` if it is something else. */
function domainFault(error: unknown): string | null {
  const [field] = fieldMessages(error);
  if (field !== undefined) return field[1];
  const isFault = error instanceof ApiError && (error.status === 400 || error.status === 409);
  return isFault ? messageOf(error, accountDomainMessages.invalid) : null;
}

export function AddDomainDialog({ onClose }: { onClose: () => void }) {
  const add = useAddDomain();
  const [typed, setTyped] = useState("");
  const [error, setError] = useState<string>();
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (add.isPending) return;
    const read = addAccountDomainBody.safeParse({ domain: readDomain(typed) });
    setError(read.success ? undefined : accountDomainMessages.invalid);
    if (!read.success) return;
    setTyped(read.data.domain);
    add.mutate(read.data.domain, {
      onSuccess: ({ shownDomain }) => {
        showToast({
          title: t("Domain Added"),
          description: t("Now add its records in DNS: {domain}", { domain: shownDomain }),
        });
        onClose();
      },
      onError: (failure) => {
        const fault = domainFault(failure);
        if (fault !== null) return setError(fault);
        showFailure(t("Domain Not Added"), refusalText(failure, t("The domain could not be added. Please try again.")));
      },
    });
  };
  return (
    <FormDialog
      title={t("Add domain")}
      description={t("You need to be able to change its records in DNS. Mail that it has elsewhere would come here.")}
      label={t("Add Domain")}
      pending={add.isPending}
      pendingLabel={t("Adding...")}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <TextField
        label={t("Domain")}
        mono
        inputMode="url"
        {...verbatim}
        placeholder="example.com"
        error={error}
        value={typed}
        onChange={(event) => {
          setTyped(event.target.value);
          setError(undefined);
        }}
      />
    </FormDialog>
  );
}
