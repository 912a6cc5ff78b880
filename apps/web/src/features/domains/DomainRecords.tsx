import type { AccountDomainWire, DomainRecordWire } from "@kauke/contract";
import { zoneFile, zoneFileName } from "@kauke/contract/zone-file";
import { Check, Clock, Copy, Download, TriangleAlert } from "lucide-react";
import { t } from "../../texts/texts.ts";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { saveFile } from "../../ui/files.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { preciseTimeText } from "../../ui/text/time-text.ts";
import { foundText, isOptional, markOf, policyText, recordStateText, recordTexts, showsFound } from "./domain-text.ts";
import type { useDomainCheck } from "./use-domain-check.ts";

/** Longest value in characters that consists of words. */
const WORDS_MAX = 255;

const icons = { right: Check, wait: Clock, fault: TriangleAlert } as const;

function RecordState({ record, checkedAt }: { record: DomainRecordWire; checkedAt: string | null }) {
  const mark = markOf(record);
  const Icon = icons[mark];
  return (
    <div className={`record-state is-${mark}`}>
      <Icon className="i" aria-hidden />
      <div>
        <p>{recordStateText(record, checkedAt)}</p>
        {showsFound(record) ? (
          <ul>
            {[...new Set(record.found)].map((text) => (
              <li key={text}>
                <code className={text.length > WORDS_MAX ? "break-all" : undefined}>{text}</code>
              </li>
            ))}
          </ul>
        ) : null}
      </div>
    </div>
  );
}

interface PartProps {
  label: string;
  text: string;
  /** Label of the button that copies the text, and what the toast then names. */
  copyLabel: string;
  named: string;
}

function RecordPart({ label, text, copyLabel, named }: PartProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd>
        {/* A key has no words that a line could keep together. */}
        <code className={text.length > WORDS_MAX ? "break-all" : undefined}>{text}</code>
        <IconButton icon={Copy} label={t("Copy")} fullLabel={copyLabel} onClick={() => void copyText(text, named)} />
      </dd>
    </div>
  );
}

interface ItemProps {
  record: DomainRecordWire;
  checkedAt: string | null;
  heading?: "h5" | "h6";
}

function RecordItem({ record, checkedAt, heading: Heading = "h5" }: ItemProps) {
  const { name, type, host, value, priority, isRequired } = record;
  const { title, purpose } = recordTexts[name];
  return (
    <li>
      <div className="record-head">
        <Heading>{title}</Heading>
        <span className="tag">{type}</span>
        {isRequired ? <span className="tag tag-accent">{t("needed")}</span> : null}
      </div>
      <p>{purpose}</p>
      <RecordState record={record} checkedAt={checkedAt} />
      <dl>
        <RecordPart
          label={t("Name")}
          text={host}
          copyLabel={t("Copy the name of {record}", { record: title })}
          named={host}
        />
        <RecordPart
          label={t("Value")}
          text={value}
          copyLabel={t("Copy the value of {record}", { record: title })}
          named={title}
        />
        {priority === null ? null : (
          <div>
            <dt>{t("Priority")}</dt>
            <dd>
              <code>{priority}</code>
            </dd>
          </div>
        )}
      </dl>
    </li>
  );
}

function OptionalRecords({ domain }: { domain: AccountDomainWire }) {
  const { shownDomain, checkedAt, records } = domain;
  return (
    <details className="domain-optional">
      <summary>
        <h5>{t("Optional: encrypted delivery")}</h5>
      </summary>
      <p>
        {t("Mail works without these records.")} {policyText(domain)}
      </p>
      <ul className="domain-records-list" aria-label={t("Optional records of {domain}", { domain: shownDomain })}>
        {records.filter(isOptional).map((record) => (
          <RecordItem key={record.name} record={record} checkedAt={checkedAt} heading="h6" />
        ))}
      </ul>
    </details>
  );
}

interface Props {
  domain: AccountDomainWire;
  checks: ReturnType<typeof useDomainCheck>;
}

export function DomainRecords({ domain, checks: { onCheck, isAsked, refusal, isRepeated } }: Props) {
  const { shownDomain, checkedAt, records } = domain;
  return (
    <div className="domain-records">
      <p>
        {t(
          "Add these records where the domain's DNS is managed, usually where you registered it. Many forms add the domain to the name by themselves: there, leave it out, and enter @ where nothing is left. A change can take an hour to be seen.",
        )}
      </p>
      {refusal === null ? null : (
        <div className="note note-danger" role="alert">
          <TriangleAlert className="i" aria-hidden />
          <div>{refusal}</div>
        </div>
      )}
      <div className="domain-tools">
        <SubmitButton
          type="button"
          className="btn-sm btn-ink"
          label={
            isAsked
              ? t("Checking... {domain}", { domain: shownDomain })
              : t("Check Now: {domain}", { domain: shownDomain })
          }
          pending={isAsked}
          pendingLabel={t("Checking...")}
          onClick={onCheck}
        >
          {t("Check Now")}
        </SubmitButton>
        <Button
          isSmall
          icon={Download}
          aria-label={t("Download Zone File of {domain}", { domain: shownDomain })}
          onClick={() => saveFile(zoneFileName(domain), zoneFile(domain))}
        >
          {t("Download Zone File")}
        </Button>
        <p>
          {checkedAt === null ? null : (
            <>
              <span role="status">{foundText(domain)}</span>
              {". "}
              {t("Last check: {time}.", { time: preciseTimeText(checkedAt) })}{" "}
            </>
          )}
          {isRepeated ? t("Checked again by itself while this page is open.") : null}
        </p>
      </div>
      <ul className="domain-records-list" aria-label={t("Records of {domain}", { domain: shownDomain })}>
        {records.flatMap((record) =>
          isOptional(record) ? [] : [<RecordItem key={record.name} record={record} checkedAt={checkedAt} />],
        )}
      </ul>
      <OptionalRecords domain={domain} />
    </div>
  );
}
