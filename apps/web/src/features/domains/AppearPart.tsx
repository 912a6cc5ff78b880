/** Which aliases appear on an own domain when the first mail to them arrives, and the names that never do. */
import { type AccountDomainWire, type AppearMode, appearModes } from "@kauke/contract";
import { ChevronDown, TriangleAlert, X } from "lucide-react";
import { type FormEvent, useId, useRef, useState } from "react";
import { useChangeDomain } from "../../api/account-domains.ts";
import { fieldMessages } from "../../api/error-text.ts";
import { useAccountDefaults } from "../../api/mailboxes.ts";
import { rich, t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { TextField, verbatim } from "../../ui/Field.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useFocusKept } from "../../ui/use-focus-kept.ts";
import { appearLabels, appearText, exampleNames, prefixesText, readPrefixes } from "./appear-text.ts";

function useSaveRules({ id }: AccountDomainWire) {
  const change = useChangeDomain();
  const fail = (error: Error) => showFailure(t("Update Failed"), refusalText(error, t("Failed to save the setting")));
  const save = (body: Parameters<typeof change.mutate>[0]["body"], { onSaved = () => {}, onError = fail } = {}) => {
    if (change.isPending) return;
    const onSuccess = () => {
      showToast({ title: t("Aliases That Appear Changed") });
      onSaved();
    };
    change.mutate({ domainId: id, body }, { onSuccess, onError });
  };
  return { save, isPending: change.isPending };
}

function Examples({ typed, domain }: { typed: string; domain: string }) {
  const examples = exampleNames(readPrefixes(typed));
  if (examples === null) return null;
  const address = (name: string) => (
    <span className="addr" key={name}>
      {name}@{domain}
    </span>
  );
  const [first = "", second] = examples.matching;
  return (
    <div className="hint appear-examples">
      <p>
        {second === undefined
          ? rich("Would appear: {first}", { first: address(first) })
          : rich("Would appear: {first}, {second}", { first: address(first), second: address(second) })}
      </p>
      <p>{rich("Would not: {other}", { other: address(examples.other) })}</p>
    </div>
  );
}

function PrefixForm({ domain }: { domain: AccountDomainWire }) {
  const { save, isPending } = useSaveRules(domain);
  const [changed, setChanged] = useState<string | null>(null);
  const typed = changed ?? prefixesText(domain.prefixes);
  const [error, setError] = useState<string>();
  const input = useRef<HTMLInputElement>(null);
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    setError(undefined);
    const onError = (failure: Error) => {
      const message = fieldMessages(failure).find(([field]) => field.startsWith("prefixes"))?.[1];
      setError(message ?? refusalText(failure, t("Failed to save the setting")));
      input.current?.focus();
    };
    const onSaved = () => setChanged((now) => (now === changed ? null : now));
    save({ appear: "prefixes", prefixes: readPrefixes(typed) }, { onSaved, onError });
  };
  return (
    <form className="appear-form" onSubmit={onSubmit} noValidate>
      <TextField
        {...verbatim}
        mono
        ref={input}
        label={t("Beginnings of names, with commas between them")}
        value={typed}
        error={error}
        onChange={(event) => {
          setChanged(event.target.value);
          setError(undefined);
        }}
      />
      <Examples typed={typed} domain={domain.shownDomain} />
      <SubmitButton pending={isPending} pendingLabel={t("Saving...")}>
        {t("Save Beginnings")}
      </SubmitButton>
    </form>
  );
}

function RefusedNames({ domain }: { domain: AccountDomainWire }) {
  const { save } = useSaveRules(domain);
  const { neverNames, shownDomain } = domain;
  const id = useId();
  if (neverNames.length === 0) return null;
  return (
    <section aria-label={`${t("Refused for good")}: ${shownDomain}`}>
      <h5 id={id}>{t("Refused for good")}</h5>
      <ul className="appear-refused" aria-labelledby={id}>
        {neverNames.map((name) => (
          <li key={name}>
            <span className="addr">{name}</span>
            <IconButton
              icon={X}
              label={t("Allow again")}
              fullLabel={t("Allow {address} again", { address: `${name}@${shownDomain}` })}
              onClick={() => save({ neverNames: neverNames.filter((other) => other !== name) })}
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function NoMailbox() {
  const { data } = useAccountDefaults();
  if (data === undefined || data.mailboxId !== null) return null;
  return (
    <div className="note" role="status">
      <TriangleAlert className="i" aria-hidden />
      <div>
        {t("Nothing appears before a mailbox of yours is confirmed, since new aliases forward to your default one.")}
      </div>
    </div>
  );
}

function Choice({ domain }: { domain: AccountDomainWire }) {
  const { save, isPending } = useSaveRules(domain);
  const id = useId();
  const [picked, setPicked] = useState<AppearMode | null>(null);
  const [saved, setSaved] = useState(domain.appear);
  if (saved !== domain.appear) {
    setSaved(domain.appear);
    setPicked(null);
  }
  const shown = picked ?? domain.appear;
  const isChanged = shown !== domain.appear;
  return (
    <>
      <div className="segments" role="radiogroup" aria-label={t("Names that appear")}>
        {appearModes.map((mode) => (
          <label key={mode}>
            <input type="radio" name={id} checked={shown === mode} onChange={() => setPicked(mode)} />
            <span>{appearLabels[mode]}</span>
          </label>
        ))}
      </div>
      <p className="hint" role="status">
        {isChanged ? t("Not saved yet.") : null}
      </p>
      {shown === "prefixes" ? <PrefixForm domain={domain} /> : null}
      {shown !== "prefixes" && isChanged ? (
        <SubmitButton
          type="button"
          pending={isPending}
          pendingLabel={t("Saving...")}
          onClick={() => save({ appear: shown })}
        >
          {t("Save Choice")}
        </SubmitButton>
      ) : null}
    </>
  );
}

/** Of a domain whose mail is accepted. */
export function AppearPart({ domain }: { domain: AccountDomainWire }) {
  const id = useId();
  const titleId = `${id}-title`;
  const [isOpen, setIsOpen] = useState(false);
  useFocusKept(titleId);
  return (
    <section className="domain-appear" aria-label={`${t("Aliases that appear")}: ${domain.shownDomain}`}>
      <div className="domain-head">
        <div>
          <h5 id={titleId} tabIndex={-1}>
            {t("Aliases that appear")}
          </h5>
          <p>{appearText(domain)}</p>
        </div>
        <div className="acts">
          <Button
            isSmall
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-label={t("Change which aliases appear on {domain}", { domain: domain.shownDomain })}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t("Change")}
            <ChevronDown className="i" aria-hidden />
          </Button>
        </div>
      </div>
      {isOpen ? (
        <div id={id} className="domain-records">
          <p>
            {t(
              "Mail to a name that is no alias yet makes one, which forwards to your default mailbox: at most 20 in an hour here, and 100 in a day on all your domains. Further names are refused until the hour or the day is over. You can keep, label or refuse each.",
            )}
          </p>
          <NoMailbox />
          <Choice domain={domain} />
          <RefusedNames domain={domain} />
        </div>
      ) : null}
    </section>
  );
}
