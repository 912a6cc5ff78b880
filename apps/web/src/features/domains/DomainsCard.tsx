import { type AccountDomainWire, accountDomainMessages, isDomainOpen } from "@kauke/contract";
import { Check, ChevronDown, Plus, Trash2 } from "lucide-react";
import { useId, useState } from "react";
import { useFreshAccountDomains } from "../../api/account-domains.ts";
import { said } from "../../texts/said.ts";
import { t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { Empty, failureOf, LoadedList, Skeleton } from "../../ui/LoadFailed.tsx";
import { aliasCountText } from "../mailboxes/mailbox-text.ts";
import { AddDomainDialog } from "./AddDomainDialog.tsx";
import { AppearPart } from "./AppearPart.tsx";
import { DomainRecords } from "./DomainRecords.tsx";
import { domainStateText } from "./domain-text.ts";
import { MailboxesHere } from "./MailboxesHere.tsx";
import { NamePart } from "./NamePart.tsx";
import { RemoveDomainDialog } from "./RemoveDomainDialog.tsx";
import { useDomainCheck } from "./use-domain-check.ts";

const noDomains = (
  <Empty
    heading="h4"
    eyes="open"
    title={t("No own domains yet")}
    text={t("Add a domain that is yours, and aliases can be made on it, such as shop@example.com.")}
  />
);

/** The operator has switched them off. */
const switchedOff = (
  <Empty
    heading="h4"
    eyes="shut"
    title={t("No own domains here")}
    text={t("This server offers its own domains only. Its operator decides that.")}
  />
);

function LoadingDomains() {
  return (
    <ul className="domains" aria-hidden="true">
      {[18, 22].map((width) => (
        <li key={width}>
          <div className="domain-head">
            <Skeleton w={`${width}ch`} />
            <Skeleton />
          </div>
        </li>
      ))}
    </ul>
  );
}

const stateNames = {
  failing: t("Records missing"),
  suspended: t("Paused"),
  closed: t("Closed"),
} as const;

function DomainState({ state }: Pick<AccountDomainWire, "state">) {
  if (state === "new") return <span className="tag tag-accent">{t("Waiting for DNS")}</span>;
  if (state !== "proven") return <span className="tag tag-accent">{stateNames[state]}</span>;
  return (
    <span className="tag">
      <Check className="i" aria-hidden />
      {t("Works")}
    </span>
  );
}

function DomainRow({ domain, onRemove }: { domain: AccountDomainWire; onRemove: () => void }) {
  const id = useId();
  const { shownDomain, state, aliasCount } = domain;
  const [isOpen, setIsOpen] = useState(state !== "proven");
  const checks = useDomainCheck(domain, isOpen);
  return (
    <li className={isOpen ? "is-open" : undefined}>
      <div className="domain-head">
        <div>
          <div className="name">
            <h4 className="addr">
              <b>{shownDomain}</b>
            </h4>
            <DomainState state={state} />
          </div>
          <p>
            {domainStateText(domain)} {state === "new" && aliasCount === 0 ? null : `${aliasCountText(aliasCount)}.`}
          </p>
          <MailboxesHere domain={domain} />
        </div>
        <div className="acts">
          <Button
            isSmall
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            aria-label={t("Records of {domain}", { domain: shownDomain })}
            onClick={() => setIsOpen(!isOpen)}
          >
            {t("Records")}
            <ChevronDown className="i" aria-hidden />
          </Button>
          <IconButton
            icon={Trash2}
            label={t("Remove")}
            fullLabel={t("Remove {domain}", { domain: shownDomain })}
            className="danger"
            onClick={onRemove}
          />
        </div>
      </div>
      {isOpen ? (
        <div id={id}>
          <DomainRecords domain={domain} checks={checks} />
        </div>
      ) : null}
      {isDomainOpen(domain) ? <NamePart domain={domain} /> : null}
      {isDomainOpen(domain) ? <AppearPart domain={domain} /> : null}
    </li>
  );
}

export function DomainsCard() {
  const query = useFreshAccountDomains();
  const { domains, max = 1 } = query.data ?? {};
  const [opened, setOpened] = useState<"add" | AccountDomainWire | null>(null);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  const isFull = domains !== undefined && max > 0 && domains.length >= max;
  return (
    <Card
      id="domains"
      title={t("Own domains")}
      canFocus
      aside={
        max === 0 ? null : (
          <div className="right">
            <Button isSmall icon={Plus} disabled={domains === undefined || isFull} onClick={() => setOpened("add")}>
              {t("Add Domain")}
            </Button>
          </div>
        )
      }
      isBusy={domains === undefined && failure === null}
    >
      <LoadedList
        query={{ ...query, data: domains }}
        failedTitle={t("Your domains could not be loaded")}
        loading={<LoadingDomains />}
        empty={max === 0 ? switchedOff : noDomains}
      >
        {(listed) => (
          <ul className="domains" aria-labelledby="domains">
            {listed.map((domain) => (
              <DomainRow key={domain.id} domain={domain} onRemove={() => setOpened(domain)} />
            ))}
          </ul>
        )}
      </LoadedList>
      {isFull ? <p className="card-foot hint">{said(accountDomainMessages.tooMany)}</p> : null}
      {opened === "add" ? <AddDomainDialog onClose={onClose} /> : null}
      {opened !== null && opened !== "add" ? (
        <RemoveDomainDialog domain={domains?.find(({ id }) => id === opened.id) ?? opened} onClose={onClose} />
      ) : null}
    </Card>
  );
}
