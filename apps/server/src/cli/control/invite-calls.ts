import { isMailbox } from "@kauke/contract";
import { createInvite, type Invite } from "../../core/registration.ts";
import { bounds } from "../../limits/table.ts";
import type { Clock, Random } from "../../runtime/ports.ts";
import type { Config } from "../../settings/config.ts";
import type { Store } from "../../store/open-store.ts";
import { type ControlHandlers, type InviteSummary, OperatorError } from "./control-protocol.ts";

export const inviteDays = { min: 1, default: 7, max: 90 } as const;

export const isInviteDays = (days: number): boolean =>
  Number.isInteger(days) && days >= inviteDays.min && days <= inviteDays.max;

type InviteCalls = Pick<ControlHandlers, "invites-create" | "invites-list" | "invites-revoke">;

const isUuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

interface InviteView {
  config: Pick<Config, "registration" | "publicUrl" | "publicUrlGiven" | "http" | "https">;
  store: Pick<Store, "invites">;
  clock: Clock;
  random: Random;
  ports: { readonly http?: number | null; readonly https?: number | null };
}

export function inviteCalls(view: InviteView): InviteCalls {
  const { invites } = view.store;
  return {
    "invites-create": async ({ address: given, days }) => {
      const address = given.trim().normalize("NFC");
      if (!isInviteDays(days) || (address !== "" && !isMailbox(address)))
        throw new OperatorError("The invitation needs a valid address, or none, and 1 to 90 days.");
      const made = await createInvite({ ...view, invites }, { address: address === "" ? null : address, days });
      if (made === null) throw new OperatorError(tooMany);
      const { invite, token } = made;
      const link = `${webOrigin(view)}/register#invite=${token}`;
      const { registration } = view.config;
      return { id: invite.id, link, expiresAt: invite.expiresAt.toISOString(), registration };
    },
    "invites-list": async ({ withAddress }) => (await invites.list()).map((invite) => summaryOf(invite, withAddress)),
    "invites-revoke": async ({ id }) => isUuid.test(id) && (await invites.revoke(id)),
  };
}

const tooMany = `There are ${bounds.openInvites.open} open invitations, and no more may be. Revoke some with \`kauke users uninvite <id>\`, or wait until they expire.`;

/** While no public URL is set, the port may have been chosen by the system. */
function webOrigin({ config, ports }: InviteView): string {
  const { publicUrl, publicUrlGiven, http, https } = config;
  if (publicUrlGiven) return publicUrl.origin;
  return https === null
    ? `http://localhost:${ports.http ?? http.port}`
    : `https://localhost:${ports.https ?? https.port}`;
}

function summaryOf({ id, address, createdAt, expiresAt }: Invite, withAddress: boolean): InviteSummary {
  const times = { createdAt: createdAt.toISOString(), expiresAt: expiresAt.toISOString() };
  return { id, ...times, isBound: address !== null, ...(withAddress ? { address } : {}) };
}
