/** What every sign-out has in common: the landing page and the toast of the specification's section 4. */
import { useLocation } from "wouter";
import { logOut } from "../api/session/session.ts";
import { showToast } from "../ui/toast-store.ts";

export const sayLoggedOut = (): void => showToast({ title: "Logged Out", description: "Successfully logged out" });

/** @returns click handler that logs out: leaves the page at once, and shows the toast after the server's response */
export function useLogOutButton(): () => void {
  const [, navigate] = useLocation();
  return () => {
    void logOut().then(sayLoggedOut);
    navigate("/home");
  };
}
