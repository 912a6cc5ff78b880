/** Aliases of other services are preselected. */
import { type FormEvent, useId, useState } from "react";
import { plural } from "../../../texts/plural.ts";
import { t } from "../../../texts/texts.ts";
import { Button } from "../../../ui/Controls.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { countText } from "../../../ui/text/count-text.ts";
import type { LoginGroup } from "../export-file/login-groups.ts";
import type { Login } from "../export-file/password-export.ts";

const FIRST_ADDRESSES = 6;

interface Props {
  /** `null` if unknown. */
  program: string | null;
  entries: number;
  groups: readonly LoginGroup[];
  pending: boolean;
  error: string | null;
  onAdd: (logins: Login[]) => void;
  onCancel: () => void;
}

const sitesText = (count: number) => plural(count, "{count} site", "{count} sites", { count: countText(count) });

function readText(count: number, program: string | null): string {
  const values = { count: countText(count) };
  if (program === null)
    return plural(
      count,
      "{count} login from a password manager read on this device. Tick what you want to replace: only those sites and addresses are stored, sealed.",
      "{count} logins from a password manager read on this device. Tick what you want to replace: only those sites and addresses are stored, sealed.",
      values,
    );
  return plural(
    count,
    "{count} login from {program} read on this device. Tick what you want to replace: only those sites and addresses are stored, sealed.",
    "{count} logins from {program} read on this device. Tick what you want to replace: only those sites and addresses are stored, sealed.",
    { ...values, program },
  );
}

interface GroupsProps {
  title: string;
  hint: string;
  groups: readonly LoginGroup[];
  chosen: ReadonlySet<string>;
  onToggle: (name: string) => void;
}

function Groups({ title, hint, groups, chosen, onToggle }: GroupsProps) {
  const id = useId();
  const isCut = groups.length > FIRST_ADDRESSES + 1;
  const [isWhole, setIsWhole] = useState(!isCut);
  if (groups.length === 0) return null;
  const shown = isWhole ? groups : groups.slice(0, FIRST_ADDRESSES);
  return (
    <fieldset
      className={groups.some((group) => group.isService) ? "choices" : "choices addresses"}
      aria-describedby={id}
    >
      <legend>{title}</legend>
      <p className="hint" id={id}>
        {hint}
      </p>
      {shown.map(({ name, isService, logins }, place) => (
        <label className="choice" key={name}>
          <input
            type="checkbox"
            // The button that shows the others disappears.
            autoFocus={isCut && place === FIRST_ADDRESSES}
            checked={chosen.has(name)}
            onChange={() => onToggle(name)}
          />
          <span>
            {isService ? <b>{name}</b> : <b className="addr">{name}</b>}
            <span className="count">{sitesText(logins.length)}</span>
          </span>
        </label>
      ))}
      {isWhole ? null : (
        <button type="button" className="link" onClick={() => setIsWhole(true)}>
          {t("Show all {count} addresses", { count: countText(groups.length) })}
        </button>
      )}
    </fieldset>
  );
}

export function ChooseLogins({ program, entries, groups, pending, error, onAdd, onCancel }: Props) {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(
    () => new Set(groups.filter(({ isService }) => isService).map(({ name }) => name)),
  );
  const onToggle = (name: string) =>
    setChosen((before) => {
      const after = new Set(before);
      if (!after.delete(name)) after.add(name);
      return after;
    });
  const logins = groups.filter(({ name }) => chosen.has(name)).flatMap((group) => group.logins);
  const services = groups.filter(({ isService }) => isService);
  const others = groups.filter(({ isService }) => !isService);
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (!pending && logins.length > 0) onAdd(logins);
  };
  return (
    <form className="card-body choose-logins" aria-label={t("Addresses to replace")} onSubmit={handleSubmit}>
      <p>{readText(entries, program)}</p>
      <Groups
        title={t("Aliases of other services")}
        hint={t("They keep working only as long as you keep your account there.")}
        {...{ groups: services, chosen, onToggle }}
      />
      <Groups
        title={t("Your other addresses")}
        hint={t("An address that every site knows links them to each other.")}
        {...{ groups: others, chosen, onToggle }}
      />
      {error === null ? null : (
        <p className="error" role="alert">
          {error}
        </p>
      )}
      <div className="acts">
        <Button onClick={onCancel}>{t("Cancel")}</Button>
        <SubmitButton
          className="btn-primary"
          pending={pending}
          pendingLabel={t("Adding...")}
          disabled={logins.length === 0}
        >
          {plural(logins.length, "Add {count} site", "Add {count} sites", { count: countText(logins.length) })}
        </SubmitButton>
      </div>
    </form>
  );
}
