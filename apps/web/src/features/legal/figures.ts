/** Figures as the public pages write them. */

/** e.g. `30 days`, `1 day` */
export function days(count: number): string {
  return counted(count, "day");
}

/** e.g. `1800` → `30 minutes` */
export function minutes(seconds: number): string {
  return counted(seconds / 60, "minute");
}

/** e.g. `86400` → `24 hours` */
export function hours(seconds: number): string {
  return counted(seconds / 3600, "hour");
}

/** e.g. `$0` */
export function dollars(amount: number): string {
  return `$${amount}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
