/** The control calls of a server, answered from its settings and its store. */
import { product } from "@kauke/contract";
import { publicDkimKey } from "@kauke/mail-rfc";
import { createResolver } from "../../mail/dns/resolver.ts";
import { askServers, askSystem, probeRelay, type RelayState } from "../../mail/transport/relay-transport.ts";
import type { Config } from "../../settings/config.ts";
import { BackupError, type BackupRequest } from "../../store/backup/backup.ts";
import type { Store } from "../../store/open-store.ts";
import { exampleLinks } from "../doctor/page-checks.ts";
import type { ControlHandlers, ServerFacts } from "./control-protocol.ts";
import { forgetKept, listKept, readKept } from "./kept-mail.ts";
import { keyCalls } from "./key-calls.ts";
import { OperatorError } from "./operator-error.ts";
import { userCalls } from "./user-calls.ts";

export interface ServerView {
  config: Config;
  store: Store;
  /** Port by service; `null` or missing if the service does not listen. */
  ports: Readonly<Partial<Record<"http" | "mx" | "submission" | "submissions", number | null>>>;
}

export function controlHandlers(view: ServerView): ControlHandlers {
  return {
    facts: () => factsOf(view),
    "kept-list": () => listKept(view.store),
    "kept-text": ({ messageId }) => readKept(view.store, messageId),
    "kept-forget": ({ messageId }) => forgetKept(view.store, messageId),
    ...userCalls(view.store),
    ...keyCalls(view.store),
    backup: (request) => backUp(view.store, request),
    migrations: () => view.store.operator.migrations(),
    "relay-state": () => relayState(view.config),
  };
}

async function backUp({ backup }: Store, request: BackupRequest): Promise<{ bytes: number }> {
  if (backup === null) throw new OperatorError(elsewhere);
  return await backup(request).catch((thrown: unknown) => {
    throw thrown instanceof BackupError ? new OperatorError(thrown.message, { cause: thrown }) : thrown;
  });
}

async function relayState({ delivery, mailHost, domains, dnsServers }: Config): Promise<RelayState | null> {
  if (delivery.kind !== "relay") return null;
  const findAddresses = dnsServers === null ? askSystem : askServers(createResolver({ servers: dnsServers }));
  return await probeRelay({ url: delivery.url, mailHost, findAddresses, from: `postmaster@${domains[0]}` });
}

const elsewhere =
  "With DATABASE_URL the data is in PostgreSQL: back it up with pg_dump, which includes the queue and its mail, and keep KAUKE_SECRET_KEY in another place. Nothing else is needed.";

async function factsOf({ config, store, ports }: ServerView): Promise<ServerFacts> {
  const { open, oldestAt, messageBytes } = await store.deliveries.figures();
  const listening = Object.entries(ports).filter((it): it is [string, number] => it[1] !== null);
  return {
    version: product.version,
    domains: config.domains,
    mailHost: config.mailHost,
    delivery: config.delivery.kind,
    dnsServers: config.dnsServers,
    publicUrl: config.publicUrl.origin,
    publicUrlGiven: config.publicUrlGiven,
    ownCertificate: config.tls !== null,
    host: config.http.host,
    services: [...config.services],
    ports: Object.fromEntries(listening),
    database: store.kind,
    dkim: store.dkimKeys.map(publicDkimKey),
    isSound: store.isSound(),
    postmasterGiven: config.postmaster !== null,
    dmarcReports: config.dmarcReports,
    exampleLinks: exampleLinks(config.links),
    logDaysGiven: config.logDays !== null,
    keptForOperator: await store.deliveries.countKeptForOperator(),
    rotation: { ...store.keyKeeper.state(), isOpen: await store.keyKeeper.isOpen() },
    queue: { open, oldestAt: oldestAt?.toISOString() ?? null, messageBytes },
  };
}
