import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Copy, Pin, PinOff, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { Button, Switch } from "../../../ui/Controls.tsx";
import { Dialog } from "../../../ui/Dialog.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { dayText } from "../../../ui/text/time-text.ts";
import { PartFailed, usePart } from "../../../ui/use-part.tsx";
import { SetUpState } from "../../forwarding/SetUpState.tsx";
import { NoticesPanel } from "../../notices/NoticesPanel.tsx";
import { SmtpPanel } from "../../smtp-credentials/SmtpPanel.tsx";
import { closeAlias, findAliasLink } from "../alias-location.ts";
import { addressOf, destinationText, entriesOf, isActive, isUrl } from "../alias-text.ts";
import { Destinations } from "../row/AliasListRow.tsx";
import { EncryptedForwarding, useSaveAlias, WriteByAddress } from "../row/AliasSettings.tsx";
import { useAliasDeletion } from "../row/alias-deletion.tsx";
import { switchAlias } from "../switch-alias.ts";
import { type EditedField, EditedPart, PanelPart } from "./EditedPart.tsx";
import { LabelsPart } from "./LabelsPart.tsx";

const loadQr = async () => (await import("../../../ui/QrCode.tsx")).QrCode;

function PinButton({ alias }: { alias: AliasWire }) {
  const { save, pending } = useSaveAlias(alias, alias.pinned ? "Alias Unpinned" : "Alias Pinned");
  const Icon = alias.pinned ? PinOff : Pin;
  return (
    <Button
      icon={Icon}
      aria-disabled={pending !== undefined || undefined}
      onClick={() => save({ pinned: !alias.pinned })}
    >
      {alias.pinned ? "Unpin" : "Pin"}
    </Button>
  );
}

function Summary({ alias }: { alias: AliasWire }) {
  const client = useQueryClient();
  const { part: qr, hasFailed } = usePart(true, loadQr);
  const address = addressOf(alias);
  const active = isActive(alias);
  return (
    <div className="summary">
      <div className="facts">
        <div className="state-row">
          <Switch
            checked={active}
            label={`${address} forwards mail`}
            onChange={(wanted) => void switchAlias(client, alias, wanted)}
          />
          <span>{active ? "Active" : "Paused - emails silently dropped"}</span>
        </div>
        <SetUpState alias={alias} />
        <div className="acts">
          <Button look="ink" icon={Copy} onClick={() => void copyText(address)}>
            Copy Address
          </Button>
          <PinButton alias={alias} />
        </div>
      </div>
      {hasFailed ? <PartFailed what="The QR code" /> : null}
      <div className="qr-box">{qr === null ? null : <qr.component text={address} label={address} />}</div>
    </div>
  );
}

/** Deleting closes the panel first, since the alias leaves the list at once. */
function DeletePart({ alias }: { alias: AliasWire }) {
  const { ask, dialog } = useAliasDeletion(alias.userId, closeAlias);
  return (
    <div className="delete-part">
      <p>Mail to a deleted alias is refused.</p>
      <Button look="danger-line" icon={Trash2} onClick={() => ask(alias)}>
        Delete Alias
      </Button>
      {dialog}
    </div>
  );
}

export function AliasPanel({ alias }: { alias: AliasWire }) {
  const smtpId = useId();
  const [editing, setEditing] = useState<EditedField | null>(null);
  const address = addressOf(alias);
  const destinations = destinationText(alias);
  const entries = entriesOf(destinations);
  const edit = { alias, editing, onEditing: setEditing };
  return (
    <Dialog
      look="sheet"
      title={address}
      description={`Created ${dayText(alias.createdAt)}`}
      onClose={closeAlias}
      onEscape={() => (editing === null ? closeAlias() : setEditing(null))}
      returnTo={() => findAliasLink(alias.id)}
    >
      <div className="body">
        <Summary alias={alias} />
        <NoticesPanel aliasId={alias.id} />
        <EditedPart {...edit} field="forwardTo" title="Forwards to">
          <Destinations
            userId={alias.userId}
            // Shows what a paused alias would forward to when active.
            alias={{ ...alias, active: true, forwardTo: destinations }}
            described={entries.join(" ")}
          />
        </EditedPart>
        <EditedPart {...edit} field="notes" title="Notes">
          {alias.notes ? <p>{alias.notes}</p> : <p className="muted">No notes</p>}
        </EditedPart>
        <LabelsPart alias={alias} />
        <PanelPart title="Sending and encryption">
          <SmtpPanel id={smtpId} alias={alias} hasWebhook={entries.some(isUrl)}>
            <WriteByAddress alias={alias} />
            <EncryptedForwarding alias={alias} />
          </SmtpPanel>
        </PanelPart>
        <DeletePart alias={alias} />
      </div>
    </Dialog>
  );
}
