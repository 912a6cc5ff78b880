/** Every sign-out leads to the landing page with a toast (specification section 4). */
import { useLocation } from "wouter";
import { logOut } from "../api/session/session.ts";
import { t } from "../texts/texts.ts";
import { showToast } from "../ui/toast-store.ts";

export const sayLoggedOut = (): void =>
  showToast({ title: t("Logged Out"), description: t("Successfully logged out") });

/** Signing out leaves the page at once; the toast waits for the server's response. */
export function useLogOutButton(): () => void {
  const [, navigate] = useLocation();
  return () => {
    void logOut().then(sayLoggedOut);
    navigate("/home");
  };
}
