/** The address `/dashboard?alias=<id>` of an open alias. Closing goes back, or replaces a directly visited entry. */
import type { MouseEvent } from "react";
import { useSearch } from "wouter";
import { navigate } from "wouter/use-browser-location";
import { normalizePath } from "../../app/path.ts";

const dashboardPaths: readonly string[] = ["/", "/dashboard"];

export const aliasPath = (aliasId: string): string => `/dashboard?alias=${aliasId}`;

const aliasIdIn = (search: string): string | null => new URLSearchParams(search).get("alias");

/** Alias id in the address, unchecked: there may be no such alias. */
export const useOpenAliasId = (): string | null => aliasIdIn(useSearch());

export const openAliasId = (): string | null => aliasIdIn(window.location.search);

/** State that marks history entries that the alias list added. */
const fromList = { isAliasOfList: true };

const isFromList = (): boolean => (history.state as Partial<typeof fromList> | null)?.isAliasOfList === true;

export function openAlias(aliasId: string): void {
  const { pathname, search } = window.location;
  if (!dashboardPaths.includes(normalizePath(pathname))) return navigate(aliasPath(aliasId));
  const path = `${pathname}?alias=${aliasId}`;
  if (aliasIdIn(search) === null) navigate(path, { state: { ...history.state, ...fromList } });
  else navigate(path, { replace: true, state: history.state });
}

let isGoingBack = false;

export function closeAlias(): void {
  if (isGoingBack) return;
  if (!isFromList()) return navigate(window.location.pathname, { replace: true, state: history.state });
  isGoingBack = true;
  const onBack = () => {
    isGoingBack = false;
  };
  window.addEventListener("popstate", onBack, { once: true });
  history.back();
}

/** Opens the alias of a clicked link; clicks with Ctrl and the like are left to the browser. */
export function onAliasLink(event: MouseEvent<HTMLAnchorElement>): void {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const aliasId = aliasIdIn(event.currentTarget.search);
  if (aliasId === null) return;
  event.preventDefault();
  // Safari doesn't focus a clicked link, to which the focus returns later.
  event.currentTarget.focus({ preventScroll: true });
  openAlias(aliasId);
}

/** Link of the alias in the list; of the current row if the alias was deleted. */
export const findAliasLink = (aliasId: string): HTMLElement | null =>
  document.querySelector(`a[href="${CSS.escape(aliasPath(aliasId))}"]`) ??
  document.querySelector('tr[data-row] .addr a[tabindex="0"]');
