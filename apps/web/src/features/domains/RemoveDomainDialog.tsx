import { type AccountDomainWire, accountDomainMessages } from "@kauke/contract";
import { TriangleAlert } from "lucide-react";
import { useRef } from "react";
import { useRemoveDomain } from "../../api/account-domains.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { aliasesText } from "../aliases/alias-text.ts";

interface Props {
  domain: AccountDomainWire;
  onClose: () => void;
}

export function RemoveDomainDialog({ domain: { id, shownDomain, aliasCount }, onClose }: Props) {
  const remove = useRemoveDomain();
  const isGone = useRef(false);
  const onRemove = () =>
    remove.mutate(id, {
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
    });
  return (
    <ConfirmDialog
      title={t("Remove domain")}
      description={t("Mail to {domain} is no longer accepted. If you add it again, it gets other records.", {
        domain: shownDomain,
      })}
      label={t("Remove Domain")}
      pending={remove.isPending}
      pendingLabel={t("Removing...")}
      returnTo={() => (isGone.current ? document.getElementById("domains") : null)}
      disabled={aliasCount > 0}
      onConfirm={onRemove}
      onClose={onClose}
    >
      {aliasCount === 0 ? null : (
        <div className="body">
          <div className="note" role="alert">
            <TriangleAlert className="i" aria-hidden />
            <div className="wrap-anywhere">
              <b>{aliasesText(aliasCount)}.</b> {said(accountDomainMessages.inUse)}
            </div>
          </div>
        </div>
      )}
    </ConfirmDialog>
  );
}
