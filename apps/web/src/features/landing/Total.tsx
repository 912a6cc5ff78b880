/** A figure, covered while the server hasn't said it; without script it is simply there. */
import type { Figure } from "./totals.ts";

export function Total({ text, isPending }: Figure) {
  return <b className={isPending ? "pending" : undefined}>{text}</b>;
}
