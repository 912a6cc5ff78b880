/** A number of users or aliases, covered by a bar until the server has sent it. */
import type { Figure } from "./totals.ts";

export function Total({ text, isPending }: Figure) {
  return <b className={isPending ? "pending" : undefined}>{text}</b>;
}
