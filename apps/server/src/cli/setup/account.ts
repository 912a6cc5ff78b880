import encodeQR from "qr";
import type { OperatorAccess } from "../control/operator-access.ts";
import { type CheckResult, checking } from "../doctor/check-result.ts";

const DAYS = 7;

/** Shows a one-time sign-up link, also as a QR code, unless an account or an open invite exists. */
export async function offerAccount(
  access: OperatorAccess,
  mailbox: string,
  show: (text: string) => void,
): Promise<CheckResult> {
  const { ok, warn } = checking("account", mailbox);
  const found = await access["users-find"]({ email: mailbox });
  if (found?.isAdmin) return ok("It exists, and may use the admin page.");
  if (found !== null) return ok(`It exists. \`kauke users grant-admin ${mailbox}\` opens the page /admin to it.`);
  const open = (await access["invites-list"]({ withAddress: true })).find(({ address }) => address === mailbox);
  if (open !== undefined) {
    const until = open.expiresAt.slice(0, 10);
    return warn(
      `Its invitation is open until ${until}. Lost? \`kauke users uninvite ${open.id}\`, then run this command again.`,
    );
  }
  const { link } = await access["invites-create"]({ address: mailbox, days: DAYS });
  show(`${encodeQR(link, "ascii")}\n`);
  return ok(`Register within ${DAYS} days: ${link}`);
}
