/** Open dialogs, topmost last; everything below is inert. */
const panels: HTMLElement[] = [];

/** To be read before a dialog is in the page: afterwards the browser would have to lay it out first. */
export const scrollbarPx = (): number => window.innerWidth - document.documentElement.clientWidth;

/** @param scrollbar width of the page's scrollbar, in pixels, whose place is kept */
export function openPanel(panel: HTMLElement, scrollbar: number): void {
  if (panels.length === 0) lockScroll(scrollbar);
  panels.push(panel);
  settle();
}

export function closePanel(panel: HTMLElement): void {
  panels.splice(panels.indexOf(panel), 1);
  if (panels.length === 0) delete document.documentElement.dataset.locked;
  settle();
}

export function isTopPanel(panel: HTMLElement | null): boolean {
  return panel !== null && panels.at(-1) === panel;
}

function settle(): void {
  document.querySelector(".shell")?.toggleAttribute("inert", panels.length > 0);
  for (const panel of panels) panel.toggleAttribute("inert", !isTopPanel(panel));
}

function lockScroll(scrollbar: number): void {
  // Not on the root: the styles of all elements would be computed again.
  document.querySelector<HTMLElement>(".shell")?.style.setProperty("--scrollbar", `${scrollbar}px`);
  document.documentElement.dataset.locked = "";
}
