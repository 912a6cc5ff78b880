/** What the journeys look for, by role and name. */
import type { ElementQuery } from "./finder.ts";

export const button = (name: string | RegExp, within?: ElementQuery): ElementQuery => ({
  role: "button",
  name,
  within,
});
export const link = (name: string | RegExp, within?: ElementQuery): ElementQuery => ({ role: "link", name, within });
export const field = (name: string | RegExp, within?: ElementQuery): ElementQuery => ({ role: "field", name, within });
export const heading = (name: string | RegExp): ElementQuery => ({ role: "heading", name });
export const text = (name: string | RegExp, within?: ElementQuery): ElementQuery => ({ role: "text", name, within });
export const toast = (title: string): ElementQuery => ({ role: "text", name: title, within: { role: "toast" } });
export const dialog = (name: string): ElementQuery => ({ role: "dialog", name });
export const main: ElementQuery = { role: "main" };
