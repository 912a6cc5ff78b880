/** Lists the aliases that lose the mailbox, and those that have no other. */
import type { MailboxWire, ResponseOf } from "@kauke/contract";
import { Info, TriangleAlert } from "lucide-react";
import { messageOf } from "../../api/error-text.ts";
import { useMailboxAliases, useRemoveMailbox } from "../../api/mailboxes.ts";
import { useUser } from "../../api/session/session.ts";
import { rich, t } from "../../texts/texts.ts";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Skeleton, TryAgain } from "../../ui/LoadFailed.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useRowReturn } from "../../ui/use-row-return.ts";
import { addressOf } from "../aliases/alias-text.ts";
import { aliasCountText, namedText } from "./mailbox-text.ts";

type Uses = ResponseOf<"listMailboxAliases">["aliases"];

function UsesNote({ uses }: { uses: Uses }) {
  const only = uses.filter(({ isOnly }) => isOnly).map(addressOf);
  if (only.length > 0)
    return (
      <div className="note" role="alert">
        <TriangleAlert className="i" aria-hidden />
        <div className="wrap-anywhere">
          {rich("It is the only destination of {aliases}. Choose another one there first, or delete the alias.", {
            aliases: <b>{namedText(only)}</b>,
          })}
        </div>
      </div>
    );
  if (uses.length === 0) return <p className="hint">{t("No alias forwards to it.")}</p>;
  return (
    <div className="note note-plain">
      <Info className="i" aria-hidden />
      <div className="wrap-anywhere">
        {rich("{count} will no longer forward to it: {aliases}. Their other destinations stay.", {
          count: aliasCountText(uses.length),
          aliases: <b>{namedText(uses.map(addressOf))}</b>,
        })}
      </div>
    </div>
  );
}

interface Props {
  mailbox: MailboxWire;
  onClose: () => void;
}

export function RemoveMailboxDialog({ mailbox: { id, email: address }, onClose }: Props) {
  const remove = useRemoveMailbox(useUser().id);
  const { returnTo, noteGone } = useRowReturn();
  const { data: uses, error, isFetching, refetch } = useMailboxAliases(id, !remove.isPending && !remove.isSuccess);
  const onRemove = () =>
    remove.mutate(id, {
      onSuccess: () => {
        noteGone();
        showToast({ title: t("Mailbox Removed"), description: address });
        onClose();
      },
      onError: (failure) => {
        showFailure(
          t("Mailbox Not Removed"),
          refusalText(failure, t("The mailbox could not be removed. Please try again.")),
        );
        void refetch();
      },
    });
  return (
    <ConfirmDialog
      title={t("Remove mailbox")}
      description={t("{address} leaves your list and all your aliases.", { address })}
      label={t("Remove Mailbox")}
      pending={remove.isPending}
      pendingLabel={t("Removing...")}
      returnTo={returnTo}
      disabled={uses === undefined || uses.some(({ isOnly }) => isOnly)}
      onConfirm={onRemove}
      onClose={onClose}
    >
      <div className="body" aria-busy={uses === undefined}>
        {uses !== undefined ? (
          <UsesNote uses={uses} />
        ) : error !== null && !isFetching ? (
          <p className="hint" role="alert">
            {messageOf(error, t("Its aliases could not be loaded."))} <TryAgain onClick={refetch} />
          </p>
        ) : (
          <Skeleton w="80%" />
        )}
      </div>
    </ConfirmDialog>
  );
}
