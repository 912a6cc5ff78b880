import type { ConfirmationState, MailboxWire } from "@kauke/contract";
import { Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useAskConfirmation, useChangeDefaults, useFreshMailboxes } from "../../api/mailboxes.ts";
import { useUser } from "../../api/session/session.ts";
import { Card } from "../../ui/Card.tsx";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { Empty, failureOf, LoadedList, Skeleton } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useForwarding } from "../forwarding/NeedsEngine.tsx";
import { AddMailboxDialog } from "./AddMailboxDialog.tsx";
import { aliasCountText, stateTag, stateTexts, stateTextsWithProvider } from "./mailbox-text.ts";
import { RemoveMailboxDialog } from "./RemoveMailboxDialog.tsx";

const noMailboxes = (
  <Empty
    heading="h4"
    eyes="open"
    title="No mailboxes yet"
    text="Add the addresses that your aliases forward to. Each gets one message that asks whether it is yours."
  />
);

function LoadingMailboxes() {
  return (
    <ul className="mailboxes" aria-hidden="true">
      {[22, 17].map((width) => (
        <li key={width}>
          <Skeleton w={`${width}ch`} />
          <Skeleton />
        </li>
      ))}
    </ul>
  );
}

function SendButton({ address, state }: { address: string; state: ConfirmationState }) {
  const ask = useAskConfirmation(useUser().id);
  const label = state === "new" ? "Send Confirmation" : "Send Again";
  const onClick = () =>
    ask.mutate(address, {
      onSuccess: () => showToast({ title: "Confirmation Sent", description: `Look for our message in ${address}.` }),
      onError: (error) => showFailure("Not Sent", refusalText(error, "The confirmation could not be sent")),
    });
  return (
    <SubmitButton
      type="button"
      className="btn-sm"
      label={ask.isPending ? `Sending... to ${address}` : `${label}: ${address}`}
      pending={ask.isPending}
      pendingLabel="Sending..."
      onClick={onClick}
    >
      {label}
    </SubmitButton>
  );
}

function DefaultButton({ mailbox: { id, email: address } }: { mailbox: MailboxWire }) {
  const change = useChangeDefaults();
  const onClick = () =>
    change.mutate(
      { mailboxId: id },
      {
        onSuccess: () => showToast({ title: "Default Mailbox Changed", description: address }),
        onError: (error) => showFailure("Update Failed", refusalText(error, "Failed to change the default mailbox")),
      },
    );
  return (
    <SubmitButton
      type="button"
      className="btn-quiet btn-sm"
      label={change.isPending ? `Saving... ${address}` : `Make default: ${address}`}
      pending={change.isPending}
      pendingLabel="Saving..."
      onClick={onClick}
    >
      Make default
    </SubmitButton>
  );
}

function MailboxRow({ mailbox, onRemove }: { mailbox: MailboxWire; onRemove: () => void }) {
  const { email: address, state, isDefault, aliasCount } = mailbox;
  const isOpen = state === "new" || state === "asked";
  const isOwn = useUser().email?.toLowerCase() === address.toLowerCase();
  const texts = useForwarding() === null ? stateTexts : stateTextsWithProvider;
  return (
    <li>
      <div>
        <div className="name">
          <span className="addr">
            <b>{address}</b>
          </span>
          {isDefault ? <span className="tag">default</span> : null}
          {state === "confirmed" ? null : <span className={stateTag[state].className}>{stateTag[state].text}</span>}
        </div>
        <p>
          {aliasCountText(aliasCount)}
          {isOwn ? ". You sign in with it." : "."} {texts[state]}
        </p>
      </div>
      <div className="acts">
        {isOpen ? <SendButton {...{ address, state }} /> : null}
        {state === "confirmed" && !isDefault ? <DefaultButton mailbox={mailbox} /> : null}
        {isOwn ? null : (
          <IconButton
            icon={Trash2}
            label="Remove"
            fullLabel={`Remove ${address}`}
            className="danger"
            onClick={onRemove}
          />
        )}
      </div>
    </li>
  );
}

export function MailboxesCard() {
  const query = useFreshMailboxes();
  const mailboxes = query.data;
  const [opened, setOpened] = useState<"add" | MailboxWire | null>(null);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  return (
    <Card
      id="mailboxes"
      title="Mailboxes"
      aside={
        <div className="right">
          <Button isSmall icon={Plus} disabled={mailboxes === undefined} onClick={() => setOpened("add")}>
            Add Mailbox
          </Button>
        </div>
      }
      isBusy={query.data === undefined && failure === null}
    >
      <LoadedList
        query={query}
        failedTitle="Your mailboxes could not be loaded"
        loading={<LoadingMailboxes />}
        empty={noMailboxes}
      >
        {(mailboxes) => (
          <ul className="mailboxes" aria-labelledby="mailboxes">
            {mailboxes.map((mailbox) => (
              <MailboxRow key={mailbox.id} mailbox={mailbox} onRemove={() => setOpened(mailbox)} />
            ))}
          </ul>
        )}
      </LoadedList>
      {opened === "add" ? <AddMailboxDialog onClose={onClose} /> : null}
      {opened !== null && opened !== "add" ? <RemoveMailboxDialog mailbox={opened} onClose={onClose} /> : null}
    </Card>
  );
}
