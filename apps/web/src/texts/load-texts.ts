import { findMeta } from "../app/page-settings.ts";

/** Parts of the catalogue that not every page needs; documents name those that they have not loaded (`draw-pages.mjs`). */
export type TextPart = "app" | "guides";

/** Loads a part before the code that has its texts as constants; if that fails, its texts are English. */
export async function loadTexts(part: TextPart | undefined): Promise<void> {
  if (import.meta.env.SSR) return;
  const address = findMeta(`texts-${part}`)?.content;
  if (address) await import(/* @vite-ignore */ address).catch(() => {});
}
