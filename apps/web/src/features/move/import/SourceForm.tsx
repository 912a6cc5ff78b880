/** Form to choose a file or an account at another service, and the domain of new addresses. */
import { type ImportFromServiceBody, importServices } from "@kauke/contract";
import { type FormEvent, useId, useRef, useState } from "react";
import { Link } from "wouter";
import { useDomainChoices } from "../../../api/account-domains.ts";
import { rich, t } from "../../../texts/texts.ts";
import { Select } from "../../../ui/Controls.tsx";
import { TextField } from "../../../ui/Field.tsx";
import { SubmitButton } from "../../../ui/SubmitButton.tsx";
import { FileDrop, FormError } from "../FileDrop.tsx";

type Service = ImportFromServiceBody["service"];

const serviceNames: Readonly<Record<Service, string>> = {
  addy: "addy.io",
  relay: "Firefox Relay",
  "forward-email": "Forward Email",
};

interface Props {
  domains: readonly string[];
  pending: boolean;
  error: string | null;
  onFile: (file: File, domain: string | undefined) => void;
  onService: (service: ImportFromServiceBody) => void;
}

interface DomainProps {
  domains: readonly string[];
  domain: string;
  onDomain: (domain: string) => void;
}

function DomainField({ domains, domain, onDomain }: DomainProps) {
  const id = useId();
  const choices = useDomainChoices(domains);
  return (
    <div className="field domain">
      <label htmlFor={id}>{t("New addresses on")}</label>
      <Select
        id={id}
        value={domain}
        aria-describedby={`${id}-hint`}
        onChange={(event) => onDomain(event.target.value)}
        options={choices}
      />
      <p className="hint" id={`${id}-hint`}>
        {t("For aliases whose domain cannot move, such as simplelogin.com.")}
      </p>
    </div>
  );
}

interface ServiceProps {
  pending: boolean;
  error: string | null;
  onService: (service: Omit<ImportFromServiceBody, "domain">) => void;
}

function ServiceSource({ pending, error, onService }: ServiceProps) {
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [service, setService] = useState<Service>("addy");
  const [keyError, setKeyError] = useState<string>();
  const handleSubmit = (event: FormEvent) => {
    event.preventDefault();
    if (pending || form.current === null) return;
    const data = new FormData(form.current);
    const read = (field: string): string => {
      const value = data.get(field);
      return typeof value === "string" ? value.trim() : "";
    };
    const [apiKey, baseUrl] = [read("key"), read("server")];
    setKeyError(apiKey === "" ? t("Please enter the API key") : undefined);
    if (apiKey !== "") onService({ service, apiKey, ...(baseUrl === "" || service !== "addy" ? {} : { baseUrl }) });
  };
  return (
    <form ref={form} className="service-source" aria-label={t("Account at another service")} onSubmit={handleSubmit}>
      <div className="field">
        <label htmlFor={id}>{t("Service")}</label>
        <Select
          id={id}
          value={service}
          onChange={(event) => setService(event.target.value as Service)}
          options={importServices.map((name) => [name, serviceNames[name]])}
        />
      </div>
      <TextField
        label={t("API key")}
        name="key"
        type="password"
        autoComplete="off"
        spellCheck={false}
        mono
        error={keyError}
        onChange={() => setKeyError(undefined)}
      />
      {service === "addy" ? (
        <TextField
          label={<>{rich("Server <span>optional</span>", { span: (inner) => <span className="opt">{inner}</span> })}</>}
          name="server"
          type="url"
          placeholder="https://app.addy.io"
          autoComplete="off"
          mono
          error={undefined}
        />
      ) : null}
      <p className="hint">{t("The key is used once, to read your aliases there. It is never stored.")}</p>
      <FormError>{error}</FormError>
      <div className="acts">
        <SubmitButton pending={pending} pendingLabel={t("Reading...")}>
          {t("Read my aliases")}
        </SubmitButton>
      </div>
    </form>
  );
}

const kinds = { file: t("From a file"), service: t("From an account") } as const;
type Kind = keyof typeof kinds;

export function SourceForm({ domains, pending, error, onFile, onService }: Props) {
  const [kind, setKind] = useState<Kind>("file");
  const [chosen, setChosen] = useState<string>();
  const domain = chosen ?? domains[0];
  return (
    <div className="card-body import-source">
      <div className="segments" role="radiogroup" aria-label={t("Where your aliases are")}>
        {(Object.keys(kinds) as Kind[]).map((name) => (
          <label key={name}>
            <input type="radio" name="source" checked={kind === name} onChange={() => setKind(name)} />
            <span>{kinds[name]}</span>
          </label>
        ))}
      </div>
      {domain === undefined ? null : <DomainField {...{ domains, domain }} onDomain={setChosen} />}
      {kind === "file" ? (
        <FileDrop
          legend={t("File of your aliases")}
          label={t("File of aliases")}
          isReading={pending}
          error={error}
          onFile={(file) => onFile(file, domain)}
        >
          <h3>{t("Drop the export of your aliases here")}</h3>
          <p>
            {rich(
              "SimpleLogin (CSV, ZIP), addy.io (CSV), Firefox Relay (JSON), Forward Email (JSON, DNS records), Mailx (CSV) or Kauke (JSON), up to 32 MB. First you see what would happen; nothing is made before you say so. <link>What carries over</link>",
              {
                link: (inner) => (
                  <Link className="link" href="/docs/moving">
                    {inner}
                  </Link>
                ),
              },
            )}
          </p>
        </FileDrop>
      ) : (
        <ServiceSource pending={pending} error={error} onService={(service) => onService({ ...service, domain })} />
      )}
    </div>
  );
}
