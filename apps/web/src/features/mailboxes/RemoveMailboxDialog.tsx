/** Lists the aliases that lose the mailbox, and those that have no other. */
import type { MailboxWire, ResponseOf } from "@kauke/contract";
import { Info, TriangleAlert } from "lucide-react";
import { messageOf } from "../../api/api-error.ts";
import { useMailboxAliases, useRemoveMailbox } from "../../api/mailboxes.ts";
import { useUser } from "../../api/session/session.ts";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Skeleton, TryAgain } from "../../ui/LoadFailed.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
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
          It is the only destination of <b>{namedText(only)}</b>. Choose another one there first, or delete the alias.
        </div>
      </div>
    );
  if (uses.length === 0) return <p className="hint">No alias forwards to it.</p>;
  return (
    <div className="note note-plain">
      <Info className="i" aria-hidden />
      <div className="wrap-anywhere">
        {aliasCountText(uses.length)} will no longer forward to it: <b>{namedText(uses.map(addressOf))}</b>. Their other
        destinations stay.
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
  const { data: uses, error, isFetching, refetch } = useMailboxAliases(id, !remove.isPending && !remove.isSuccess);
  const onRemove = () =>
    remove.mutate(id, {
      onSuccess: () => {
        showToast({ title: "Mailbox Removed", description: address });
        onClose();
      },
      onError: (failure) => {
        showFailure("Mailbox Not Removed", refusalText(failure, "The mailbox could not be removed. Please try again."));
        void refetch();
      },
    });
  return (
    <ConfirmDialog
      title="Remove mailbox"
      description={`${address} leaves your list and all your aliases.`}
      label="Remove Mailbox"
      pending={remove.isPending}
      pendingLabel="Removing..."
      disabled={uses === undefined || uses.some(({ isOnly }) => isOnly)}
      onConfirm={onRemove}
      onClose={onClose}
    >
      <div className="body" aria-busy={uses === undefined}>
        {uses !== undefined ? (
          <UsesNote uses={uses} />
        ) : error !== null && !isFetching ? (
          <p className="hint" role="alert">
            {messageOf(error, "Its aliases could not be loaded.")} <TryAgain onClick={refetch} />
          </p>
        ) : (
          <Skeleton w="80%" />
        )}
      </div>
    </ConfirmDialog>
  );
}
