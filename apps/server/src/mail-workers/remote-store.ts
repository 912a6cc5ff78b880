/** A mail worker's store: every method is a call to the owner process; only keyed hashes are computed in the worker. */
import type { RouteChange } from "../core/alias/alias-store.ts";
import type { MailStore } from "../mail-store.ts";
import { keyedHashes } from "../store/sealing/server-keys.ts";
import { ByteGate } from "./byte-gate.ts";
import type { Link } from "./link.ts";
import type { ToOwner, ToWorker } from "./messages.ts";
import type { CallOwner } from "./remote-calls.ts";
import { SERVER_PART, type StorePart, storeMethods } from "./store-methods.ts";
import { receiveDkimKey, type WorkerSetup } from "./worker-setup.ts";

/** Maximum bytes of message bodies that a worker has in flight to the owner; a larger message is sent alone. */
const BODIES_MAX_BYTES = 8 * 1024 * 1024;

export function remoteStore(link: Link<ToOwner, ToWorker>, call: CallOwner, setup: WorkerSetup): MailStore {
  const routeListeners: ((change: RouteChange) => void | Promise<void>)[] = [];
  link.onMessage((message) => {
    if (message.kind !== "drop") return;
    const dropped = Promise.all(routeListeners.map(async (listener) => listener(message.change)));
    void dropped.then(() => link.send({ kind: "dropped", id: message.id }));
  });
  const gate = new ByteGate(BODIES_MAX_BYTES);
  const part = <Part extends StorePart>(name: Part) => remotePart(name, call) as NonNullable<MailStore[Part]>;
  const [bodies, inFlight] = [part("bodies"), part("inFlight")];
  return {
    aliases: {
      ...part("aliases"),
      onRouteChange: (listener) => void routeListeners.push(listener),
      reportsAllChanges: !setup.isDatabaseShared,
    },
    replyPaths: part("replyPaths"),
    deliveries: part("deliveries"),
    bodies: {
      ...bodies,
      put: (messageId, chunks) => gate.pass(bytesOf(chunks), () => bodies.put(messageId, chunks)),
    },
    inFlight: setup.hasInFlight
      ? { ...inFlight, keep: (message) => gate.pass(message.wire.length, () => inFlight.keep(message)) }
      : null,
    destinations: part("destinations"),
    missingMailboxes: part("missingMailboxes"),
    notices: part("notices"),
    sentAnswers: part("sentAnswers"),
    rateLimits: part("rateLimits"),
    smtpCredentials: part("smtpCredentials"),
    users: part("users"),
    keys: { hmac: keyedHashes(new Map(setup.hmacKeys)) },
    dkimKeys: setup.dkimKeys.map(receiveDkimKey),
    pauseWebhook: async (gone) => void (await call(SERVER_PART, "pauseWebhook", [gone])),
  };
}

function remotePart(part: StorePart, call: CallOwner): object {
  const methods: readonly string[] = storeMethods[part];
  return Object.fromEntries(methods.map((method) => [method, (...args: unknown[]) => call(part, method, args)]));
}

const bytesOf = (chunks: readonly Buffer[]) => chunks.reduce((sum, { length }) => sum + length, 0);
