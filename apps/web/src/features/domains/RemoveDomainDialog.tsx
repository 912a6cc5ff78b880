import type { AccountDomainWire } from "@kauke/contract";
import { useRef } from "react";
import { useFreshDomains, useRemoveDomain } from "../../api/account-domains.ts";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { TypedConfirmDialog } from "../../ui/TypedConfirmDialog.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";

interface Props {
  domain: AccountDomainWire;
  onClose: () => void;
}

/** With aliases, the domain's name has to be typed before they are deleted with it. */
export function RemoveDomainDialog({ domain: { id, domain, shownDomain, aliasCount }, onClose }: Props) {
  const remove = useRemoveDomain();
  // Mail may have made aliases since the list was read.
  useFreshDomains();
  const isGone = useRef(false);
  const onRemove = (confirm?: string) =>
    remove.mutate(
      { domainId: id, confirm },
      {
        onSuccess: () => {
          isGone.current = true;
          showToast({ title: t("Domain Removed"), description: shownDomain });
          onClose();
        },
        onError: (error) =>
          showFailure(
            t("Domain Not Removed"),
            refusalText(error, t("The domain could not be removed. Please try again.")),
          ),
      },
    );
  const dialog = {
    title: t("Remove domain"),
    description: t("Mail to {domain} is no longer accepted. If you add it again, it gets other records.", {
      domain: shownDomain,
    }),
    label: t("Remove Domain"),
    pending: remove.isPending,
    returnTo: () => (isGone.current ? document.getElementById("domains") : null),
    onClose,
  };
  if (aliasCount === 0)
    return <ConfirmDialog {...dialog} pendingLabel={t("Removing...")} onConfirm={() => onRemove()} />;
  return (
    <TypedConfirmDialog
      {...dialog}
      word={shownDomain}
      fits={(typed) => [domain, shownDomain].includes(typed.trim().toLowerCase())}
      onConfirm={() => onRemove(domain)}
    >
      <p>
        {plural(
          aliasCount,
          "{count} alias on it is deleted too, with its SMTP credentials and reply addresses.",
          "{count} aliases on it are deleted too, with their SMTP credentials and reply addresses.",
          { count: countText(aliasCount) },
        )}
      </p>
    </TypedConfirmDialog>
  );
}
