import {
  type AccountDefaultsChange,
  type AccountDefaultsWire,
  type AliasFormat,
  defaultFormats,
} from "@kauke/contract";
import { useId } from "react";
import { useDomainChoices } from "../../api/account-domains.ts";
import { useDomains } from "../../api/aliases.ts";
import { useAccountDefaults, useChangeDefaults } from "../../api/mailboxes.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { Select, Switch } from "../../ui/Controls.tsx";
import { failureOf, Skeleton } from "../../ui/LoadFailed.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { SettingFailed } from "../account/SettingsGroup.tsx";
import { chancesText, formatLabels } from "../aliases/create/generated-format.ts";

/** One fixed example of each format of generated names. */
const examples: Readonly<Record<AliasFormat, string>> = {
  characters: "kf7vtq2mxc9hdr",
  words: "lantern.copper.meadow.47",
  uuid: "3f0c6f0a-5a7e-4c1b-9d0e-8b1f2a6c7d5e",
  site: "shop.k7vqx",
};

interface RowsProps {
  defaults: AccountDefaultsWire;
  domains: readonly string[];
  onChange: (change: AccountDefaultsChange) => void;
}

function Rows({ defaults, domains, onChange }: RowsProps) {
  const id = useId();
  const choices = useDomainChoices(domains);
  const { domain, format, siteInName } = defaults;
  const site = t("Site name in generated names");
  return (
    <>
      <Setting
        look="chosen"
        title={t("Default domain")}
        titleId={`${id}-domain`}
        text={t(
          "The form for a new alias begins with it, and programs with an API key use it unless they name another.",
        )}
      >
        <Select
          mono
          aria-labelledby={`${id}-domain`}
          value={domain}
          options={choices}
          onChange={(event) => onChange({ domain: event.target.value })}
        />
      </Setting>
      <Setting
        look="chosen"
        title={t("Generated names")}
        titleId={`${id}-format`}
        text={
          <>
            {rich("For example {name}. Somebody who guesses hits one of yours with a chance of {chances}.", {
              name: <span className="addr">{examples[format]}</span>,
              chances: chancesText(format),
            })}
          </>
        }
      >
        <Select
          aria-labelledby={`${id}-format`}
          value={format}
          options={defaultFormats.map((known) => [known, formatLabels[known]])}
          onChange={(event) => onChange({ format: defaultFormats.find((known) => known === event.target.value) })}
        />
      </Setting>
      <Setting
        look="chosen"
        title={site}
        text={
          <>
            {rich(
              "Names like {name}, where a program tells the site. Off by default, because whoever sees such a name knows where it is used and can guess your others, with a chance of {chances} each. Some shops also refuse their own name.",
              { name: <span className="addr">{examples.site}</span>, chances: chancesText("site") },
            )}
          </>
        }
      >
        <Switch checked={siteInName} label={site} onChange={(isOn) => onChange({ siteInName: isOn })} />
      </Setting>
    </>
  );
}

function LoadingRows() {
  return ["domain", "format", "site"].map((row) => (
    <div className="card-body setting" aria-hidden="true" key={row}>
      <div className="grow">
        <Skeleton w="14ch" />
      </div>
      <Skeleton />
    </div>
  ));
}

export function DefaultsCard() {
  const defaults = useAccountDefaults();
  const domains = useDomains();
  const change = useChangeDefaults();
  const failure = failureOf(defaults) ?? failureOf(domains);
  const isReady = defaults.data !== undefined && domains.data !== undefined;
  const onChange = (body: AccountDefaultsChange) => {
    const onError = (error: Error) =>
      showFailure(t("Update Failed"), refusalText(error, t("Failed to save the setting")));
    if (!change.isPending) change.mutate(body, { onError });
  };
  return (
    <Card
      id="defaults"
      title={t("Defaults for new aliases")}
      isBusy={(!isReady && failure === null) || change.isPending}
    >
      {failure !== null ? (
        <SettingFailed
          title={t("The defaults could not be loaded")}
          error={failure}
          onRetry={() => Promise.all([defaults.refetch(), domains.refetch()])}
        />
      ) : isReady ? (
        <Rows defaults={defaults.data} domains={domains.data} onChange={onChange} />
      ) : (
        <LoadingRows />
      )}
    </Card>
  );
}
