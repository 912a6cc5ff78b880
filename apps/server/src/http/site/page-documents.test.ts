import { forwardingTexts } from "@kauke/contract";
import { describe, expect, test } from "vitest";
import { englishSentences, fillPage, pageMetas, type SiteSettings } from "./page-documents.ts";

const settings: SiteSettings = {
  links: { docs: "", social: "", video: "", reviews: "", feedback: "", smtpGuide: "" },
  domains: ["kauke.example"],
  publicUrl: new URL("https://kauke.example"),
  hasGoogle: false,
  registration: "open",
  provider: null,
  logDays: null,
};
const provider = { name: `Mail & "Sons"`, smtpHost: "smtp.provider.example" };

/** A page as React prerenders it. */
const { privacyReplies, transparencyForwarding } = forwardingTexts(null);
const page = `<p>${privacyReplies.replaceAll("'", "&#x27;")} And more.</p><p>${transparencyForwarding}</p>smtp.first-domain.invalid of first-domain.invalid`;

describe("a server that forwards by itself", () => {
  test("leaves the prerendered sentences as they are", () => {
    expect(fillPage(page, settings)).toBe(
      page.replace("smtp.first-domain.invalid of first-domain.invalid", "smtp.kauke.example of kauke.example"),
    );
    expect(pageMetas(settings)).not.toContain("forwarding");
  });
});

describe("a server with a forwarding provider", () => {
  test("names it in the sentences, escaped, and gives its SMTP host", () => {
    const filled = fillPage(page, { ...settings, provider }, englishSentences(provider.name));
    expect(filled).toContain("<p>Forwarded mail shows its sender&#x27;s own address.");
    expect(filled).toContain(
      "And more.</p><p>On this server, forwarding is carried out through Mail &amp; &quot;Sons&quot;",
    );
    expect(filled).toContain("smtp.provider.example of kauke.example");
    expect(filled).not.toContain("engine");
  });

  test("tells the app its name and SMTP host", () => {
    expect(pageMetas({ ...settings, provider })).toContain(
      '<meta name="forwarding" content="Mail &amp; &quot;Sons&quot;" data-smtp-host="smtp.provider.example">',
    );
  });
});
