/** Which call comes next to make the provider's copy of an alias as wanted. Pure: `bring.ts` makes the calls. */
import type { ProviderProblem } from "@kauke/contract";
import type { ProviderRecord } from "../../core/forwarding/forwarding-provider.ts";
import type { ProviderCopy } from "../../core/forwarding/provider-account.ts";
import { digest, haveSameRecipients, isNameLikeId, isWithin, recordMark } from "./alias-record.ts";
import { lateAddresses, type Round } from "./round.ts";

export type Step =
  | { kind: "look"; address: string }
  | { kind: "read"; id: string }
  | { kind: "create" }
  | { kind: "update"; id: string }
  | { kind: "turn_off"; copy: ProviderCopy }
  | { kind: "delete"; copy: ProviderCopy }
  | { kind: "set_password"; id: string }
  | { kind: "finish" }
  | { kind: "give_up"; problem: ProviderProblem };

const giveUp = (problem: ProviderProblem): Step => ({ kind: "give_up", problem });

export function nextCall(round: Round): Step {
  const { wanted } = round;
  if (wanted === null) return stepToAbsence(round);
  if (isNameLikeId(wanted.name) || wanted.recipients.length === 0) {
    // A former copy must not go on with what the owner has changed.
    const step = stepToAbsence(round);
    return step.kind === "finish" ? giveUp("refused") : step;
  }
  const ownId = round.known.providerId ?? ownCopy(round, addressesToLookAt(round, wanted))?.providerId ?? null;
  if (ownId === null) return stepWithoutCopy(round, wanted);
  if (!round.isSet && !isUnchanged(round, wanted)) return stepToUpdate(round, wanted, ownId);
  return stepAfterRecord(round, wanted, ownId);
}

function stepToAbsence(round: Round): Step {
  const { known, seen, aliasId } = round;
  if (known.providerId !== null) {
    const copy = seen.get(known.providerId);
    if (copy === undefined) return { kind: "read", id: known.providerId };
    if (copy !== null && (copy.aliasId ?? aliasId) === aliasId) return removal(round, copy) ?? giveUp("refused");
  }
  for (const address of [...lateAddresses(known), ...(known.address === null ? [] : [known.address])]) {
    const step = stepToClear(round, address);
    if (step !== null) return step;
  }
  return { kind: "finish" };
}

/** Deletes a copy with our mark from an address where none should be. `null`: there is none. */
function stepToClear(round: Round, address: string): Step | null {
  const copy = round.seen.get(address);
  if (copy === undefined) return { kind: "look", address };
  return isOwn(round, copy) ? (removal(round, copy) ?? giveUp("refused")) : null;
}

/** Off first: the provider may refuse a deletion for days. `null`: it has refused both. */
function removal({ refused }: Round, copy: ProviderCopy): Step | null {
  const canTurnOff = copy.isEnabled && copy.recipients.length > 0;
  if (canTurnOff && !refused.has(`turn_off ${copy.providerId}`)) return { kind: "turn_off", copy };
  return refused.has(`delete ${copy.providerId}`) ? null : { kind: "delete", copy };
}

function stepWithoutCopy(round: Round, wanted: ProviderRecord): Step {
  const address = addressOf(wanted);
  for (const one of addressesToLookAt(round, wanted)) if (!round.seen.has(one)) return { kind: "look", address: one };
  const there = round.seen.get(address) ?? null;
  if (there !== null) return stepWithOthersCopy(round, wanted, there);
  return round.refused.has("create") ? giveUp("refused") : { kind: "create" };
}

/**
 * Somebody else's copy has the address: adopted when it does the same, else left alone. An alias that is off does not do
 * the same, or whoever guesses the recipients could switch a copy off and then change it.
 */
function stepWithOthersCopy({ refused }: Round, wanted: ProviderRecord, there: ProviderCopy): Step {
  // Of another alias of ours, which was deleted or renamed and is about to be removed there.
  if (there.aliasId !== null) return giveUp("busy");
  // A change of ours would end the storing of mail there.
  if (there.hasImap === true) return giveUp("conflict");
  const isSame = there.isEnabled && wanted.isEnabled && haveSameRecipients(there.recipients, wanted.recipients);
  if (!isSame) return giveUp("conflict");
  const id = there.providerId;
  return refused.has(`update ${id}`) ? giveUp("refused") : { kind: "update", id };
}

function stepToUpdate(round: Round, wanted: ProviderRecord, ownId: string): Step {
  const { seen, refused } = round;
  const address = addressOf(wanted);
  if (!refused.has(`update ${ownId}`)) return { kind: "update", id: ownId };
  const there = seen.get(address);
  if (there === undefined) return { kind: "look", address };
  const own = seen.get(ownId);
  if (own === undefined) return { kind: "read", id: ownId };
  if (there !== null && there.providerId !== ownId) {
    if (isOwn(round, there)) return removal(round, there) ?? giveUp("refused");
    // The name is taken. Ours goes, even if the new name stays taken: its old name must not forward any more, and two
    // aliases that swap their names would wait for each other.
    if (own !== null) return removal(round, own) ?? giveUp("refused");
  }
  if (own === null || isHarmless(own, wanted)) return giveUp("refused");
  // What the provider refuses may be the removal of a destination.
  return removal(round, own) ?? giveUp("refused");
}

/** Whether a copy that could not be changed sends mail only where it may go. */
function isHarmless(copy: ProviderCopy, wanted: ProviderRecord): boolean {
  if (!copy.isEnabled) return true;
  return wanted.isEnabled && copy.address === addressOf(wanted) && isWithin(copy.recipients, wanted.recipients);
}

function stepAfterRecord(round: Round, wanted: ProviderRecord, ownId: string): Step {
  const { known, refused } = round;
  for (const address of lateAddresses(known)) {
    if (address === addressOf(wanted)) continue;
    const copy = round.seen.get(address);
    if (copy === undefined) return { kind: "look", address };
    const step = isOwn(round, copy) && copy.providerId !== ownId ? removal(round, copy) : null;
    if (step !== null) return step;
  }
  if (isPasswordDue(round, wanted))
    return refused.has("password") ? giveUp("refused") : { kind: "set_password", id: ownId };
  const isLeft = [...refused].some((change) => change.startsWith("delete "));
  return isLeft ? giveUp("refused") : { kind: "finish" };
}

export const passwordMark = ({ password }: ProviderRecord) => (password === null ? null : digest(password));

function isPasswordDue({ known, now }: Round, wanted: ProviderRecord): boolean {
  if (known.passwordMark !== passwordMark(wanted)) return true;
  return (known.late ?? []).some(({ address, until }) => address === null && until <= now);
}

function isUnchanged({ aliasId, known, isRecheck }: Round, wanted: ProviderRecord): boolean {
  return !isRecheck && known.mark === recordMark(aliasId, wanted) && known.address === addressOf(wanted);
}

const addressOf = ({ name, domain }: ProviderRecord) => `${name}@${domain}`;

/** Where a copy of ours may be that we have no id of; none before the first call. */
function addressesToLookAt({ known, isRecheck, refused }: Round, wanted: ProviderRecord): string[] {
  const mayBe = [...lateAddresses(known), ...(known.address === null ? [] : [known.address])];
  const isFirst = mayBe.length === 0 && !isRecheck && !refused.has("create");
  return isFirst ? [] : [...new Set([addressOf(wanted), ...mayBe])];
}

function ownCopy(round: Round, addresses: readonly string[]): ProviderCopy | undefined {
  for (const address of addresses) {
    const copy = round.seen.get(address);
    if (copy !== undefined && isOwn(round, copy)) return copy;
  }
  return undefined;
}

const isOwn = ({ aliasId }: Round, copy: ProviderCopy | null): copy is ProviderCopy => copy?.aliasId === aliasId;
