/** Mail workers whose program a test chooses, and the parts that the owner needs to run them. */
import { deserialize, serialize } from "node:v8";
import type { RouteChange } from "../core/alias/alias-store.ts";
import type { Logger } from "../core/ports.ts";
import { systemClock } from "../operate/clock.ts";
import type { LaunchedWorker } from "./launch-worker.ts";
import { type LinkSide, linkSide } from "./link.ts";
import { MailWorkers, type MailWorkersParts } from "./mail-workers.ts";
import type { ToOwner, ToWorker } from "./messages.ts";
import { ShareHub } from "./share-hub.ts";
import type { OwnerStore } from "./worker-calls.ts";

export type WorkerLink = LinkSide<ToOwner, ToWorker>;

export interface FakeWorker extends LaunchedWorker {
  /** The worker's side of the link. */
  own: WorkerLink;
  isEnded(): boolean;
}

/** Starts a worker in this process. Its messages are copied, as those between two processes are. */
export function fakeWorker(program: (link: WorkerLink) => void): FakeWorker {
  const copied = <T>(value: T): T => deserialize(serialize(value));
  let isEnded = false;
  const link: LinkSide<ToWorker, ToOwner> = linkSide((messages) => {
    const sent = copied(messages);
    setImmediate(() => isEnded || own.receive(sent));
  });
  const own: WorkerLink = linkSide((messages) => {
    const sent = copied(messages);
    setImmediate(() => isEnded || link.receive(sent));
  });
  program(own);
  const kill = () => {
    isEnded = true;
    own.end();
    link.end();
  };
  return { link, own, pid: null, kill, isEnded: () => isEnded };
}

/** A worker that starts, answers pings, confirms dropped routes and stops when asked to, and does nothing else. */
export function obedientProgram(link: WorkerLink): void {
  link.onMessage((message) => {
    if (message.kind === "start") link.send({ kind: "ready", ports: { mx: 25, submission: null, submissions: null } });
    else if (message.kind === "ping") link.send({ kind: "pong" });
    else if (message.kind === "drop") link.send({ kind: "dropped", id: message.id });
    else if (message.kind === "stop") link.send({ kind: "stopped" });
  });
}

export const silentLogger: Logger = { info() {}, warn() {}, error() {} };

export interface FakeOwner {
  workers: MailWorkers;
  /** All workers started so far, oldest first. */
  launched: FakeWorker[];
  /** Announces a changed route; resolves when no worker uses the former route any more. */
  changeRoute(change: RouteChange): Promise<void>;
}

/** @param options.store methods of the owner's store, by part of the store; the store has no others */
export function fakeOwner(options: {
  count: number;
  store?: Record<string, Record<string, (...args: never[]) => unknown>>;
  program?: (link: WorkerLink, index: number) => void;
}): FakeOwner {
  const { count, store = {}, program = obedientProgram } = options;
  const launched: FakeWorker[] = [];
  let dropRoutes: (change: RouteChange) => Promise<void> = async () => {};
  const aliases = {
    ...store["aliases"],
    onRouteChange(listener: typeof dropRoutes) {
      dropRoutes = listener;
    },
  };
  const workers = new MailWorkers({
    count,
    launch() {
      const index = launched.length;
      const worker = fakeWorker((link) => program(link, index));
      launched.push(worker);
      return worker;
    },
    setup: {} as MailWorkersParts["setup"],
    store: { ...store, aliases } as unknown as OwnerStore,
    preview: null,
    trace: null,
    metrics: { count() {}, gauge() {} },
    hub: new ShareHub(),
    clock: systemClock,
    logger: silentLogger,
  });
  return { workers, launched, changeRoute: (change) => dropRoutes(change) };
}
