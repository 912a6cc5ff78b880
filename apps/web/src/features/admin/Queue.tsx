import type { QueueOfHostWire } from "@kauke/contract";
import { Info } from "lucide-react";
import { useState } from "react";
import { useDropQueue, useQueue, useRetryQueue } from "../../api/admin.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Empty, failureOf, LoadedList } from "../../ui/LoadFailed.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { countText } from "../../ui/text/count-text.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { Fact, LoadingRows, Time } from "./AdminParts.tsx";

const deliveriesText = (count: number) => `${countText(count)} ${count === 1 ? "delivery" : "deliveries"}`;

function DropDialog({ queue: { host, open, running }, onClose }: { queue: QueueOfHostWire; onClose: () => void }) {
  const drop = useDropQueue();
  const waiting = open - running;
  const onDrop = () =>
    drop.mutate(host, {
      onSuccess: (count) => {
        showToast({ title: `${countText(count)} Dropped`, description: host });
        onClose();
      },
      onError: (error) => showFailure("Not Dropped", refusalText(error, "The deliveries could not be dropped.")),
    });
  return (
    <ConfirmDialog
      title={`Give up ${deliveriesText(waiting)}?`}
      description={`Mail to ${host} that waits now is never delivered. This cannot be undone.`}
      label={`Drop ${countText(waiting)}`}
      pending={drop.isPending}
      pendingLabel="Dropping..."
      onConfirm={onDrop}
      onClose={onClose}
    >
      <div className="body">
        <div className="note note-plain">
          <Info className="i" aria-hidden />
          <div>
            Owners and senders are told, as after any delivery that failed for good.
            {running === 0 ? null : ` ${countText(running)} in progress ${running === 1 ? "is" : "are"} left alone.`}
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
      onSuccess: (count) => showToast({ title: `${countText(count)} Tried Now`, description: host }),
      onError: (error) => showFailure("Not Retried", refusalText(error, "The deliveries could not be retried.")),
    });
  return (
    <SubmitButton
      type="button"
      className="btn-sm"
      label={retry.isPending ? `Retrying... ${host}` : `Retry ${host}`}
      pending={retry.isPending}
      pendingLabel="Retrying..."
      onClick={onRetry}
    >
      Retry
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
        <p>{failure ?? "Not tried yet."}</p>
      </div>
      <dl>
        <Fact label="Waiting">
          {countText(open)}
          {running === 0 ? "" : `, ${countText(running)} now`}
        </Fact>
        <Fact label="Oldest">
          <Time iso={oldestAt} />
        </Fact>
        <Fact label="Next try">
          <Time iso={nextAt} />
        </Fact>
      </dl>
      <div className="acts">
        <RetryButton host={host} />
        <Button isSmall look="danger-line" aria-label={`Drop ${host}`} disabled={open <= running} onClick={onDrop}>
          Drop
        </Button>
      </div>
    </li>
  );
}

const noQueue = <Empty heading="h4" eyes="open" title="Nothing waits" text="Every message has been delivered." />;

export function QueueSection() {
  const query = useQueue();
  const [dropped, setDropped] = useState<QueueOfHostWire | null>(null);
  const failure = failureOf(query);
  return (
    <Card id="queue" title="Waiting, by destination" isBusy={query.data === undefined && failure === null}>
      <LoadedList
        query={{ ...query, data: query.data?.hosts }}
        failedTitle="The queue could not be loaded"
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
          <p className="hint">The queue is long: only a part of it is counted here.</p>
        </div>
      ) : null}
      {dropped === null ? null : <DropDialog queue={dropped} onClose={() => setDropped(null)} />}
    </Card>
  );
}
