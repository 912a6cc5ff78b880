/** `ok`: nothing to do; `warn`: worth knowing; `fix`: mail is lost, refused or distrusted until the operator acts. */
export type CheckState = "ok" | "warn" | "fix";

export interface CheckResult {
  state: CheckState;
  check: string;
  subject: string;
  says: string;
}

export function checking(check: string, subject: string) {
  const make = (state: CheckState) => (says: string) => ({ state, check, subject, says }) satisfies CheckResult;
  return { ok: make("ok"), warn: make("warn"), fix: make("fix") };
}

const order: readonly CheckState[] = ["ok", "warn", "fix"];

export function reportText(results: readonly CheckResult[]): string {
  const sorted = results.toSorted((a, b) => order.indexOf(a.state) - order.indexOf(b.state));
  const width = Math.max(0, ...results.map((one) => nameOf(one).length));
  const lines = sorted.map((one) => `${one.state.padEnd(4)}  ${nameOf(one).padEnd(width)}  ${one.says}`);
  return `${[...lines, "", summary(results)].join("\n")}\n`;
}

export function resultLine({ state, says, ...one }: CheckResult): string {
  return `${state.padEnd(4)}  ${nameOf({ state, says, ...one }).padEnd(32)}  ${says}`;
}

function nameOf({ check, subject }: CheckResult): string {
  return `${check} ${subject}`;
}

function summary(results: readonly CheckResult[]): string {
  const counts = order.map((state) => `${results.filter((one) => one.state === state).length} ${state}`);
  return `${counts.join(", ")}${mustMend(results) ? ": something must be fixed." : "."}`;
}

export function mustMend(results: readonly CheckResult[]): boolean {
  return results.some((one) => one.state === "fix");
}
