/** Card of the account's defaults for new aliases: the domain, and the format of generated names. */
import {
  type AccountDefaultsChange,
  type AccountDefaultsWire,
  type AliasFormat,
  defaultFormats,
} from "@kauke/contract";
import { type ReactNode, useId } from "react";
import { useDomains } from "../../api/aliases.ts";
import { useAccountDefaults, useChangeDefaults } from "../../api/mailboxes.ts";
import { Select, Switch } from "../../ui/Controls.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure } from "../../ui/toast-store.ts";
import { SettingFailed } from "../account/SettingsGroup.tsx";
import { chancesText, formatLabels } from "../aliases/create/generated-format.ts";

/** Example of each format of generated names. The examples are constant. */
const examples: Readonly<Record<AliasFormat, string>> = {
  characters: "kf7vtq2mxc9hdr",
  words: "lantern.copper.meadow.47",
  uuid: "3f0c6f0a-5a7e-4c1b-9d0e-8b1f2a6c7d5e",
  site: "shop.k7vqx",
};

interface RowProps {
  title: string;
  children: ReactNode;
  control: (titleId: string) => ReactNode;
}

function Row({ title, children, control }: RowProps) {
  const id = useId();
  return (
    <div className="card-body setting chosen">
      <div>
        <h4 id={id}>{title}</h4>
        {children}
      </div>
      {control(id)}
    </div>
  );
}

function FormatText({ format }: { format: AliasFormat }) {
  return (
    <p>
      For example <span className="addr">{examples[format]}</span>. Somebody who guesses hits one of yours with a chance
      of {chancesText(format)}.
    </p>
  );
}

interface RowsProps {
  defaults: AccountDefaultsWire;
  domains: readonly string[];
  onChange: (change: AccountDefaultsChange) => void;
}

function Rows({ defaults, domains, onChange }: RowsProps) {
  const { domain, format, siteInName } = defaults;
  return (
    <>
      <Row
        title="Default domain"
        control={(titleId) => (
          <Select
            mono
            aria-labelledby={titleId}
            value={domain}
            onChange={(event) => onChange({ domain: event.target.value })}
          >
            {domains.map((known) => (
              <option key={known}>{known}</option>
            ))}
          </Select>
        )}
      >
        <p>The form for a new alias begins with it, and programs with an API key use it unless they name another.</p>
      </Row>
      <Row
        title="Generated names"
        control={(titleId) => (
          <Select
            aria-labelledby={titleId}
            value={format}
            onChange={(event) => onChange({ format: defaultFormats.find((known) => known === event.target.value) })}
          >
            {defaultFormats.map((known) => (
              <option key={known} value={known}>
                {formatLabels[known]}
              </option>
            ))}
          </Select>
        )}
      >
        <FormatText format={format} />
      </Row>
      <Row
        title="Site name in generated names"
        control={() => (
          <Switch
            checked={siteInName}
            label="Site name in generated names"
            onChange={(isOn) => onChange({ siteInName: isOn })}
          />
        )}
      >
        <p>
          Names like <span className="addr">{examples.site}</span>, where a program tells the site. Off by default,
          because whoever sees such a name knows where it is used and can guess your others, with a chance of{" "}
          {chancesText("site")} each. Some shops also refuse their own name.
        </p>
      </Row>
    </>
  );
}

function LoadingRows() {
  return ["domain", "format", "site"].map((row) => (
    <div className="card-body setting" aria-hidden="true" key={row}>
      <div className="grow">
        <span className="skel" style={{ "--w": "14ch" } as React.CSSProperties} />
      </div>
      <span className="skel" />
    </div>
  ));
}

export function DefaultsCard() {
  const defaults = useAccountDefaults();
  const domains = useDomains();
  const change = useChangeDefaults();
  const failed = [defaults, domains].find(
    (query) => query.data === undefined && query.error !== null && !query.isFetching,
  );
  const isReady = defaults.data !== undefined && domains.data !== undefined;
  const onChange = (body: AccountDefaultsChange) => {
    if (change.isPending) return;
    const onError = (error: unknown) => showFailure("Update Failed", refusalText(error, "Failed to save the setting"));
    change.mutate(body, { onError });
  };
  return (
    <section
      className="card"
      aria-labelledby="defaults"
      aria-busy={(!isReady && failed === undefined) || change.isPending}
    >
      <div className="card-head">
        <h3 id="defaults">Defaults for new aliases</h3>
      </div>
      {failed?.error ? (
        <SettingFailed
          title="The defaults could not be loaded"
          error={failed.error}
          onRetry={() => void Promise.all([defaults.refetch(), domains.refetch()])}
        />
      ) : isReady ? (
        <Rows defaults={defaults.data} domains={domains.data} onChange={onChange} />
      ) : (
        <LoadingRows />
      )}
    </section>
  );
}
