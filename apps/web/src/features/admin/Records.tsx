/** Sections that are only read: limits in force, and acts of operators. */
import type { OperatorActCode, OperatorActWire } from "@kauke/contract";
import { useId, useState } from "react";
import { useOperatorActs, useServerState } from "../../api/admin.ts";
import { useUser } from "../../api/session/session.ts";
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
        <SearchField label="Search limits" value={typed} onQuery={setTyped} />
      </div>
      {found.length === 0 ? (
        <Empty heading="h4" title="No such limit" text="No name and no description has these words." />
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

const noLimits = <Empty heading="h4" title="No limits" text="This server runs without limits." />;

export function LimitsSection() {
  const id = useId();
  const query = useServerState();
  const failure = failureOf(query);
  return (
    <Card id={id} title="Limits in force" isBusy={query.data === undefined && failure === null}>
      <LoadedList
        query={{ ...query, data: query.data?.limits }}
        failedTitle="The limits could not be loaded"
        loading={<LoadingRows />}
        empty={noLimits}
      >
        {(limits) => <Limits limits={limits} labelledBy={id} />}
      </LoadedList>
    </Card>
  );
}

const actWords: Readonly<Record<OperatorActCode, string>> = {
  account_deleted: "Account deleted",
  account_signed_out: "Account signed out everywhere",
  admin_granted: "Admin page granted",
  admin_revoked: "Admin page withdrawn",
  mailbox_unblocked: "Mailbox unblocked",
  invite_created: "Invitation created",
  invite_revoked: "Invitation revoked",
  queue_retried: "Deliveries retried",
  queue_dropped: "Deliveries dropped",
  kept_mail_deleted: "Mail to postmaster deleted",
  mail_probe_started: "Proof of mail started",
  addresses_shown: "Addresses of accounts looked at",
  sealing_key_rotated: "Sealing key rotated",
  provider_repaired: "Forwarding provider repaired",
  provider_pushed: "Aliases pushed to the provider",
  aliases_adopted: "Aliases adopted from the provider",
  wrapping_key_rotated: "Wrapping key rotated",
  backup_written: "Backup written",
  certificates_ordered: "Certificates ordered",
};

const whoText = (by: string, ownId: string): string =>
  by === "command" ? "on the server" : by === ownId ? "you" : `admin ${by.slice(0, 8)}…`;

function ActRow({ act: { at, by, act, on }, ownId }: { act: OperatorActWire; ownId: string }) {
  return (
    <li className="act">
      <Time iso={at} />
      <div>
        <h4>{actWords[act]}</h4>
        {on === null ? null : <p className="addr">{on}</p>}
      </div>
      <span className="by">{whoText(by, ownId)}</span>
    </li>
  );
}

const noActs = (
  <Empty heading="h4" eyes="open" title="Nothing was done" text="Each act here or with the kauke command is listed." />
);

export function ActsSection() {
  const id = useId();
  const ownId = useUser().id;
  const query = useOperatorActs();
  const failure = failureOf(query);
  return (
    <Card id={id} title="Acts of operators" isBusy={query.data === undefined && failure === null}>
      <LoadedList query={query} failedTitle="The acts could not be loaded" loading={<LoadingRows />} empty={noActs}>
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
