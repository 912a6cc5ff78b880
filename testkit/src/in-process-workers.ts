/**
 * Mail workers that run in the test's process, so that tests can replace their clock, resolver or connections. Their
 * messages are copied, as those between two processes are.
 */
import { deserialize, serialize } from "node:v8";
import type { Logger } from "@kauke/server/core/ports";
import type { LaunchWorker } from "@kauke/server/mail-workers/launch-worker";
import { type LinkSide, linkSide } from "@kauke/server/mail-workers/link";
import type { ToOwner, ToWorker } from "@kauke/server/mail-workers/messages";
import { runMailWorker, type WorkerOverrides } from "@kauke/server/mail-workers/run-mail-worker";

/** Copies a value as the channel between two processes does. */
const copied = <T>(value: T): T => deserialize(serialize(value));

/** @returns function that starts a mail worker in this process, with the given adapters */
export function inProcessWorkers(logger: Logger, overrides: WorkerOverrides): LaunchWorker {
  return () => {
    const owner: LinkSide<ToWorker, ToOwner> = linkSide((messages) => {
      const sent = copied(messages);
      setImmediate(() => worker.receive(sent));
    });
    const worker: LinkSide<ToOwner, ToWorker> = linkSide((messages) => {
      const sent = copied(messages);
      setImmediate(() => owner.receive(sent));
    });
    runMailWorker(worker, logger, overrides);
    const kill = () => {
      worker.end();
      owner.end();
    };
    return { link: owner, pid: null, kill };
  };
}
