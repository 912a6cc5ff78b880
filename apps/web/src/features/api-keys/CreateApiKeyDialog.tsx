import { type CreateApiKeyBody, type KeyScope, keyScopes } from "@kauke/contract";
import { type FormEvent, useEffect, useEffectEvent, useId, useState } from "react";
import { ApiError } from "../../api/api-error.ts";
import { useCreateApiKey } from "../../api/api-keys.ts";
import { t } from "../../texts/texts.ts";
import { Select } from "../../ui/Controls.tsx";
import { FormDialog } from "../../ui/Dialog.tsx";
import { FieldError, TextField } from "../../ui/Field.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { NewKeyShown } from "./NewKeyShown.tsx";
import {
  type ApiKeyDraft,
  apiKeyNameLeft,
  emptyApiKey,
  expiryDays,
  expiryLabel,
  type NewApiKeyErrors,
  newApiKeyBody,
  newApiKeyErrors,
  scopeTexts,
  toggleScope,
} from "./new-api-key.ts";

interface FieldsProps {
  typed: ApiKeyDraft;
  errors: NewApiKeyErrors;
  onChange: (change: Partial<ApiKeyDraft>) => void;
}

interface ScopeProps {
  scope: KeyScope;
  isChosen: boolean;
  isWrong: boolean;
  onToggle: () => void;
}

function ScopeChoice({ scope, isChosen, isWrong, onToggle }: ScopeProps) {
  const { title, means } = scopeTexts[scope];
  return (
    <label className="choice">
      <input type="checkbox" checked={isChosen} aria-invalid={isWrong || undefined} onChange={onToggle} />
      <span>
        {title}
        <code>{scope}</code>
        <span>{means}</span>
      </span>
    </label>
  );
}

function ScopeChoices({ typed: { scopes }, errors, onChange }: FieldsProps) {
  const id = useId();
  const error = errors.scopes;
  return (
    <fieldset className="choices scopes" aria-describedby={error ? `${id}-error` : undefined}>
      <legend>{t("It may")}</legend>
      {keyScopes.map((scope) => (
        <ScopeChoice
          key={scope}
          scope={scope}
          isChosen={scopes.includes(scope)}
          isWrong={error !== undefined}
          onToggle={() => onChange({ scopes: toggleScope(scopes, scope) })}
        />
      ))}
      <FieldError id={`${id}-error`}>{error}</FieldError>
    </fieldset>
  );
}

function Fields({ typed, errors, onChange }: FieldsProps) {
  const id = useId();
  return (
    <>
      <TextField
        label={t("Name")}
        left={t("{count} left", { count: apiKeyNameLeft(typed.name) })}
        placeholder={t("Bitwarden on my phone")}
        autoComplete="off"
        error={errors.name}
        value={typed.name}
        onChange={(event) => onChange({ name: event.target.value })}
      />
      <ScopeChoices {...{ typed, errors, onChange }} />
      <p className="hint">
        {t("A password manager needs the first. Extensions and apps that list and change aliases need all four.")}
      </p>
      <div className="field">
        <label htmlFor={id}>{t("Expires")}</label>
        <Select
          id={id}
          value={typed.days ?? ""}
          options={expiryDays.map((days) => [days ?? "", expiryLabel(days)])}
          onChange={(event) => onChange({ days: expiryDays.find((days) => String(days ?? "") === event.target.value) })}
        />
      </div>
    </>
  );
}

interface Made {
  name: string;
  secret: string;
}

function useCreation(onMade: (made: Made) => void) {
  const create = useCreateApiKey();
  const [isBusy, setIsBusy] = useState(false);
  const run = async (body: CreateApiKeyBody) => {
    setIsBusy(true);
    try {
      const { key, secret } = await create(body);
      onMade({ name: key.name, secret });
    } catch (error) {
      const isLimited = error instanceof ApiError && error.rateLimited;
      const title = isLimited ? t("Rate Limit Exceeded") : t("Key Not Created");
      showFailure(title, refusalText(error, t("The key could not be created. Please try again.")));
    } finally {
      setIsBusy(false);
    }
  };
  return { run, isBusy };
}

/** Forgets the key when the page is left, so that the back/forward cache shows none. */
function useForgetOnLeaving(forget: () => void): void {
  const onLeave = useEffectEvent(forget);
  useEffect(() => {
    const leave = () => onLeave();
    window.addEventListener("pagehide", leave);
    return () => window.removeEventListener("pagehide", leave);
  }, []);
}

export function CreateApiKeyDialog({ onClose }: { onClose: () => void }) {
  const [typed, setTyped] = useState(emptyApiKey);
  const [errors, setErrors] = useState<NewApiKeyErrors>({});
  const [made, setMade] = useState<Made | null>(null);
  const { run, isBusy } = useCreation(setMade);
  useForgetOnLeaving(() => made !== null && onClose());
  if (made !== null) return <NewKeyShown {...made} onClose={onClose} />;
  const onChange = (change: Partial<ApiKeyDraft>) => {
    setTyped((before) => ({ ...before, ...change }));
    setErrors((before) => ({
      name: "name" in change ? undefined : before.name,
      scopes: "scopes" in change ? undefined : before.scopes,
    }));
  };
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (isBusy) return;
    const found = newApiKeyErrors(typed);
    setErrors(found);
    const wrong = found.name === undefined ? found.scopes && "[type=checkbox]" : "input";
    if (wrong) event.currentTarget.querySelector<HTMLInputElement>(wrong)?.focus();
    else void run(newApiKeyBody(typed, new Date()));
  };
  return (
    <FormDialog
      title={t("Create API key")}
      description={t("One for each program, so that you can revoke it alone.")}
      label={t("Create API Key")}
      pending={isBusy}
      pendingLabel={t("Creating...")}
      onSubmit={onSubmit}
      onClose={onClose}
    >
      <Fields {...{ typed, errors, onChange }} />
    </FormDialog>
  );
}
