/** Open dialogs, topmost last; everything below is inert. */
const panels: HTMLElement[] = [];

export function openPanel(panel: HTMLElement): void {
  if (panels.length === 0) lockScroll();
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

function lockScroll(): void {
  const root = document.documentElement;
  root.style.setProperty("--scrollbar", `${window.innerWidth - root.clientWidth}px`);
  root.dataset.locked = "";
}
