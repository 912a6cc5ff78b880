/**
 * Makes aliases on own domains when mail to an unknown name has been accepted, as far as the rules and caps allow. What
 * has made no alias lately is remembered, so that a flood of guessed names costs no more than unknown names elsewhere.
 */
import { domainToUnicode } from "node:url";
import { bounds } from "../../limits/table.ts";
import { FairMap } from "../../runtime/fair-map.ts";
import { steadyMs } from "../../runtime/ports.ts";
import { newAlias } from "../alias/create-alias.ts";
import { asAppError } from "../app-error.ts";
import type { CoreDeps } from "../core-deps.ts";
import { readAccountDefaults } from "../mailbox/account-defaults.ts";
import type { MailboxDeps } from "../mailbox/list-mailboxes.ts";
import { giveBackLimit, type LimitDeps, tryLimit } from "../take-limit.ts";
import type { AppearingDomain, AppearingDomains } from "./account-domain.ts";
import { mayAppear } from "./appear-rules.ts";

export type AppearingDeps = MailboxDeps &
  LimitDeps &
  Pick<CoreDeps, "random" | "notices"> & { appearingDomains: AppearingDomains };

/** A name without a tag, on a domain of A-labels in lower case. */
export interface UnknownName {
  name: string;
  domain: string;
}

export class AppearingAliases {
  readonly #deps: AppearingDeps;
  /** By domain: whether its account had a default mailbox when last asked, and room for an alias. */
  readonly #known: FairMap<"open" | "closed">;
  readonly #asking = new Map<string, Promise<string | null>>();

  constructor(deps: AppearingDeps) {
    this.#deps = deps;
    this.#known = new FairMap({ all: bounds.appearingAliases.known, nowMs: () => this.#nowMs() });
  }

  /** Whether mail to the name would make an alias now. @returns whose it would be */
  async find({ name, domain }: UnknownName): Promise<Pick<AppearingDomain, "id" | "userId"> | null> {
    const found = await this.#deps.appearingDomains.find(domain);
    if (found === null || !mayAppear(name, found.rules, found.never)) return null;
    return (await this.#isOpen(found)) ? { id: found.id, userId: found.userId } : null;
  }

  /** Makes the alias unless it is there by now. @param organisation domain of the sender; `null` if it is not proven */
  async make({ name, domain }: UnknownName, organisation: string | null): Promise<void> {
    const found = await this.#deps.appearingDomains.find(domain);
    if (found === null || !mayAppear(name, found.rules, found.never)) return;
    const { userId } = found;
    const address = await this.#defaultMailbox(userId);
    if (address === null) return this.#close(found);
    if (!(await this.#take(found, domain))) return;
    const madeByMail = { organisation, at: this.#deps.clock.now() };
    const destinations = [{ kind: "mailbox" as const, address }];
    const input = { userId, name: name.toLowerCase(), domain, destinations, notes: null };
    try {
      await this.#deps.aliases.insert({ ...newAlias(this.#deps, input), madeByMail });
    } catch (thrown) {
      await this.#giveBack(found);
      const code = asAppError(thrown)?.code;
      // The account has as many aliases as it may have, or the domain takes no mail any more.
      if (code === "invalid") return this.#close(found);
      if (code !== "alias_taken" && code !== "alias_released") throw thrown;
    }
  }

  async #isOpen(domain: AppearingDomain): Promise<boolean> {
    const known = this.#known.get(domain.id);
    if (known !== undefined) return known === "open";
    const address = await this.#defaultMailbox(domain.userId);
    // A message may have closed it meanwhile.
    const since = this.#known.get(domain.id);
    if (since !== undefined) return since === "open";
    if (address === null) this.#close(domain);
    else this.#remember(domain, "open", this.#nowMs() + bounds.appearingAliases.knownMs);
    return address !== null;
  }

  /** Of many messages at once, one asks the store. */
  #defaultMailbox(userId: string): Promise<string | null> {
    const asked = this.#asking.get(userId);
    if (asked !== undefined) return asked;
    const asking = defaultMailbox(this.#deps, userId).finally(() => this.#asking.delete(userId));
    this.#asking.set(userId, asking);
    return asking;
  }

  /** Counts in rows that all processes share. */
  async #take(domain: AppearingDomain, name: string): Promise<boolean> {
    const byDomain = await tryLimit(this.#deps, "alias_appear_domain", { key: domain.id });
    if (byDomain !== null) return this.#closeFull(domain, name, byDomain);
    const byAccount = await tryLimit(this.#deps, "alias_appear_account", { userId: domain.userId });
    if (byAccount === null) return true;
    await giveBackLimit(this.#deps, "alias_appear_domain", { key: domain.id });
    return this.#closeFull(domain, name, byAccount);
  }

  async #giveBack({ id, userId }: AppearingDomain): Promise<void> {
    await giveBackLimit(this.#deps, "alias_appear_domain", { key: id });
    await giveBackLimit(this.#deps, "alias_appear_account", { userId });
  }

  async #closeFull(domain: AppearingDomain, name: string, until: Date): Promise<false> {
    const { clock, random, notices } = this.#deps;
    this.#remember(domain, "closed", this.#nowMs() + until.getTime() - clock.now().getTime());
    if ((await tryLimit(this.#deps, "alias_appear_notice", { key: domain.id })) !== null) return false;
    const text = floodText(domainToUnicode(name) || name);
    const notice = { id: random.uuid(), userId: domain.userId, aliasId: null, createdAt: clock.now() };
    await notices.insert({ ...notice, kind: "appear_flood", text });
    return false;
  }

  #close(domain: AppearingDomain): void {
    this.#remember(domain, "closed", this.#nowMs() + bounds.appearingAliases.knownMs);
  }

  #remember({ id, userId }: AppearingDomain, state: "open" | "closed", until: number): void {
    this.#known.set(id, state, { party: userId, size: 1, until });
  }

  #nowMs(): number {
    return steadyMs(this.#deps.clock);
  }
}

const floodText = (domain: string): string =>
  `Mail to many unknown names at ${domain} has made as many aliases as may appear in an hour or a day. Further names are refused until then. If you did not expect this, choose beginnings of names, or switch aliases that appear off.`;

/** @returns `null` without a confirmed one or room for an alias, and for an account that was deleted just now */
async function defaultMailbox(deps: AppearingDeps, userId: string): Promise<string | null> {
  try {
    if (!(await deps.aliases.hasRoom(userId))) return null;
    return (await readAccountDefaults(deps, userId)).mailbox?.address ?? null;
  } catch (thrown) {
    if (asAppError(thrown)?.code === "not_signed_in") return null;
    throw thrown;
  }
}
