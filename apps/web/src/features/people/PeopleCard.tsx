/** Whom one wrote to: remembered with their keys, forgotten one by one or all, or not remembered at all. */
import type { ContactWire } from "@kauke/contract";
import { Lock, X } from "lucide-react";
import { useState } from "react";
import { useAccountSettings, useChangeAccountSettings } from "../../api/account-settings.ts";
import { useContactCalls, useContacts } from "../../api/contacts.ts";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { Button, IconButton, Switch } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { LoadFailed } from "../../ui/LoadFailed.tsx";
import { dayText } from "../../ui/text/time-text.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { useListFocus } from "../../ui/use-list-focus.ts";
import { useRevealed } from "../../ui/use-revealed.ts";

const PEOPLE_SHOWN = 5;

function failedText(error: unknown): void {
  showFailure(t("Update Failed"), messageOf(error, t("Please try again.")));
}

interface RowProps {
  person: ContactWire;
  onForget: () => void;
}

function Row({ person: { address, publicKey, lastUsedAt }, onForget }: RowProps) {
  return (
    <li>
      <div>
        <span className="addr">{address}</span>
        <span className="hint">
          {publicKey === null ? (
            t("No key")
          ) : (
            <>
              <Lock className="i" aria-hidden /> {t("Key known")}
            </>
          )}{" "}
          {t("· last written to on {day}", { day: dayText(lastUsedAt) })}
        </span>
      </div>
      <IconButton icon={X} label={t("Forget")} fullLabel={t("Forget {address}", { address })} onClick={onForget} />
    </li>
  );
}

type Asking = "off" | "all" | null;

const questions = {
  off: {
    title: t("Stop remembering people?"),
    description: t("Everyone remembered is forgotten, and their keys too."),
    label: t("Forget and Switch Off"),
  },
  all: {
    title: t("Forget everyone?"),
    description: t("Their addresses and keys are deleted here. People you write to afterwards are remembered again."),
    label: t("Forget Everyone"),
  },
} as const;

function List({ people, onAskAll }: { people: readonly ContactWire[]; onAskAll: () => void }) {
  const { forgetContact } = useContactCalls();
  const [isWhole, setWhole] = useState(false);
  const listFocus = useListFocus(() => document.getElementById("people"));
  useRevealed(listFocus.ref, isWhole, PEOPLE_SHOWN);
  const shown = isWhole ? people : people.slice(0, PEOPLE_SHOWN);
  if (people.length === 0)
    return <p className="card-body hint">{t("Nobody yet: write to somebody, and they are listed here.")}</p>;
  return (
    <>
      <ul className="people" aria-label={t("Remembered people")} {...listFocus}>
        {shown.map((person) => (
          <Row key={person.id} person={person} onForget={() => void forgetContact(person.id).catch(failedText)} />
        ))}
      </ul>
      <div className="card-foot">
        {shown.length === people.length ? null : (
          <Button isSmall look="quiet" onClick={() => setWhole(true)}>
            {t("Show all {count}", { count: people.length })}
          </Button>
        )}
        <Button isSmall look="danger-line" onClick={onAskAll}>
          {t("Forget Everyone")}
        </Button>
      </div>
    </>
  );
}

export function PeopleCard() {
  const settings = useAccountSettings();
  const contacts = useContacts();
  const change = useChangeAccountSettings();
  const { forgetAll, refetch } = useContactCalls();
  const [asking, setAsking] = useState<Asking>(null);
  const people = contacts.data ?? [];
  const isOn = settings.data?.remembersContacts !== false;
  const setOn = (remembersContacts: boolean) =>
    change.mutate({ remembersContacts }, { onSuccess: () => void refetch(), onError: failedText });
  const onConfirm = () => {
    if (asking === "off") setOn(false);
    else void forgetAll().then(() => document.getElementById("people")?.focus(), failedText);
    setAsking(null);
  };
  return (
    <Card id="people" title={t("People")} canFocus isBusy={contacts.isPending}>
      <Setting
        title={t("Remember people")}
        text={t(
          "Compose suggests whom you wrote to, and fills in their public keys. The list is stored encrypted on the server.",
        )}
      >
        <Switch
          checked={isOn}
          label={t("Remember people")}
          onChange={(to) => (to || people.length === 0 ? setOn(to) : setAsking("off"))}
        />
      </Setting>
      {contacts.error !== null && contacts.data === undefined ? (
        <LoadFailed
          heading="h4"
          title={t("The list could not be loaded")}
          error={contacts.error}
          onRetry={contacts.refetch}
        />
      ) : null}
      {isOn && contacts.data !== undefined ? <List people={people} onAskAll={() => setAsking("all")} /> : null}
      {asking === null ? null : (
        <ConfirmDialog {...questions[asking]} onConfirm={onConfirm} onClose={() => setAsking(null)} />
      )}
    </Card>
  );
}
