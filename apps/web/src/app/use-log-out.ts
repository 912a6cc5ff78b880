/** What every way out has in common: the toast of the specification's section 4, and the landing page. */
import { useLocation } from "wouter";
import { useLogout } from "../api/session.ts";
import { showToast } from "../ui/toast-store.ts";

export function useLoggedOut(): () => void {
  const [, navigate] = useLocation();
  return () => {
    showToast({ title: "Logged Out", description: "Successfully logged out" });
    navigate("/home");
  };
}

export function useLogOutButton() {
  return useLogout(useLoggedOut());
}
