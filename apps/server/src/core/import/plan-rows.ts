/**
 * Decides each row's outcome. Once it may report no further taken address, the plan leaves all rows but the account's
 * own to the run: a free name among them would tell that the others are taken.
 */
import { isAliasName, isMailbox, limits } from "@kauke/contract";
import { asciiDomain, splitAddress } from "@kauke/mail-rfc";
import { type AddressStanding, aliasAddress, type Destination, mailboxesAmong } from "../alias/alias.ts";
import { reservedNameOf } from "../alias/alias-rules.ts";
import type { MailDomains } from "../domain/mail-domains.ts";
import { type ImportRow, importReasons } from "./import.ts";
import type { ImportedAlias } from "./imported-alias.ts";
import { DestinationSet, importedNotes, markOfTwin, planDestinations, twinNames } from "./planned-alias.ts";

export interface PlanRules {
  userId: string;
  /** Of the account; aliases on others get a twin. */
  usableDomains: readonly string[];
  mailDomains: Pick<MailDomains, "has" | "operators">;
  domain: string;
  fallback: string | null;
  room: number;
  newId(): string;
  /** Counts one address that the plan reports as taken; false at the limit. */
  mayTellTaken(): Promise<boolean>;
  standing(addresses: readonly string[]): Promise<ReadonlyMap<string, AddressStanding>>;
  blocked(addresses: readonly string[]): Promise<ReadonlySet<string>>;
}

interface Draft {
  input: ImportedAlias;
  destinations: Destination[];
  remarks: string[];
  names: string[];
  domain: string;
  isTwin: boolean;
  /** The plan has reported a name of the row as taken, so it may tell the row's other name. */
  isToldTaken: boolean;
}

export class ImportPlan {
  readonly #rules: PlanRules;
  readonly #seen = new Set<string>();
  readonly #taken = new Set<string>();
  readonly #destinations = new DestinationSet();
  readonly #isBlocked = new Map<string, boolean>();
  #room: number;
  /** Whether taken addresses may be reported; decided once for all rows, so that none shows which one was too many. */
  #mayTellTaken: boolean | null = null;

  constructor(rules: PlanRules) {
    this.#rules = rules;
    this.#room = rules.room;
  }

  get mailboxes(): string[] {
    return [...this.#isBlocked.keys()];
  }

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
    if (open.length > 0) this.#mayTellTaken ??= await this.#rules.mayTellTaken();
    const unchecked: Draft[] = [];
    while (open.length > 0) {
      const { again, left } = await this.#lookUp(open, decided);
      open = again;
      unchecked.push(...left);
    }
    await this.#leaveToRun(unchecked, decided);
    return inputs.map((input) => this.#withinRoom(decided.get(input) ?? refusal(input, "invalid", "")));
  }

  #draft(input: ImportedAlias): Draft | ImportRow {
    const { address, problem } = input;
    if (problem !== null) return refusal(input, "invalid", problem);
    const { local, domain } = placeOf(address, this.#rules.domain);
    if (local === "" || !isMailbox(`${local}@${domain}`)) return refusal(input, "invalid", "This is not an address.");
    if (input.isDeleted) return refusal(input, "deleted", "It was deleted there, so it stays deleted.");
    const key = aliasAddress(local, domain);
    if (this.#seen.has(key)) return refusal(input, "exists", "An earlier row of the file has the same address.");
    this.#seen.add(key);
    const own = asciiDomain(domain);
    const isTwin = !this.#rules.usableDomains.includes(own);
    if (!isTwin && !isAliasName(local))
      return refusal(input, "invalid", "The name has characters that are not allowed here.");
    if (!isTwin && reservedNameOf({ name: local, domain: own }, this.#rules.mailDomains) !== null)
      return refusal(input, "reserved", "The name is reserved here.");
    const planned = planDestinations(input.destinations, this.#rules);
    if (planned === null) return refusal(input, "invalid", NO_DESTINATION);
    if (!this.#destinations.add(planned.destinations)) return refusal(input, "invalid", TOO_MANY_DESTINATIONS);
    return {
      input,
      destinations: planned.destinations,
      remarks: planned.remark === null ? [] : [planned.remark],
      names: isTwin ? twinNames(`${local}@${domain}`, this.#rules.userId) : [local],
      domain: isTwin ? this.#rules.domain : own,
      isTwin,
      isToldTaken: false,
    };
  }

  async #leaveOutBlocked(drafts: readonly Draft[], decided: Map<ImportedAlias, ImportRow>): Promise<void> {
    const named = drafts.flatMap(({ destinations }) => mailboxesAmong(destinations));
    const unknown = [...new Set(named)].filter((address) => !this.#isBlocked.has(address));
    const blocked = unknown.length === 0 ? new Set<string>() : await this.#rules.blocked(unknown);
    for (const address of unknown) this.#isBlocked.set(address, blocked.has(address));
    for (const draft of drafts) {
      const left = draft.destinations.filter(
        (place) => place.kind === "webhook" || this.#isBlocked.get(place.address) !== true,
      );
      if (left.length === draft.destinations.length) continue;
      if (left.length === 0)
        decided.set(draft.input, refusal(draft.input, "invalid", "Its mailbox wants no mail from here."));
      draft.destinations = left;
      draft.remarks.push("A mailbox that wants no mail from here is left out.");
    }
  }

  /** @returns `again`: the candidate was taken and another is left; `left`: no more may be reported as taken */
  async #lookUp(drafts: readonly Draft[], decided: Map<ImportedAlias, ImportRow>) {
    const standing = await this.#standing(drafts.map(({ names, domain }) => ({ names: names.slice(0, 1), domain })));
    const [again, left]: [Draft[], Draft[]] = [[], []];
    for (const draft of drafts) {
      const row = this.#mayTellTaken === true || draft.isToldTaken ? await this.#settle(draft, standing) : "unchecked";
      if (row === "unchecked") left.push(draft);
      else if (row === "again") again.push(draft);
      else decided.set(draft.input, row);
    }
    return { again, left };
  }

  async #standing(drafts: readonly Pick<Draft, "names" | "domain">[]): Promise<ReadonlyMap<string, AddressStanding>> {
    const wanted = drafts.flatMap(({ names, domain }) => names.map((name) => aliasAddress(name, domain)));
    return wanted.length === 0 ? new Map() : await this.#rules.standing([...new Set(wanted)]);
  }

  /** @returns `again` when the name is taken and another has to be tried; `unchecked` when that must not be reported */
  async #settle(
    draft: Draft,
    standing: ReadonlyMap<string, AddressStanding>,
  ): Promise<ImportRow | "again" | "unchecked"> {
    const { input, isTwin, domain } = draft;
    const [name] = draft.names;
    if (name === undefined) return refusal(input, "taken", importReasons.noFreeName);
    const address = aliasAddress(name, domain);
    const known = standing.get(address);
    if (known?.kind === "other") {
      if (this.#mayTellTaken !== true) return "unchecked";
      this.#mayTellTaken = await this.#rules.mayTellTaken();
      draft.isToldTaken = true;
    }
    draft.names.shift();
    if (isSame(draft, known)) return existing(draft, name);
    if (known === undefined && !this.#taken.has(address)) return this.#made(draft, name);
    return isTwin ? "again" : refusal(input, "taken", importReasons.taken);
  }

  /** Leaves rows to the import's run, except those that the account's own aliases or earlier rows decide. */
  async #leaveToRun(drafts: readonly Draft[], decided: Map<ImportedAlias, ImportRow>): Promise<void> {
    const standing = await this.#standing(drafts);
    for (const draft of drafts) {
      const knownOf = (name: string) => standing.get(aliasAddress(name, draft.domain));
      const same = draft.names.find((name) => isSame(draft, knownOf(name)));
      decided.set(draft.input, same === undefined ? this.#unchecked(draft, knownOf) : existing(draft, same));
    }
  }

  #unchecked(draft: Draft, knownOf: (name: string) => AddressStanding | undefined): ImportRow {
    const { input, domain, isTwin } = draft;
    const isOpen = (name: string) => knownOf(name)?.kind !== "own" && !this.#taken.has(aliasAddress(name, domain));
    const [first, ...names] = draft.names.filter(isOpen);
    if (first === undefined) return refusal(input, "taken", isTwin ? importReasons.noFreeName : importReasons.taken);
    const made = this.#toMake(draft, first, isTwin ? [OTHER_DOMAIN] : []);
    const reason = isTwin ? "It gets an alias here, whose name is decided when the import runs." : UNCHECKED;
    const unchecked = { result: isTwin ? ("twin" as const) : ("create" as const), reason: made.reason, names };
    return { ...made, result: "unchecked", reason: [reason, ...draft.remarks].join(" "), unchecked };
  }

  #made(draft: Draft, name: string): ImportRow {
    const { input, domain, isTwin } = draft;
    this.#taken.add(aliasAddress(name, domain));
    const { local } = placeOf(input.address, this.#rules.domain);
    const isRenamed = isTwin && name !== local.toLowerCase();
    return this.#toMake(draft, name, [
      ...(isTwin ? [OTHER_DOMAIN] : []),
      ...(isRenamed ? ["Its own name is not free or not allowed here."] : []),
    ]);
  }

  #toMake({ input, domain, isTwin, destinations, remarks }: Draft, name: string, because: string[]): ImportRow {
    const { notes, isCut } = importedNotes(input.notes, isTwin ? input.address : null);
    const reasons = [...because, ...remarks, ...(isCut ? [NOTE_CUT] : [])];
    return {
      row: input.row,
      address: input.address,
      result: isTwin ? "twin" : "create",
      alias: { name, domain },
      aliasId: this.#rules.newId(),
      reason: reasons.length === 0 ? null : reasons.join(" "),
      destinations,
      active: input.active,
      notes,
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

function isSame({ input, isTwin }: Draft, known: AddressStanding | undefined): boolean {
  return known?.kind === "own" && (!isTwin || known.notes?.includes(markOfTwin(input.address)) === true);
}

function existing({ input, domain }: Draft, name: string): ImportRow {
  return { ...refusal(input, "exists", "You have it already."), alias: { name, domain } };
}

const OTHER_DOMAIN = "Its domain is not one of ours, so it gets an alias here.";
const UNCHECKED = "Whether this address is free is found out when the import runs.";
const NO_DESTINATION =
  "The file names no destination that can be used here, and you have no confirmed mailbox to use instead.";
const TOO_MANY_DESTINATIONS = `An import has ${limits.importDestinationsMax} different destinations at most.`;
const NOTE_CUT = `Its note is cut: a note has ${limits.notesMax} characters at most.`;
const OVER_LIMIT = `An account holds ${limits.aliasesMax} aliases at most.`;

/** An address without a domain is a name on our `domain`. */
function placeOf(address: string, domain: string): { local: string; domain: string } {
  if (!address.includes("@")) return { local: address, domain };
  const split = splitAddress(address);
  return { local: split.local, domain: split.domain.toLowerCase() };
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
