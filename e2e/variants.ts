/** One state of a page as everybody meets it: on a phone and on a wide window, in both themes, without loading it again. */
import { heights, type Visit, widths } from "./browser.ts";
import { rest } from "./open-screen.ts";

export interface Variant {
  width: number;
  theme: "light" | "dark";
}

const variants: readonly Variant[] = [widths.phone, widths.desktop].flatMap((width) => [
  { width, theme: "light" as const },
  { width, theme: "dark" as const },
]);

/** Calls `look` four times; afterwards the page is wide and light again. */
export async function everyVariant(visit: Visit, look: (variant: Variant) => Promise<void>): Promise<void> {
  for (const variant of variants) {
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
