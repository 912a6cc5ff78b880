/** Sections that are only read: limits in force, and acts of operators. */
import type { OperatorActCode, OperatorActWire } from "@kauke/contract";
import { useId, useState } from "react";
import { useOperatorActs, useServerState } from "../../api/admin.ts";
import { useUser } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { SearchField } from "../../ui/Controls.tsx";
import { Empty, failureOf, LoadedList } from "../../ui/LoadFailed.tsx";
import { LoadingRows, Time } from "./AdminParts.tsx";

interface Limit {
  name: string;
  says: string;
}

function Limits({ limits, labelledBy }: { limits: readonly Limit[]; labelledBy: string }) {
  const [typed, setTyped] = useState("");
  const wanted = typed.trim().toLowerCase();
  const found = limits.filter(({ name, says }) => `${name} ${says}`.toLowerCase().includes(wanted));
  return (
    <>
      <div className="admin-tools">
        <SearchField label={t("Search limits")} value={typed} onQuery={setTyped} />
      </div>
      {found.length === 0 ? (
        <Empty heading="h4" title={t("No such limit")} text={t("No name and no description has these words.")} />
      ) : (
        <ul className="admin-rows" aria-labelledby={labelledBy}>
          {found.map(({ name, says }) => (
            <li key={name} className="limit">
              <h4>{name}</h4>
              <p>{says}</p>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const noLimits = <Empty heading="h4" title={t("No limits")} text={t("This server runs without limits.")} />;

export function LimitsSection() {
  const id = useId();
  const query = useServerState();
  const failure = failureOf(query);
  return (
    <Card id={id} title={t("Limits in force")} isBusy={query.data === undefined && failure === null}>
      <LoadedList
        query={{ ...query, data: query.data?.limits }}
        failedTitle={t("The limits could not be loaded")}
        loading={<LoadingRows />}
        empty={noLimits}
      >
        {(limits) => <Limits limits={limits} labelledBy={id} />}
      </LoadedList>
    </Card>
  );
}

const actTexts: Readonly<Record<OperatorActCode, string>> = {
  account_deleted: t("Account deleted"),
  account_signed_out: t("Account signed out everywhere"),
  admin_granted: t("Admin page granted"),
  admin_revoked: t("Admin page withdrawn"),
  mailbox_unblocked: t("Mailbox unblocked"),
  invite_created: t("Invitation created"),
  invite_revoked: t("Invitation revoked"),
  queue_retried: t("Deliveries retried"),
  queue_dropped: t("Deliveries dropped"),
  kept_mail_deleted: t("Mail to postmaster deleted"),
  mail_probe_started: t("Proof of mail started"),
  addresses_shown: t("Addresses of accounts looked at"),
  domains_shown: t("Names of own domains looked at"),
  sealing_key_rotated: t("Sealing key rotated"),
  provider_repaired: t("Forwarding provider repaired"),
  provider_pushed: t("Aliases pushed to the provider"),
  aliases_adopted: t("Aliases adopted from the provider"),
  wrapping_key_rotated: t("Wrapping key rotated"),
  backup_written: t("Backup written"),
  certificates_ordered: t("Certificates ordered"),
};

const whoText = (by: string, ownId: string): string =>
  by === "command" ? t("on the server") : by === ownId ? t("you") : t("admin {id}…", { id: by.slice(0, 8) });

function ActRow({ act: { at, by, act, on }, ownId }: { act: OperatorActWire; ownId: string }) {
  return (
    <li className="act">
      <Time iso={at} />
      <div>
        <h4>{actTexts[act]}</h4>
        {on === null ? null : <p className="addr">{on}</p>}
      </div>
      <span className="by">{whoText(by, ownId)}</span>
    </li>
  );
}

const noActs = (
  <Empty
    heading="h4"
    eyes="open"
    title={t("Nothing was done")}
    text={t("Each act here or with the kauke command is listed.")}
  />
);

export function ActsSection() {
  const id = useId();
  const ownId = useUser().id;
  const query = useOperatorActs();
  const failure = failureOf(query);
  return (
    <Card id={id} title={t("Acts of operators")} isBusy={query.data === undefined && failure === null}>
      <LoadedList
        query={query}
        failedTitle={t("The acts could not be loaded")}
        loading={<LoadingRows />}
        empty={noActs}
      >
        {(acts) => (
          <ul className="admin-rows" aria-labelledby={id}>
            {acts.map((act, at) => (
              // Acts of one moment have no id; the list is replaced as a whole.
              // biome-ignore lint/suspicious/noArrayIndexKey: see above
              <ActRow key={`${act.at} ${at}`} act={act} ownId={ownId} />
            ))}
          </ul>
        )}
      </LoadedList>
    </Card>
  );
}
