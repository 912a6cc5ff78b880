/** The rule for a proof of mail, apart from its shape in `admin.ts` so that the admin page can import it without zod. */
import type { MailProbeWire } from "./admin.ts";

/** Whether mail works both ways: it came in encrypted for a valid certificate, and ours passed every check. */
export function isMailProven({
  arrived,
  answer,
  ours,
  inSpam,
}: Pick<MailProbeWire, "arrived" | "answer" | "ours" | "inSpam">): boolean {
  const isIn = arrived !== null && arrived.tlsVersion !== null && arrived.certificate === "valid";
  const isOut = answer === "taken" && ours !== null && Object.values(ours).every((result) => result === "pass");
  return isIn && isOut && inSpam !== true;
}
