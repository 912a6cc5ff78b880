/** What setup is told, and what it needs of the machine around it. */
import type { DnsRecord } from "@kauke/mail-rfc";
import type { ProviderAccount } from "../../core/forwarding/provider-account.ts";
import type { OperatorAccess } from "../control/operator-access.ts";
import type { CheckResult } from "../doctor/check-result.ts";
import type { Wanted } from "./look.ts";
import type { ForwardingKind, ProviderChoice } from "./settings-change.ts";

export interface SetupOptions {
  domain: string;
  /** The operator's own mailbox, elsewhere. */
  mailbox: string;
  /** Public addresses of this machine. */
  addresses: readonly string[];
  /** Who takes and forwards the mail; `null`: as it is set, else this server. */
  forwarding: ForwardingKind | null;
  isDryRun: boolean;
}

export interface SetupDeps {
  settings: {
    file: string;
    read(): string;
    write(text: string): void;
    parse(text: string): Record<string, string>;
    /** Whether other users of this machine can read the file. */
    isOpenToOthers(): boolean;
  };
  look(wanted: Wanted): Promise<CheckResult[]>;
  /** Asks the operator whether to go on; true at once with `--yes`. */
  confirm(): Promise<boolean>;
  service: ServiceManager;
  /** Publishes records as the operator chose, then reads them until they are right. */
  publish(records: readonly DnsRecord[], formerMailHosts: readonly string[]): AsyncIterable<CheckResult>;
  account(access: OperatorAccess, mailbox: string): Promise<CheckResult>;
  provider: ProviderDeps;
  /** Milliseconds: how long certificates are waited for, and between two looks at them. */
  certificateWait: { limitMs: number; pauseMs: number };
}

/** What runs the server on this machine. */
export interface ServiceManager {
  /** Starts the server, or restarts it when its settings changed. */
  ensure(change: { isChanged: boolean }): Promise<CheckResult>;
  /** The running server; `null` when it does not come up in time. */
  access(): Promise<OperatorAccess | null>;
}

export interface ProviderDeps {
  /** Asks whether a provider may take the mail, because port 25 is blocked; false without a terminal. */
  offer(): Promise<boolean>;
  /** Given, set already, or typed. @returns a sentence when the key is missing or something is malformed */
  choose(present: Readonly<Record<string, string>>): Promise<ProviderChoice | string>;
  account(choice: ProviderChoice): ProviderAccount;
  /** Aliases of the server that runs here; 0 when none runs. */
  countAliases(): Promise<number>;
  /** Those of the domains that have an MTA-STS record of an earlier setup. */
  withPolicy(domains: readonly string[]): Promise<readonly string[]>;
  /** Milliseconds: how long the provider is waited for, and between two looks at it. */
  wait: { limitMs: number; pauseMs: number };
}

/** A server that was started with the settings that this run has written. */
export interface Running {
  access: OperatorAccess;
  options: SetupOptions;
  deps: SetupDeps;
  /** A provider took the mail until this run. */
  isLeaving: boolean;
  /** Hosts that may stand in the domains' MX records: those wanted now, and those of an earlier setup. */
  mailHosts: readonly string[];
}
