/**
 * The alias that is open as a panel, in the address bar: `/dashboard?alias=<id>`. Opening one from the list adds an
 * entry to the history, and closing goes back to the list's; after a visit of the address itself closing replaces it.
 */
import type { MouseEvent } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";
import { normalizePath } from "../../app/path.ts";

const dashboardPaths: readonly string[] = ["/", "/dashboard"];

export const aliasPath = (aliasId: string): string => `/dashboard?alias=${aliasId}`;

const aliasIdIn = (search: string): string | null => new URLSearchParams(search).get("alias");

/** Id of the alias whose panel is open; whatever the address bar says, so it may be no alias' id. */
export const useOpenAliasId = (): string | null => aliasIdIn(useSearch());

/** What the history holds of an entry that was made from the list. */
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

/** Opens the panel of the alias that a link leads to; other clicks than a plain one are left to the browser. */
export function onAliasLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const aliasId = aliasIdIn(event.currentTarget.search);
  if (aliasId === null) return;
  event.preventDefault();
  // Safari does not focus a link that is clicked.
  event.currentTarget.focus({ preventScroll: true });
  openAlias(aliasId);
}

/** The row's link to an alias' panel, if the list shows that row. */
export const findAliasLink = (aliasId: string): HTMLElement | null =>
  document.querySelector(`a[href="${CSS.escape(aliasPath(aliasId))}"]`);
