import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Copy, Pause, Pencil, Pin, Trash2, Webhook } from "lucide-react";
import { type MouseEvent, memo, useId } from "react";
import { IconButton, Switch } from "../../../ui/Controls.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { SetUpState } from "../../forwarding/SetUpState.tsx";
import { SmtpButton, SmtpPanel } from "../../smtp-credentials/SmtpPanel.tsx";
import { aliasPath, onAliasLink } from "../alias-location.ts";
import { addressOf, cutNotes, destinationText, entriesOf, isActive, isUrl } from "../alias-text.ts";
import { LabelChips } from "../labels/LabelChip.tsx";
import type { LabelsById } from "../list/list-view.ts";
import { useIsNewAlias } from "../new-alias.ts";
import { switchAlias } from "../switch-alias.ts";
import { EncryptedForwarding, WriteByAddress } from "./AliasSettings.tsx";
import { MailboxState, SuspendedMailbox } from "./MailboxState.tsx";

interface PickBoxProps {
  label: string;
  checked: boolean | "mixed";
  pick?: string;
  onClick: (event: MouseEvent) => void;
}

/** Checkbox that selects one alias, or a whole page. */
export function PickBox({ label, checked, pick, onClick }: PickBoxProps) {
  return (
    <button
      type="button"
      className="pick"
      role="checkbox"
      aria-checked={checked}
      aria-label={label}
      data-pick={pick}
      onClick={onClick}
    />
  );
}

export function AliasSwitch({ alias }: { alias: AliasWire }) {
  const client = useQueryClient();
  const address = addressOf(alias);
  return (
    <Switch
      checked={isActive(alias)}
      label={`${address} forwards mail`}
      onChange={(active) => void switchAlias(client, alias, active)}
    />
  );
}

export function Destinations({ userId, alias, described }: Pick<Props, "userId" | "alias" | "described">) {
  if (!isActive(alias))
    return (
      <span className="state">
        <Pause className="i" aria-hidden />
        Paused - emails silently dropped
      </span>
    );
  return entriesOf(alias.forwardTo).map((entry) => (
    <span className="to" key={entry}>
      {isUrl(entry) ? <Webhook className="i" role="img" aria-label="Webhook" /> : null}
      <span>
        {entry}
        {alias.pausedWebhooks?.includes(entry) ? (
          <span className="gone">Paused - gone (410). Save it again to resume.</span>
        ) : null}
        {alias.suspended?.includes(entry) ? (
          <SuspendedMailbox userId={userId} address={entry} />
        ) : (
          <MailboxState
            userId={userId}
            address={entry}
            state={stateOf(alias, entry)}
            isDescribed={described.split(" ").includes(entry)}
          />
        )}
      </span>
    </span>
  ));
}

const stateOf = ({ unconfirmed = [] }: AliasWire, entry: string) =>
  unconfirmed.find((mailbox) => mailbox.address === entry)?.state ?? "confirmed";

function Notes({ notes }: { notes: string }) {
  const cut = cutNotes(notes);
  if (cut === notes) return notes;
  return (
    // Cut notes are focusable, so that keyboard users get the tooltip with the whole text.
    <span data-tip={notes} tabIndex={0}>
      <span aria-hidden="true">{cut}</span>
      <span className="sr">{notes}</span>
    </span>
  );
}

interface Props {
  userId: string;
  alias: AliasWire;
  /** Mailboxes whose state this row says in words, separated by spaces. */
  described: string;
  /** Whether the Edit button gets the focus, after the edit form has closed. */
  focusEdit: boolean;
  isOpen: boolean;
  isPicked: boolean;
  labels: LabelsById | undefined;
  /** @param isRange selects from the last selected alias to this one */
  onPick: (aliasId: string, isRange: boolean) => void;
  onPanel: (aliasId: string) => void;
  onEdit: (aliasId: string) => void;
  onDelete: (alias: AliasWire) => void;
}

/** A row may show another alias after a search, so parts with state have the alias' id as key. */
export const AliasListRow = memo(function AliasListRow(props: Props) {
  const { userId, alias, described, focusEdit, isOpen, isPicked, labels, onPick, onPanel, onEdit, onDelete } = props;
  const address = addressOf(alias);
  const panelId = useId();
  const isNew = useIsNewAlias(alias.id);
  const states = [isActive(alias) ? "" : "paused", isOpen ? "open" : "", isPicked ? "picked" : "", isNew ? "new" : ""];
  const classes = states.filter((state) => state !== "").join(" ");
  return (
    <>
      <tr className={classes || undefined}>
        <td className="c-pick">
          <PickBox
            label={`Select ${address}`}
            checked={isPicked}
            pick={alias.id}
            onClick={(event) => onPick(alias.id, event.shiftKey)}
          />
        </td>
        <td className="c-on">
          <AliasSwitch alias={alias} />
        </td>
        <td className="c-alias">
          <span className="addr">
            {alias.pinned ? <Pin className="i" role="img" aria-label="Pinned" /> : null}
            <a href={aliasPath(alias.id)} onClick={onAliasLink}>
              <b>{alias.alias}</b>@{alias.domain}
            </a>
          </span>
          <LabelChips ids={alias.labels} labels={labels} />
        </td>
        <td className="c-to">
          <Destinations key={alias.id} userId={userId} alias={alias} described={described} />
          <SetUpState key={`set-up-${alias.id}`} alias={alias} />
        </td>
        <td className="c-notes notes">{alias.notes ? <Notes notes={alias.notes} /> : null}</td>
        <td className="actions">
          <SmtpButton address={address} panelId={panelId} isOpen={isOpen} onToggle={() => onPanel(alias.id)} />
          <IconButton icon={Copy} label="Copy" fullLabel={`Copy ${address}`} onClick={() => void copyText(address)} />
          <button
            type="button"
            className="icon-btn"
            aria-label={`Edit ${address}`}
            data-tip="Edit"
            // Focus returns to the Edit button after an edit.
            autoFocus={focusEdit}
            onClick={() => onEdit(alias.id)}
          >
            <Pencil className="i" aria-hidden />
          </button>
          <IconButton
            icon={Trash2}
            label="Delete"
            fullLabel={`Delete ${address}`}
            className="danger"
            onClick={() => onDelete(alias)}
          />
        </td>
      </tr>
      {isOpen ? (
        <tr key={alias.id} className="sub">
          <td colSpan={6}>
            <SmtpPanel id={panelId} alias={alias} hasWebhook={entriesOf(destinationText(alias)).some(isUrl)}>
              <WriteByAddress alias={alias} />
              <EncryptedForwarding alias={alias} />
            </SmtpPanel>
          </td>
        </tr>
      ) : null}
    </>
  );
});
