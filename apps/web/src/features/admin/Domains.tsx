import { Copy, Info } from "lucide-react";
import { type AdminResponse, useOrderCertificates, useServerDomains, useServerState } from "../../api/admin.ts";
import { plural } from "../../texts/plural.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { Empty, failureOf, LoadFailed } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { dayText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { Fact, LoadingRows, Sentences, StateMark, Time } from "./AdminParts.tsx";
import { daysAwayText } from "./health-text.ts";

type ServerDomain = AdminResponse<"listServerDomains">["domains"][number];
type DomainRecord = ServerDomain["records"][number];
type Certificate = NonNullable<AdminResponse<"getServerState">["certificates"]>[number];

function RecordRow({ record: { name, type, value } }: { record: DomainRecord }) {
  return (
    <li>
      <span className="tag">{type}</span>
      <span className="addr">
        <b>{name}</b>
      </span>
      <span className="addr">{value}</span>
      <IconButton
        icon={Copy}
        label={t("Copy value")}
        fullLabel={t("Copy the value of {type} {name}", { type, name })}
        onClick={() => void copyText(value, `${type} ${name}`)}
      />
    </li>
  );
}

const zoneText = (records: readonly DomainRecord[]) =>
  records.map(({ name, type, value }) => `${name}\t${type}\t${value}`).join("\n");

function DomainCard({ domain: { domain, records }, at }: { domain: ServerDomain; at: number }) {
  const id = `domain-${at}`;
  const count = records.length;
  const recordsText = plural(count, "{count} record of {domain}", "{count} records of {domain}", { count, domain });
  return (
    <Card
      id={id}
      title={<span className="addr">{domain}</span>}
      aside={
        <div className="right">
          <Button
            isSmall
            icon={Copy}
            aria-label={t("Copy all records of {domain}", { domain })}
            onClick={() => void copyText(zoneText(records), recordsText)}
          >
            {t("Copy All")}
          </Button>
        </div>
      }
    >
      <ul className="records" aria-labelledby={id}>
        {records.map((record) => (
          <RecordRow key={`${record.name} ${record.type} ${record.value}`} record={record} />
        ))}
      </ul>
    </Card>
  );
}

function OwnDomains({ counts }: { counts: AdminResponse<"listServerDomains">["ownDomains"] }) {
  if (Object.values(counts).every((count) => count === 0)) return null;
  const { new: waiting, ...held } = counts;
  return (
    <p>
      {t(
        "Own domains of accounts: {proven} proven, {failing} with wrong records, {suspended} suspended, {closed} closed, {waiting} not proven yet.",
        { ...held, waiting },
      )}
    </p>
  );
}

export function DomainsSection() {
  const query = useServerDomains();
  const failure = failureOf(query);
  if (query.data !== undefined)
    return (
      <>
        {query.data.domains.map((domain, at) => (
          <DomainCard key={domain.domain} domain={domain} at={at} />
        ))}
        <div className="note note-plain">
          <Info className="i" aria-hidden />
          <div>
            <Sentences
              text={t(
                "Whether the world finds them is checked in the [Overview]. A change can take an hour to spread.",
              )}
            />
            <OwnDomains counts={query.data.ownDomains} />
          </div>
        </div>
      </>
    );
  return (
    <div className="card" aria-busy={failure === null}>
      {failure === null ? (
        <LoadingRows />
      ) : (
        <LoadFailed title={t("The domains could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
    </div>
  );
}

function OrderButton() {
  const order = useOrderCertificates();
  const onOrder = () =>
    order.mutate(undefined, {
      onSuccess: ({ message }) => showToast({ title: t("Certificates Ordered"), description: message }),
      onError: (error) =>
        showFailure(t("Not Ordered"), refusalText(error, t("The certificates could not be ordered."))),
    });
  return (
    <SubmitButton
      type="button"
      className="btn-sm"
      pending={order.isPending}
      pendingLabel={t("Ordering...")}
      onClick={onOrder}
    >
      {t("Order Now")}
    </SubmitButton>
  );
}

function certificateMark({ expiresAt, problem, missing }: Certificate) {
  if (expiresAt === null) return problem === null ? "wait" : "fix";
  return missing.length > 0 ? "fix" : problem === null ? "ok" : "warn";
}

function CertificateRow({ certificate }: { certificate: Certificate }) {
  const { names, missing, expiresAt, nextAt, problem } = certificate;
  return (
    <li className="with-facts">
      <div className="marked">
        <StateMark mark={certificateMark(certificate)} />
        <div>
          <h4 className="addr">
            <b>{[...new Set([...names, ...missing])].join(", ")}</b>
          </h4>
          {missing.length === 0 || expiresAt === null ? null : (
            <p>{rich("Not covered: {names}", { names: <span className="addr">{missing.join(", ")}</span> })}</p>
          )}
          <p>
            <Sentences
              text={problem ?? (expiresAt === null ? t("The first order is in progress.") : t("Renewed by itself."))}
            />
          </p>
        </div>
      </div>
      <dl>
        <Fact label={t("Valid until")}>{expiresAt === null ? t("None yet") : <DayIn iso={expiresAt} />}</Fact>
        <Fact label={problem === null ? t("Renewal") : t("Next order")}>
          {nextAt === null ? "—" : <Time iso={nextAt} />}
        </Fact>
      </dl>
    </li>
  );
}

const DayIn = ({ iso }: { iso: string }) => (
  <time dateTime={iso} title={daysAwayText(iso)}>
    {dayText(iso)}
  </time>
);

const ownCertificates = (
  <Setting
    title={t("This server does not order certificates")}
    text={
      <Sentences
        text={t(
          "It uses files that you give it, or a self-signed one. Set `KAUKE_TLS=acme`, and it orders and renews them by itself. The [Overview] tells when one expires.",
        )}
      />
    }
  />
);

export function CertificatesSection() {
  const { data: state, refetch, ...query } = useServerState();
  const failure = failureOf({ data: state, ...query });
  const certificates = state?.certificates;
  return (
    <Card
      id="certificates"
      title={t("Ordered by this server")}
      aside={
        certificates ? (
          <div className="right">
            <OrderButton />
          </div>
        ) : null
      }
      isBusy={state === undefined && failure === null}
    >
      {failure !== null ? (
        <LoadFailed heading="h4" title={t("The certificates could not be loaded")} error={failure} onRetry={refetch} />
      ) : certificates === undefined ? (
        <LoadingRows widths={[30]} />
      ) : certificates === null ? (
        ownCertificates
      ) : certificates.length === 0 ? (
        <Empty
          heading="h4"
          title={t("No certificates yet")}
          text={t("The first order begins when the server has started.")}
        />
      ) : (
        <ul className="admin-rows certificates" aria-labelledby="certificates">
          {certificates.map((certificate) => (
            <CertificateRow key={[...certificate.names, ...certificate.missing].join()} certificate={certificate} />
          ))}
        </ul>
      )}
    </Card>
  );
}
