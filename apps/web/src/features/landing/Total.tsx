/** A number of users or aliases, covered by a bar until the server has responded or the request has failed. */
import type { Figure } from "./totals.ts";

export function Total({ text, isPending }: Figure) {
  return <b className={isPending ? "pending" : undefined}>{text}</b>;
}
