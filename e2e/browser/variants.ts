/**
 * Window widths and themes: which of them a journey is run in, and one state of a page on a phone and on a wide window,
 * in both themes, without loading it again.
 */
import { isLongRun } from "@kauke/testkit/long-rounds";
import { rest } from "../screens/open-screen.ts";
import { heights, type Visit, widths } from "./browser.ts";

export interface Variant {
  width: number;
  theme: "light" | "dark";
}

export const variants: readonly Variant[] = [widths.phone, widths.desktop].flatMap((width) => [
  { width, theme: "light" as const },
  { width, theme: "dark" as const },
]);

/**
 * The variants to repeat a journey for: all of them in `npm run test:long`, the ones at these indexes in `npm test`.
 */
export function usually<T>(all: readonly T[], ...places: readonly number[]): readonly T[] {
  return isLongRun ? all : all.filter((_, place) => places.includes(place));
}

/** Both widths in `npm run test:long`, the named one in `npm test`. */
export const usuallyAt = (name: keyof typeof widths): readonly number[] =>
  usually(Object.values(widths), Object.keys(widths).indexOf(name));

/** One of the four variants, alternating by `turn`; all four in `npm run test:long`. */
export const variantInTurn = (turn: number): readonly Variant[] => usually(variants, turn % variants.length);

/** Calls `look` for each variant, by default all four; afterwards the page is wide and light again. */
export async function everyVariant(
  visit: Visit,
  look: (variant: Variant) => Promise<void>,
  chosen = variants,
): Promise<void> {
  for (const variant of chosen) {
    await become(visit, variant);
    await look(variant);
  }
  await become(visit, { width: widths.desktop, theme: "light" });
}

async function become(visit: Visit, { width, theme }: Variant): Promise<void> {
  await visit.page.setViewportSize({ width, height: heights[width] as number });
  await visit.page.evaluate(`window.dispatchEvent(new CustomEvent("theme", { detail: "${theme}" }))`);
  await rest(visit);
}
