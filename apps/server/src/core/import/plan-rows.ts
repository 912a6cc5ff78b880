/**
 * Decides the outcome of each row of an import, in batches: the addresses of a batch are looked up in a few queries. A
 * plan remembers the addresses that earlier rows of the same import use.
 */
import { isAliasName, isMailbox, limits } from "@kauke/contract";
import { findReservedName } from "@kauke/contract/reserved-names";
import { splitAddress } from "@kauke/mail-rfc";
import { aliasAddress, type Destination } from "../alias/alias.ts";
import type { AddressStanding, ImportRow } from "./import.ts";
import type { ImportedAlias } from "./imported-alias.ts";
import { DestinationSet, planDestinations } from "./planned-destinations.ts";
import { importedNotes, markOfTwin, twinNames } from "./twin-name.ts";

export interface PlanRules {
  userId: string;
  ownDomains: readonly string[];
  /** Domain of this server on which twins are created. */
  domain: string;
  fallback: string | null;
  /** Number of aliases that the account may still create. */
  room: number;
  newId(): string;
  /** Looks up who has these addresses; free addresses are absent from the result. */
  standing(addresses: readonly string[]): Promise<ReadonlyMap<string, AddressStanding>>;
  /** Returns those of the given mailboxes whose reader has blocked mail from this server. */
  blocked(addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

/** A row of the import whose address has not been looked up yet. */
interface Draft {
  input: ImportedAlias;
  destinations: Destination[];
  remarks: string[];
  /** Candidate alias names on `domain`, in the order in which they are tried. */
  names: string[];
  domain: string;
  isTwin: boolean;
}

export class ImportPlan {
  readonly #rules: PlanRules;
  /**
   * `#seen`: addresses of earlier rows as the file has them. `#taken`: addresses of the aliases that earlier rows
   * create.
   */
  readonly #seen = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #destinations = new DestinationSet();
  /** For each mailbox that was looked up, whether its reader blocks mail from this server. */
  readonly #isBlocked = new Map<string, boolean>();
  #room: number;

  constructor(rules: PlanRules) {
    this.#rules = rules;
    this.#room = rules.room;
  }

  /** Destination mailboxes of the rows planned so far. */
  get mailboxes(): string[] {
    return [...this.#isBlocked.keys()];
  }

  /** Decides the outcome of the next rows of the file, in their order. */
  async decide(inputs: readonly ImportedAlias[]): Promise<ImportRow[]> {
    const decided = new Map<ImportedAlias, ImportRow>();
    let open: Draft[] = [];
    for (const input of inputs) {
      const draft = this.#draft(input);
      if ("result" in draft) decided.set(input, draft);
      else open.push(draft);
    }
    await this.#leaveOutBlocked(open, decided);
    open = open.filter(({ input }) => !decided.has(input));
    while (open.length > 0) open = await this.#lookUp(open, decided);
    return inputs.map((input) => this.#withinRoom(decided.get(input) ?? refusal(input, "invalid", "")));
  }

  /** Decides a row's outcome as far as that needs no database look-up; otherwise returns a draft. */
  #draft(input: ImportedAlias): Draft | ImportRow {
    const { address, problem } = input;
    if (problem !== null) return refusal(input, "invalid", problem);
    const { local, domain } = placeOf(address, this.#rules.domain);
    if (local === "" || !isMailbox(`${local}@${domain}`)) return refusal(input, "invalid", "This is not an address.");
    if (input.isDeleted) return refusal(input, "deleted", "It was deleted there, so it stays deleted.");
    const key = aliasAddress(local, domain);
    if (this.#seen.has(key)) return refusal(input, "exists", "An earlier row of the file has the same address.");
    this.#seen.add(key);
    const isTwin = !this.#rules.ownDomains.includes(domain);
    if (!isTwin && !isAliasName(local))
      return refusal(input, "invalid", "The name has characters that are not allowed here.");
    if (!isTwin && findReservedName(local) !== null) return refusal(input, "reserved", "The name is reserved here.");
    const planned = planDestinations(input.destinations, this.#rules);
    if (planned === null) return refusal(input, "invalid", NO_DESTINATION);
    if (!this.#destinations.add(planned.destinations)) return refusal(input, "invalid", TOO_MANY_DESTINATIONS);
    return {
      input,
      destinations: planned.destinations,
      remarks: planned.remark === null ? [] : [planned.remark],
      names: isTwin ? twinNames(`${local}@${domain}`, this.#rules.userId) : [local],
      domain: isTwin ? this.#rules.domain : domain,
      isTwin,
    };
  }

  /** Removes mailboxes whose reader has blocked mail from this server. Each mailbox is looked up once per import. */
  async #leaveOutBlocked(drafts: readonly Draft[], decided: Map<ImportedAlias, ImportRow>): Promise<void> {
    const named = drafts.flatMap(({ destinations }) => mailboxesOf(destinations));
    const unknown = [...new Set(named)].filter((address) => !this.#isBlocked.has(address));
    const blocked = unknown.length === 0 ? new Set<string>() : await this.#rules.blocked(unknown);
    for (const address of unknown) this.#isBlocked.set(address, blocked.has(address));
    for (const draft of drafts) {
      const left = draft.destinations.filter((it) => it.kind === "webhook" || this.#isBlocked.get(it.address) !== true);
      if (left.length === draft.destinations.length) continue;
      if (left.length === 0)
        decided.set(draft.input, refusal(draft.input, "invalid", "Its mailbox wants no mail from here."));
      draft.destinations = left;
      draft.remarks.push("A mailbox that wants no mail from here is left out.");
    }
  }

  /**
   * Looks up the next candidate name of each draft.
   * @returns drafts whose candidate was taken and that have to be tried again
   */
  async #lookUp(drafts: readonly Draft[], decided: Map<ImportedAlias, ImportRow>): Promise<Draft[]> {
    const wanted = drafts.flatMap(({ names, domain }) =>
      names[0] === undefined ? [] : [aliasAddress(names[0], domain)],
    );
    const standing = wanted.length === 0 ? new Map() : await this.#rules.standing([...new Set(wanted)]);
    return drafts.filter((draft) => {
      const row = this.#settle(draft, standing);
      if (row !== null) decided.set(draft.input, row);
      return row === null;
    });
  }

  /**
   * Decides a row's outcome by its next candidate name.
   * @returns `null` when the name is taken and another one has to be tried
   */
  #settle(draft: Draft, standing: ReadonlyMap<string, AddressStanding>): ImportRow | null {
    const { input, isTwin, domain } = draft;
    const name = draft.names.shift();
    if (name === undefined) return refusal(input, "taken", "No free name was found for it.");
    const address = aliasAddress(name, domain);
    const known = standing.get(address);
    const isOurs = known?.kind === "own" && (!isTwin || known.notes?.includes(markOfTwin(input.address)) === true);
    if (isOurs) return { ...refusal(input, "exists", "You have it already."), alias: { name, domain } };
    if (known === undefined && !this.#taken.has(address)) return this.#made(draft, name);
    if (isTwin) return null;
    return refusal(input, "taken", "Somebody else has this address, or had it until recently.");
  }

  #made(draft: Draft, name: string): ImportRow {
    const { input, domain, isTwin, destinations, remarks } = draft;
    this.#taken.add(aliasAddress(name, domain));
    const { local } = placeOf(input.address, this.#rules.domain);
    const isRenamed = isTwin && name !== local.toLowerCase();
    const reasons = [
      ...(isTwin ? ["Its domain is not one of ours, so it gets an alias here."] : []),
      ...(isRenamed ? ["Its own name is not free or not allowed here."] : []),
      ...remarks,
    ];
    return {
      row: input.row,
      address: input.address,
      result: isTwin ? "twin" : "create",
      alias: { name, domain },
      aliasId: this.#rules.newId(),
      reason: reasons.length === 0 ? null : reasons.join(" "),
      destinations,
      active: input.active,
      notes: importedNotes(input.notes, isTwin ? input.address : null),
      made: false,
    };
  }

  #withinRoom(row: ImportRow): ImportRow {
    if (row.aliasId === null) return row;
    this.#room -= 1;
    if (this.#room >= 0) return row;
    return { ...row, result: "over_limit", alias: null, aliasId: null, reason: OVER_LIMIT };
  }
}

const NO_DESTINATION =
  "The file names no destination that can be used here, and you have no confirmed mailbox to use instead.";
const TOO_MANY_DESTINATIONS = `An import has ${limits.importDestinationsMax} different destinations at most.`;
const OVER_LIMIT = `An account holds ${limits.aliasesMax} aliases at most.`;

/** Splits an address into local part and domain; a name without a domain is taken to be on `domain`. */
function placeOf(address: string, domain: string): { local: string; domain: string } {
  if (!address.includes("@")) return { local: address, domain };
  const split = splitAddress(address);
  return { local: split.local, domain: split.domain.toLowerCase() };
}

function mailboxesOf(destinations: readonly Destination[]): string[] {
  return destinations.flatMap((it) => (it.kind === "mailbox" ? [it.address] : []));
}

function refusal(input: ImportedAlias, result: ImportRow["result"], reason: string): ImportRow {
  return {
    row: input.row,
    address: input.address.slice(0, limits.emailMax),
    result,
    alias: null,
    aliasId: null,
    reason,
    destinations: [],
    active: input.active,
    notes: null,
    made: false,
  };
}
