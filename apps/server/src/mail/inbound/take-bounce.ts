/**
 * A delivery report for mail we forwarded (DESIGN "Bounces"). Nothing of it is passed on, since it names the real address: the
 * owner gets a notice, and the original sender, when proven, a report of our own that names the alias alone.
 */
import { isDeliveryReport, readHeader, unstuff } from "@kauke/mail-rfc";
import type { AliasRoute } from "../../core/alias/alias.ts";
import type { AliasStore } from "../../core/alias/alias-store.ts";
import type { DeliveryReports } from "../delivery-reports.ts";
import type { FailureReporter } from "../report-failure.ts";
import type { BounceRecipient, Transaction } from "./transaction.ts";

export interface TakeBounceDeps {
  aliases: Pick<AliasStore, "findRoute" | "findRouteById">;
  domains: ReadonlySet<string>;
  failures: Pick<FailureReporter, "reportBounce">;
  reports: DeliveryReports;
}

/** @returns false when the message is no report: such an address takes nothing else */
export async function takeBounce(
  transaction: Transaction,
  bounce: BounceRecipient,
  deps: TakeBounceDeps,
): Promise<boolean> {
  const raw = unstuff(transaction.wire);
  if (!isDeliveryReport(raw)) return false;
  const route = await findAlias(raw, bounce, deps);
  if (route === null) return true;
  await deps.failures.reportBounce(route);
  if (bounce.sender === null) return true;
  const { aliasId, userId, address: aliasAddress } = route;
  const enhancedStatus = /^Status:\s*(5\.\d{1,3}\.\d{1,3})/im.exec(raw.toString("latin1"))?.[1] ?? "5.0.0";
  const arrivedAt = transaction.envelope.receivedAt;
  await deps.reports.send({ aliasId, userId, aliasAddress, to: bounce.sender, enhancedStatus, arrivedAt });
  return true;
}

/** SRS does not name the alias, but the returned header does: our own Delivered-To stands in it. */
async function findAlias(raw: Buffer, { aliasId }: BounceRecipient, deps: TakeBounceDeps): Promise<AliasRoute | null> {
  if (aliasId !== null) return deps.aliases.findRouteById(aliasId);
  const body = raw.subarray(readHeader(raw).end).toString("latin1");
  for (const [, address = ""] of body.matchAll(/^Delivered-To: (\S{3,254})\r?$/gim)) {
    const domain = address.slice(address.lastIndexOf("@") + 1).toLowerCase();
    if (deps.domains.has(domain)) return deps.aliases.findRoute(address.toLowerCase());
  }
  return null;
}
