import type { QueueOfHostWire } from "@kauke/contract";
import { Info } from "lucide-react";
import { useState } from "react";
import { useDropQueue, useQueue, useRetryQueue } from "../../api/admin.ts";
import { plural } from "../../texts/plural.ts";
import { t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Empty, failureOf, LoadedList } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { Fact, LoadingRows, Time } from "./AdminParts.tsx";

function DropDialog({ queue: { host, open, running }, onClose }: { queue: QueueOfHostWire; onClose: () => void }) {
  const drop = useDropQueue();
  const waiting = open - running;
  const leftAlone = plural(running, "{count} in progress is left alone.", "{count} in progress are left alone.", {
    count: countText(running),
  });
  const onDrop = () =>
    drop.mutate(host, {
      onSuccess: (count) => {
        showToast({ title: t("{count} Dropped", { count: countText(count) }), description: host });
        onClose();
      },
      onError: (error) => showFailure(t("Not Dropped"), refusalText(error, t("The deliveries could not be dropped."))),
    });
  return (
    <ConfirmDialog
      title={plural(waiting, "Give up {count} delivery?", "Give up {count} deliveries?", { count: countText(waiting) })}
      description={t("Mail to {host} that waits now is never delivered. This cannot be undone.", { host })}
      label={t("Drop {count}", { count: countText(waiting) })}
      pending={drop.isPending}
      pendingLabel={t("Dropping...")}
      onConfirm={onDrop}
      onClose={onClose}
    >
      <div className="body">
        <div className="note note-plain">
          <Info className="i" aria-hidden />
          <div>
            {t("Owners and senders are told, as after any delivery that failed for good.")}
            {running === 0 ? null : ` ${leftAlone}`}
          </div>
        </div>
      </div>
    </ConfirmDialog>
  );
}

function RetryButton({ host }: { host: string }) {
  const retry = useRetryQueue();
  const onRetry = () =>
    retry.mutate(host, {
      onSuccess: (count) =>
        showToast({ title: t("{count} Tried Now", { count: countText(count) }), description: host }),
      onError: (error) => showFailure(t("Not Retried"), refusalText(error, t("The deliveries could not be retried."))),
    });
  return (
    <SubmitButton
      type="button"
      className="btn-sm"
      label={retry.isPending ? t("Retrying... {host}", { host }) : t("Retry {host}", { host })}
      pending={retry.isPending}
      pendingLabel={t("Retrying...")}
      onClick={onRetry}
    >
      {t("Retry")}
    </SubmitButton>
  );
}

function HostRow({ queue, onDrop }: { queue: QueueOfHostWire; onDrop: () => void }) {
  const { host, open, running, oldestAt, nextAt, failure } = queue;
  return (
    <li className="with-facts">
      <div>
        <h4 className="addr">
          <b>{host}</b>
        </h4>
        <p>{failure ?? t("Not tried yet.")}</p>
      </div>
      <dl>
        <Fact label={t("Waiting")}>
          {running === 0
            ? countText(open)
            : t("{open}, {running} now", { open: countText(open), running: countText(running) })}
        </Fact>
        <Fact label={t("Oldest")}>
          <Time iso={oldestAt} />
        </Fact>
        <Fact label={t("Next try")}>
          <Time iso={nextAt} />
        </Fact>
      </dl>
      <div className="acts">
        <RetryButton host={host} />
        <Button
          isSmall
          look="danger-line"
          aria-label={t("Drop {host}", { host })}
          disabled={open <= running}
          onClick={onDrop}
        >
          {t("Drop")}
        </Button>
      </div>
    </li>
  );
}

const noQueue = (
  <Empty heading="h4" eyes="open" title={t("Nothing waits")} text={t("Every message has been delivered.")} />
);

export function QueueSection() {
  const query = useQueue();
  const [dropped, setDropped] = useState<QueueOfHostWire | null>(null);
  const failure = failureOf(query);
  return (
    <Card id="queue" title={t("Waiting, by destination")} isBusy={query.data === undefined && failure === null}>
      <LoadedList
        query={{ ...query, data: query.data?.hosts }}
        failedTitle={t("The queue could not be loaded")}
        loading={<LoadingRows />}
        empty={noQueue}
      >
        {(hosts) => (
          <ul className="admin-rows" aria-labelledby="queue">
            {hosts.map((queue) => (
              <HostRow key={queue.host} queue={queue} onDrop={() => setDropped(queue)} />
            ))}
          </ul>
        )}
      </LoadedList>
      {query.data?.isPartial ? (
        <div className="card-foot">
          <p className="hint">{t("The queue is long: only a part of it is counted here.")}</p>
        </div>
      ) : null}
      {dropped === null ? null : <DropDialog queue={dropped} onClose={() => setDropped(null)} />}
    </Card>
  );
}
