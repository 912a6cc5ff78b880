import type { HealthCheckWire, RegistrationMode, ServerStateWire } from "@kauke/contract";
import { TriangleAlert } from "lucide-react";
import type { ReactNode } from "react";
import { Link } from "wouter";
import { useHealth, useServerState } from "../../api/admin.ts";
import { plural } from "../../texts/plural.ts";
import { said } from "../../texts/said.ts";
import { rich, t } from "../../texts/texts.ts";
import { failureOf, LoadFailed, Skeleton } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { fileSizeText, preciseTimeText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { CommandLine, Sentences, StateMark, Time, VerdictMark } from "./AdminParts.tsx";
import { checkTitle, daysAwayText, verdictOf } from "./health-text.ts";

function CheckRow({ check: { state, check, subject, says } }: { check: HealthCheckWire }) {
  return (
    <li>
      <StateMark mark={state} />
      <div>
        <h4>
          {checkTitle(check)} <span className="addr">{subject}</span>
        </h4>
        <p>
          <Sentences text={said(says)} />
        </p>
      </div>
    </li>
  );
}

function Checks({ checks, label }: { checks: readonly HealthCheckWire[]; label: string }) {
  return (
    <ul className="checks" aria-label={label}>
      {checks.map((check) => (
        <CheckRow key={`${check.check} ${check.subject} ${check.says}`} check={check} />
      ))}
    </ul>
  );
}

function AllChecks({ checks }: { checks: readonly HealthCheckWire[] }) {
  const only = (state: HealthCheckWire["state"]) => checks.filter((check) => check.state === state);
  const toMend = [...only("fix"), ...only("warn")];
  const passed = only("ok");
  return (
    <>
      {toMend.length === 0 ? null : <Checks checks={toMend} label={t("What needs you")} />}
      {passed.length === 0 ? null : (
        <details className="passed">
          <summary>
            {plural(passed.length, "{count} check passed", "{count} checks passed", {
              count: countText(passed.length),
            })}
          </summary>
          <Checks checks={passed} label={t("What is in order")} />
        </details>
      )}
    </>
  );
}

function Verdict({ health }: { health: { checkedAt: string; checks: readonly HealthCheckWire[] } | undefined }) {
  if (health === undefined)
    return (
      <div>
        <h3>{t("Checking…")}</h3>
        <p>{t("DNS, ports, certificates, disk and queue. This takes up to half a minute.")}</p>
      </div>
    );
  const { title, text } = verdictOf(health.checks);
  return (
    <div>
      <h3>{title}</h3>
      <p>
        {rich("{text} Checked at {time}.", {
          text,
          time: <time dateTime={health.checkedAt}>{preciseTimeText(health.checkedAt)}</time>,
        })}
      </p>
    </div>
  );
}

function HealthCard() {
  const query = useHealth();
  const { data: health, isFetching, refetch } = query;
  const failure = failureOf(query);
  const onCheck = async () => {
    const { data, error } = await refetch();
    if (error !== null) showFailure(t("Not Checked"), refusalText(error, t("The checks could not be run.")));
    else if (data !== undefined && data.checkedAt === health?.checkedAt)
      showToast({ title: t("Checked a moment ago"), description: t("The checks run at most once a minute.") });
  };
  if (failure !== null)
    return (
      <section className="card" aria-label={t("Health")}>
        <LoadFailed title={t("The checks could not be run")} error={failure} onRetry={refetch} />
      </section>
    );
  return (
    <section className="card" aria-label={t("Health")} aria-busy={isFetching}>
      <div className="verdict">
        {health === undefined ? <span className="spin" /> : <VerdictMark mark={verdictOf(health.checks).mark} />}
        <div role="status" className="contents">
          <Verdict health={health} />
        </div>
        {health === undefined ? null : (
          <SubmitButton
            type="button"
            pending={isFetching}
            pendingLabel={t("Checking...")}
            onClick={() => void onCheck()}
          >
            {t("Check Again")}
          </SubmitButton>
        )}
      </div>
      {health === undefined ? null : <AllChecks checks={health.checks} />}
    </section>
  );
}

interface TileProps {
  label: string;
  value: ReactNode;
  isBad?: boolean;
  children?: ReactNode;
}

function Tile({ label, value, isBad, children }: TileProps) {
  return (
    <div>
      <dt>{label}</dt>
      <dd className="value">
        {isBad ? <TriangleAlert className="i mark-warn" role="img" aria-label={t("Worth knowing:")} /> : null}
        {value}
      </dd>
      <dd>{children}</dd>
    </div>
  );
}

const registrationWords: Record<RegistrationMode, { value: string; text: string }> = {
  open: { value: t("Open"), text: t("Whoever reaches this server can make an account.") },
  invite: { value: t("By invitation"), text: t("An account needs a link from you.") },
  closed: { value: t("Closed"), text: t("Nobody can make an account.") },
};

const deliveryWords: Record<ServerStateWire["delivery"], { value: string; text: string }> = {
  direct: { value: t("Direct"), text: t("This server brings mail to other hosts itself.") },
  relay: { value: t("By a relay"), text: t("Another mail server brings mail to its destination.") },
  preview: { value: t("Preview"), text: t("No mail leaves this machine. It shows in the preview inbox.") },
  provider: {
    value: t("By the provider"),
    text: t("The forwarding provider sends what people write here, and our own mail."),
  },
};

function RegistrationTile({ registration, isOpenToStrangers }: ServerStateWire) {
  const { value, text } = registrationWords[registration];
  return (
    <Tile label={t("Registration")} value={value} isBad={isOpenToStrangers}>
      {isOpenToStrangers ? (
        <>
          {rich(
            "Anybody on the internet can make an account here. To close the door, set <code>KAUKE_REGISTRATION=invite</code> and restart.",
            { code: (inner) => <code>{inner}</code> },
          )}
        </>
      ) : (
        text
      )}
    </Tile>
  );
}

function BackupTile({ lastBackupAt }: ServerStateWire) {
  if (lastBackupAt === null)
    return (
      <Tile label={t("Last backup")} value={t("Never")} isBad>
        {t("If this disk fails, everything is gone. Run this on the server, best every night:")}
        <CommandLine command="kauke backup kauke.backup" />
      </Tile>
    );
  return (
    <Tile label={t("Last backup")} value={daysAwayText(lastBackupAt)}>
      {rich("{time}. Keep a copy on another machine.", { time: <Time iso={lastBackupAt} /> })}
    </Tile>
  );
}

function QueueTile({ queue: { open, oldestAt, messageBytes } }: ServerStateWire) {
  return (
    <Tile label={t("Queue")} value={open === 0 ? t("Empty") : t("{count} waiting", { count: countText(open) })}>
      {oldestAt === null ? (
        t("Everything was delivered.")
      ) : (
        <>
          {rich("{fileSize}, the oldest since {time}. <link>Show the queue</link>", {
            fileSize: fileSizeText(messageBytes),
            time: <Time iso={oldestAt} />,
            link: (inner) => (
              <Link className="link" href="/admin?section=queue">
                {inner}
              </Link>
            ),
          })}
        </>
      )}
    </Tile>
  );
}

function Tiles({ state }: { state: ServerStateWire }) {
  const delivery = deliveryWords[state.delivery];
  return (
    <dl className="tiles">
      <QueueTile {...state} />
      <BackupTile {...state} />
      <RegistrationTile {...state} />
      <Tile label={t("Delivery")} value={delivery.value}>
        {delivery.text}
      </Tile>
      <Tile label={t("Database")} value={state.database === "embedded" ? t("Embedded") : "PostgreSQL"}>
        {state.database === "embedded"
          ? t("In the data directory of this server.")
          : t("On the server that DATABASE_URL names.")}
      </Tile>
      <Tile label={t("Version")} value={state.version}>
        {rich("{host}, mail host {mailHost}", {
          host: <span className="addr">{new URL(state.publicUrl).host}</span>,
          mailHost: <span className="addr">{state.mailHost}</span>,
        })}
      </Tile>
    </dl>
  );
}

function LoadingTiles() {
  return (
    <div className="tiles" aria-hidden="true">
      {[9, 6, 12, 8, 11, 7].map((width) => (
        <div key={width}>
          <Skeleton w="6ch" />
          <Skeleton w={`${width}ch`} />
          <Skeleton w="80%" />
        </div>
      ))}
    </div>
  );
}

function ServerCard() {
  const query = useServerState();
  const failure = failureOf(query);
  return (
    <section className="card" aria-label={t("Server")} aria-busy={query.data === undefined && failure === null}>
      {query.data !== undefined ? (
        <Tiles state={query.data} />
      ) : failure === null ? (
        <LoadingTiles />
      ) : (
        <LoadFailed title={t("The state could not be loaded")} error={failure} onRetry={query.refetch} />
      )}
    </section>
  );
}

export function OverviewSection() {
  return (
    <>
      <HealthCard />
      <ServerCard />
    </>
  );
}
