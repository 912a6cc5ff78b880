import type { AliasWire } from "@kauke/contract";
import { useQueryClient } from "@tanstack/react-query";
import { Copy, Pause, Pencil, Pin, Trash2, Webhook } from "lucide-react";
import { type MouseEvent, memo } from "react";
import { rich, t } from "../../../texts/texts.ts";
import { IconButton, Switch } from "../../../ui/Controls.tsx";
import { copyText } from "../../../ui/text/copy-text.ts";
import { SetUpState } from "../../forwarding/SetUpState.tsx";
import { SmtpButton } from "../../smtp-credentials/SmtpButton.tsx";
import { aliasPath, onAliasLink } from "../alias-location.ts";
import { addressOf, cutNotes, entriesOf, isActive, isUrl, madeByText } from "../alias-text.ts";
import { LabelChips } from "../labels/LabelChip.tsx";
import type { LabelsById } from "../list/list-view.ts";
import { useIsNewAlias } from "../new-alias.ts";
import { switchAlias } from "../switch-alias.ts";
import { RowState } from "./MailboxState.tsx";

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
      label={t("{address} forwards mail", { address })}
      onChange={(active) => void switchAlias(client, alias, active)}
    />
  );
}

/** One line: the first destination, how many more there are, and what is wrong with any of them. */
function Destinations({ alias }: { alias: AliasWire }) {
  if (!isActive(alias))
    return (
      <span className="state">
        <Pause className="i" aria-hidden />
        <span>
          {rich("Paused<span> - emails silently dropped</span>", {
            span: (inner) => <span className="long">{inner}</span>,
          })}
        </span>
      </span>
    );
  const [first = "", ...rest] = entriesOf(alias.forwardTo);
  return (
    <span className="to">
      {isUrl(first) ? <Webhook className="i" role="img" aria-label={t("Webhook")} /> : null}
      <span className="cut">{first}</span>
      {rest.length === 0 ? null : (
        <span className="more" data-tip={rest.join(", ")}>
          <span aria-hidden="true">+{rest.length}</span>
          <span className="sr">, {rest.join(", ")}</span>
        </span>
      )}
      <RowState alias={alias} />
    </span>
  );
}

function Notes({ notes }: { notes: string }) {
  const cut = cutNotes(notes);
  if (cut === notes) return <span className="cut">{notes}</span>;
  return (
    // Cut notes are focusable, so that keyboard users get the tooltip with the whole text.
    <span className="cut" data-tip={notes} tabIndex={0}>
      <span aria-hidden="true">{cut}</span>
      <span className="sr">{notes}</span>
    </span>
  );
}

function MadeBy({ alias }: { alias: AliasWire }) {
  const text = madeByText(alias);
  if (text === null) return null;
  return (
    <span className="tag" data-tip={text}>
      <span aria-hidden="true">{t("By mail")}</span>
      <span className="sr">{text}</span>
    </span>
  );
}

interface Props {
  alias: AliasWire;
  /** Whether the Edit button gets the focus, after the edit form has closed. */
  focusEdit: boolean;
  /** Whether the alias' panel is open; `smtp` if its part about sending is open too. */
  opened: "panel" | "smtp" | null;
  isPicked: boolean;
  labels: LabelsById | undefined;
  /** @param isRange selects from the last selected alias to this one */
  onPick: (aliasId: string, isRange: boolean) => void;
  onSmtp: (aliasId: string) => void;
  onEdit: (aliasId: string) => void;
  onDelete: (alias: AliasWire) => void;
}

/** A row may show another alias after a search, so parts with state have the alias' id as key. */
export const AliasListRow = memo(function AliasListRow(props: Props) {
  const { alias, focusEdit, opened, isPicked, labels, onPick, onSmtp, onEdit, onDelete } = props;
  const address = addressOf(alias);
  const isNew = useIsNewAlias(alias.id);
  const states = [isActive(alias) ? "" : "paused", opened ? "open" : "", isPicked ? "picked" : "", isNew ? "new" : ""];
  const classes = states.filter((state) => state !== "").join(" ");
  return (
    <tr className={classes || undefined} data-row={alias.id}>
      <td className="c-pick">
        <PickBox
          label={t("Select {address}", { address })}
          checked={isPicked}
          pick={alias.id}
          onClick={(event) => onPick(alias.id, event.shiftKey)}
        />
      </td>
      <td className="c-on">
        <AliasSwitch alias={alias} />
      </td>
      <th scope="row" className="c-alias">
        <div>
          {alias.pinned ? <Pin className="i" role="img" aria-label={t("Pinned")} /> : null}
          <span className="addr">
            <a href={aliasPath(alias.id)} aria-current={opened ? "true" : undefined} onClick={onAliasLink}>
              <b>{alias.alias}</b>@{alias.domain}
            </a>
          </span>
          <IconButton
            icon={Copy}
            label={t("Copy")}
            fullLabel={t("Copy {address}", { address })}
            onClick={() => void copyText(address)}
          />
        </div>
      </th>
      <td className="c-to">
        <Destinations alias={alias} />
        <SetUpState key={`set-up-${alias.id}`} alias={alias} />
      </td>
      <td className="c-notes">
        <div>
          <MadeBy alias={alias} />
          <LabelChips ids={alias.labels} labels={labels} />
          {alias.notes ? <Notes notes={alias.notes} /> : null}
        </div>
      </td>
      <td className="actions">
        <SmtpButton address={address} isOpen={opened === "smtp"} onToggle={() => onSmtp(alias.id)} />
        <button
          type="button"
          className="icon-btn"
          aria-label={t("Edit {address}", { address })}
          data-tip={t("Edit")}
          // Focus returns to the Edit button after an edit.
          autoFocus={focusEdit}
          onClick={() => onEdit(alias.id)}
        >
          <Pencil className="i" aria-hidden />
        </button>
        <IconButton
          icon={Trash2}
          label={t("Delete")}
          fullLabel={t("Delete {address}", { address })}
          className="danger"
          onClick={() => onDelete(alias)}
        />
      </td>
    </tr>
  );
});
