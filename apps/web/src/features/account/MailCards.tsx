import type { AccountSettings } from "@kauke/contract";
import { useId } from "react";
import { Link } from "wouter";
import { useAccountSettings, useChangeAccountSettings } from "../../api/account-settings.ts";
import { useEncryptionKeys } from "../../api/encryption-keys.ts";
import { messageOf } from "../../api/error-text.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { Select, Switch } from "../../ui/Controls.tsx";
import { failureOf, Skeleton } from "../../ui/LoadFailed.tsx";
import { showFailure } from "../../ui/toast-store.ts";
import { KeyOptions } from "../encryption-keys/KeyOptions.tsx";
import { NeedsEngine, useForwarding } from "../forwarding/NeedsEngine.tsx";
import { SettingFailed } from "./SettingsGroup.tsx";

function useSave() {
  const change = useChangeAccountSettings();
  const save = (settings: Parameters<typeof change.mutate>[0]) => {
    const onError = (error: Error) =>
      showFailure(t("Update Failed"), messageOf(error, t("Failed to save the setting")));
    if (!change.isPending) change.mutate(settings, { onError });
  };
  return { save, isPending: change.isPending };
}

const createKeyFirst = (
  <p>
    {rich("To switch it on, <link>create an encryption key</link> first.", {
      link: (inner) => (
        <Link className="link" href="/settings#encryption-keys">
          {inner}
        </Link>
      ),
    })}
  </p>
);

/** Encryption of forwarded mail, for aliases without a setting of their own; a provider can only have it switched off. */
function ForwardEncryptedRow() {
  const id = useId();
  const provider = useForwarding();
  const settings = useAccountSettings();
  const keys = useEncryptionKeys();
  const { save, isPending } = useSave();
  const failure = failureOf(settings) ?? failureOf(keys);
  if (failure !== null) {
    const retry = () => Promise.all([settings.refetch(), keys.refetch()]);
    return <SettingFailed title={t("The setting could not be loaded")} error={failure} onRetry={retry} />;
  }
  const isReady = settings.data !== undefined && keys.data !== undefined;
  const createKey = keys.data?.length === 0 ? createKeyFirst : null;
  const choices = keys.data?.filter((key) => provider === null || key.id === settings.data?.sealTo) ?? [];
  return (
    <Setting
      look="forward-encrypted"
      title={t("Forward encrypted")}
      titleId={id}
      text={t(
        "Your inbox gets each message as a file, message.eml.age, that only your key opens. Its subject and sender are hidden. Mail that can’t be encrypted waits; it is never forwarded readable.",
      )}
      more={provider === null ? createKey : <NeedsEngine provider={provider} />}
      isBusy={!isReady || isPending}
    >
      {provider !== null && settings.data?.sealTo === "off" ? null : isReady ? (
        <Select
          aria-labelledby={id}
          value={settings.data.sealTo}
          disabled={choices.length === 0}
          onChange={(event) => save({ sealTo: event.target.value })}
        >
          <KeyOptions keys={choices} />
        </Select>
      ) : (
        <Skeleton />
      )}
    </Setting>
  );
}

export function ForwardEncryptedCard() {
  return (
    <Card id="forwarded" title={t("Forwarded mail")}>
      <ForwardEncryptedRow />
    </Card>
  );
}

interface SwitchProps {
  settings: AccountSettings | undefined;
  name: "leakGuard" | "aliasInQuotes";
  title: string;
  text: string;
}

function SwitchRow({ settings, name, title, text }: SwitchProps) {
  const { save, isPending } = useSave();
  return (
    <Setting title={title} text={text} isBusy={settings === undefined || isPending}>
      {settings === undefined ? (
        <Skeleton />
      ) : (
        <Switch checked={settings[name]} label={title} onChange={(isOn) => save({ [name]: isOn })} />
      )}
    </Setting>
  );
}

const guardText = t(
  "Refuses mail that contains the real address its alias forwards to, whether you reply, compose or use a mail program.",
);

const composedText = (provider: string) =>
  t(
    "Refuses mail written on Compose that contains the real address its alias forwards to. Mail programs send through {provider}, so what they send is not checked.",
    { provider },
  );

const quotes = {
  name: "aliasInQuotes",
  title: t("Alias in quoted lines"),
  text: t(
    "Writes the alias for your real address where a mail program quotes your own message: “On …, you@example.org wrote:”, or “From:” and “To:” above the quoted text. Nothing else changes, and signed mail is never touched.",
  ),
} as const;

export function OutgoingCard() {
  const provider = useForwarding();
  const query = useAccountSettings();
  const failure = failureOf(query);
  return (
    <Card id="outgoing" title={t("Outgoing mail")}>
      {failure === null ? (
        <>
          <SwitchRow
            settings={query.data}
            name="leakGuard"
            title={t("Leak guard")}
            text={provider === null ? guardText : composedText(provider.name)}
          />
          {provider === null ? (
            <SwitchRow settings={query.data} {...quotes} />
          ) : (
            <Setting title={quotes.title} text={quotes.text} more={<NeedsEngine provider={provider} />} />
          )}
        </>
      ) : (
        <SettingFailed title={t("The setting could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
    </Card>
  );
}
