/**
 * Finds an element in a page as a person or a screen reader would name it, by role and accessible name, in one script
 * without dependencies: WebDriver itself finds by CSS and XPath only.
 */

/** Selectors of the elements that have each role, for the HTML and ARIA that this app uses. */
const selectors = {
  button: "button, [role=button]",
  link: "a[href]",
  heading: "h1, h2, h3, h4",
  field: "input, textarea, select",
  switch: "[role=switch]",
  radio: "input[type=radio], [role=radio]",
  tab: "[role=tab]",
  option: "[role=option]",
  tabpanel: "[role=tabpanel]",
  dialog: "dialog, [role=dialog], [role=alertdialog]",
  listitem: "li",
  region: "section, [role=region]",
  main: "main",
  banner: "header",
  toast: ".toast",
  frame: "iframe",
  group: "fieldset, [role=group]",
  image: "img, [role=img]",
  code: "code",
  /** Any element that has the text itself, not in a child. */
  text: "body *",
} as const;

export interface ElementQuery {
  role: keyof typeof selectors;
  /** The exact accessible name, or a pattern that it matches. Without it, elements of any name match. */
  name?: string | RegExp;
  within?: ElementQuery;
}

export interface FoundElement {
  text: string;
  value: string;
  hasFocus: boolean;
  /** Whether the element is enabled, not moving, and not covered at its middle. */
  canBePressed: boolean;
  /** Horizontal position of the element's middle in the window, in CSS pixels. */
  x: number;
  /** Vertical position of the element's middle in the window, in CSS pixels. */
  y: number;
}

/**
 * A JavaScript expression to evaluate in the page. Its value is the first visible match in document order as `FoundElement`,
 * or `null`.
 */
export function finderScript(query: ElementQuery): string {
  return `(${findInPage})(${JSON.stringify(asData(query))})`;
}

interface QueryData {
  role: string;
  name: { is: string } | { matches: string; flags: string } | null;
  within: QueryData | null;
  selector: string;
}

function asData({ role, name, within }: ElementQuery): QueryData {
  const wanted = typeof name === "string" ? { is: name } : name && { matches: name.source, flags: name.flags };
  const selector = selectors[role];
  return { role, selector, name: wanted ?? null, within: within === undefined ? null : asData(within) };
}

/** Source of the function that finds the element; it runs in the page. */
const findInPage = `async (query) => {
  const clean = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
  const seen = (element) =>
    element.getClientRects().length > 0 && element.checkVisibility({ visibilityProperty: true });
  const textOf = (element) => clean(element.innerText ?? element.textContent);
  const labelOf = (element) => {
    const ids = element.getAttribute("aria-labelledby");
    if (ids !== null) return clean(ids.split(/\\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" "));
    if (element.hasAttribute("aria-label")) return clean(element.getAttribute("aria-label"));
    if (element.matches("fieldset")) return clean(element.querySelector(":scope > legend")?.textContent);
    if (element.labels?.length > 0) return clean([...element.labels].map((label) => label.textContent).join(" "));
    return null;
  };
  const ownText = (element) =>
    clean([...element.childNodes].filter((it) => it.nodeType === 3).map((it) => it.data).join(""));
  const nameOf = (element, role) => (role === "text" ? ownText(element) : (labelOf(element) ?? textOf(element)));
  const fits = (text, name) =>
    name === null || ("is" in name ? text === name.is : new RegExp(name.matches, name.flags).test(text));
  const search = ({ role, selector, name, within }) => {
    const root = within === null ? document : search(within);
    if (root === null) return null;
    return [...root.querySelectorAll(selector)].find((it) => seen(it) && fits(nameOf(it, role), name)) ?? null;
  };
  const element = search(query);
  if (element === null) return null;
  const place = () => {
    const { x, y, width, height } = element.getBoundingClientRect();
    return { x: Math.round(x + width / 2), y: Math.round(y + height / 2) };
  };
  const isOnTop = ({ x, y }) => {
    const top = document.elementFromPoint(x, y);
    return top !== null && (element.contains(top) || [...(element.labels ?? [])].some((label) => label.contains(top)));
  };
  // Outside the window nothing is on top; inside it the top bar may cover the element.
  if (!isOnTop(place())) element.scrollIntoView({ block: "center", behavior: "instant" });
  const first = place();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  const { x, y } = place();
  return {
    text: element.innerText ?? element.textContent ?? "",
    value: element.value ?? "",
    hasFocus: document.activeElement === element,
    canBePressed: isOnTop({ x, y }) && first.x === x && first.y === y && element.disabled !== true,
    x, y,
  };
}`;
