import { product } from "@kauke/contract";
import { useState } from "react";
import { Link } from "wouter";
import { FeedbackButton } from "../../features/feedback/FeedbackButton.tsx";
import { t } from "../../texts/texts.ts";
import { readLinks } from "../page-settings.ts";
import { Logo } from "./NavLinks.tsx";

interface FooterLink {
  words: string;
  href: string;
  external?: boolean;
}

function Column({ title, links }: { title: string; links: readonly FooterLink[] }) {
  return (
    <div>
      <h2>{title}</h2>
      <ul>
        {links.map(({ words, href, external }) => (
          <li key={words}>
            {external ? (
              <a href={href} target="_blank" rel="noopener noreferrer">
                {words}
              </a>
            ) : (
              <Link href={href}>{words}</Link>
            )}
          </li>
        ))}
      </ul>
    </div>
  );
}

export function Footer() {
  const [links] = useState(readLinks);
  const company = [
    { words: t("About"), href: "/about" },
    { words: t("Transparency"), href: "/transparency" },
    { words: t("Documentation"), href: links.docs, external: true },
    { words: t("Social profile"), href: links.social, external: true },
  ];
  const legal = [
    { words: t("Privacy Policy"), href: "/privacy" },
    { words: t("Terms of Service"), href: "/terms" },
    { words: "GDPR", href: "/gdpr" },
  ];
  const reviews = [
    { words: t("Reviews"), href: links.reviews, external: true },
    { words: t("Video"), href: links.video, external: true },
  ];
  return (
    <footer className="footer">
      <div className="page">
        <div className="cols">
          <div className="about">
            <Logo />
            <p>{t("Secure inbox with aliases and end-to-end encryption.")}</p>
          </div>
          <Column title={t("COMPANY")} links={company} />
          <Column title={t("LEGAL")} links={legal} />
          <Column title={t("REVIEWS")} links={reviews} />
          <Column
            title={t("OPEN SOURCE")}
            links={[{ words: t("age, file encryption"), href: links.age, external: true }]}
          />
        </div>
        <div className="end">
          <span>
            © {product.copyrightYear} {product.name}
          </span>
          <span>{product.version}</span>
          <span>{t("Made in Lithuania")}</span>
        </div>
      </div>
      <FeedbackButton board={links.feedback} />
    </footer>
  );
}
