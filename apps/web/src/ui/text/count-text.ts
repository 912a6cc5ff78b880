/**
 * Thousands by commas: `1,234,567`. By hand, since the first use of `Intl` holds a slow phone's page for 50 ms.
 * @param count a whole number, not negative
 */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ",");
}
