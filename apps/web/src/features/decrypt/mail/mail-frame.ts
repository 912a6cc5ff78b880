/**
 * Shows a message's HTML in a frame in which nothing runs and nothing loads. The Trusted Types policy `mail-frame` is used here
 * alone, and gives HTML to sandboxed frames alone.
 */
interface HtmlPolicy {
  createHTML(html: string): string;
}

interface TrustedTypes {
  createPolicy(name: string, rules: HtmlPolicy): HtmlPolicy;
}

/** Beside the page's own policy, which the frame inherits: not even pictures of our own origin. */
const framePolicy = "default-src 'none'; img-src data:";

let policy: HtmlPolicy | null = null;

/**
 * @param html cleaned already; see clean-mail-html.ts
 * @throws TypeError for a frame that is not sandboxed, or whose sandbox lets scripts run or shares our origin
 */
export function fillFrame(frame: HTMLIFrameElement, html: string): void {
  const { sandbox } = frame;
  if (!frame.hasAttribute("sandbox") || sandbox.contains("allow-scripts") || sandbox.contains("allow-same-origin"))
    throw new TypeError("not a sandboxed frame");
  const rules: HtmlPolicy = { createHTML: (text) => text };
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("mail-frame", rules) ?? rules;
  frame.srcdoc = policy.createHTML(
    `<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="${framePolicy}">` +
      `<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light"></head>` +
      `<body><font face="system-ui, sans-serif">${html}</font></body></html>`,
  );
}
