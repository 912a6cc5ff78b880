/**
 * Number with commas between thousands: `1,234,567`. Written by hand, because the first use of `Intl` blocks a slow
 * phone's page for 50 ms.
 * @param count a non-negative integer
 */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
