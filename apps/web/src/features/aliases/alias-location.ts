/**
 * The alias whose panel is open, kept in the address bar as `/dashboard?alias=<id>`. Opening a panel from the list adds
 * a history entry, and closing it goes back. If the address was visited directly, closing replaces the history entry.
 */
import type { MouseEvent } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";
import { normalizePath } from "../../app/path.ts";

const dashboardPaths: readonly string[] = ["/", "/dashboard"];

export const aliasPath = (aliasId: string): string => `/dashboard?alias=${aliasId}`;

const aliasIdIn = (search: string): string | null => new URLSearchParams(search).get("alias");

/** Id in the address bar of the alias whose panel is open; not checked: possibly no alias has this id. */
export const useOpenAliasId = (): string | null => aliasIdIn(useSearch());

/** State of a history entry that was added by opening a panel from the list. */
const fromList = { isAliasOfList: true };

const isFromList = (): boolean => (history.state as Partial<typeof fromList> | null)?.isAliasOfList === true;

export function openAlias(aliasId: string): void {
  const { pathname, search } = window.location;
  if (!dashboardPaths.includes(normalizePath(pathname))) return navigate(aliasPath(aliasId));
  const path = `${pathname}?alias=${aliasId}`;
  if (aliasIdIn(search) === null) navigate(path, { state: fromList });
  else navigate(path, { replace: true, state: history.state });
}

let isGoingBack = false;

export function closeAlias(): void {
  if (isGoingBack) return;
  if (!isFromList()) return navigate(window.location.pathname, { replace: true });
  isGoingBack = true;
  const onBack = () => {
    isGoingBack = false;
  };
  window.addEventListener("popstate", onBack, { once: true });
  history.back();
}

/**
 * Opens the panel of the alias that a link leads to. Clicks other than plain ones, e.g. with Ctrl, are left to the
 * browser.
 */
export function onAliasLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const aliasId = aliasIdIn(event.currentTarget.search);
  if (aliasId === null) return;
  event.preventDefault();
  // Safari does not focus a clicked link, but closing the panel returns the focus to the link.
  event.currentTarget.focus({ preventScroll: true });
  openAlias(aliasId);
}

/** Finds the link in the list to an alias' panel; `null` if the alias is not on the page that is shown. */
export const findAliasLink = (aliasId: string): HTMLElement | null =>
  document.querySelector(`a[href="${CSS.escape(aliasPath(aliasId))}"]`);
