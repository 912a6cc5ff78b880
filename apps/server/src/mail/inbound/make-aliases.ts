/**
 * Makes the aliases that a message to unknown names of own domains calls for. Not at RCPT, so that neither a client that
 * only asks for names nor a message that fails the checks of its sender leaves any.
 */
import { addressesOf, asciiDomainOf } from "@kauke/mail-rfc";
import type { AppearingAliases } from "../../core/domain/appearing-aliases.ts";
import { registrableDomain } from "../../limits/party.ts";
import { accept, defer, reject, type StageVerdict } from "../reply.ts";
import type { AppearingRecipient, ResolvedRecipient } from "../transaction.ts";
import type { ScreenedMessage } from "./arrived-message.ts";
import { decide, type ResolveDeps } from "./resolve.ts";

export interface MakeAliasesDeps {
  appearing: Pick<AppearingAliases, "make">;
  resolve: Pick<ResolveDeps, "domains" | "routes" | "aliases" | "spool">;
}

/** One name that is over a cap by now refuses the message, or defers it for all if it has other recipients. */
export async function makeAliases(
  message: ScreenedMessage,
  deps: MakeAliasesDeps,
): Promise<StageVerdict<ScreenedMessage>> {
  const { transaction } = message;
  if (!transaction.recipients.some(isAppearing)) return accept(message);
  const organisation = organisationOf(message);
  const recipients: ResolvedRecipient[] = [];
  const notes: string[] = [];
  for (const recipient of transaction.recipients) {
    if (recipient.kind !== "appearing") {
      recipients.push(recipient);
      continue;
    }
    const made = await makeAlias(recipient, organisation, deps);
    if (made.verdict !== "accept") return transaction.recipients.length === 1 ? made : defer("rate_limited");
    recipients.push(made.value);
    notes.push(`made ${recipient.address}`);
  }
  return accept({ ...message, transaction: { ...transaction, recipients } }, notes);
}

async function makeAlias(recipient: AppearingRecipient, organisation: string | null, deps: MakeAliasesDeps) {
  const { address, domain } = recipient;
  // Daily checks may have stopped the domain's mail since RCPT.
  const standing = deps.resolve.domains.standingOf(domain);
  if (standing === "suspended") return defer("domain_suspended");
  if (standing === "closed") return reject("domain_closed");
  // Another message may have made it since RCPT.
  const known = await deps.resolve.routes.find(address);
  if (known === null) await deps.appearing.make(recipient, organisation);
  const verdict = await decide(known ?? (await deps.resolve.routes.find(address)), deps.resolve);
  return verdict.verdict === "discard" ? reject("alias_not_found") : verdict;
}

const isAppearing = ({ kind }: ResolvedRecipient): boolean => kind === "appearing";

/** Registrable domain of header From, if an aligned SPF or DKIM pass proves it. */
function organisationOf({ transaction, screened }: ScreenedMessage): string | null {
  if (transaction.envelope.authentication?.isAligned !== true) return null;
  const header = transaction.wire.subarray(0, screened.header.end);
  const author = addressesOf({ header, fields: screened.header.fields }, "from").mailboxes[0]?.address;
  return author === undefined ? null : registrableDomain(asciiDomainOf(author));
}
