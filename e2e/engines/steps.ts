/** Steps that several journeys and the pictures share. */
import type { Tab } from "./tab.ts";

export async function signInOnTab(tab: Tab, { email, password }: { email: string; password: string }): Promise<void> {
  await tab.open("/auth");
  await tab.fill({ role: "field", name: "Email" }, email);
  await tab.fill({ role: "field", name: "Password" }, password);
  await tab.click({ role: "button", name: "Sign In" });
  await tab.seePath("/dashboard");
  await tab.see({ role: "heading", name: "Email Forwarding" });
}
