/** What every way out has in common: the landing page, and the toast of the specification's section 4. */
import { useLocation } from "wouter";
import { logOut } from "../api/session/session.ts";
import { showToast } from "../ui/toast-store.ts";

export const sayLoggedOut = (): void => showToast({ title: "Logged Out", description: "Successfully logged out" });

/** @returns what a button does: the page is left at once, the toast follows the server's answer */
export function useLogOutButton(): () => void {
  const [, navigate] = useLocation();
  return () => {
    void logOut().then(sayLoggedOut);
    navigate("/home");
  };
}
