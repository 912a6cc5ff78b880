import { product } from "@kauke/contract";
import { useState } from "react";
import { Link } from "wouter";
import { FeedbackButton } from "../../features/feedback/FeedbackButton.tsx";
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
    { words: "About", href: "/about" },
    { words: "Transparency", href: "/transparency" },
    { words: "Documentation", href: links.docs, external: true },
    { words: "Social profile", href: links.social, external: true },
  ];
  const legal = [
    { words: "Privacy Policy", href: "/privacy" },
    { words: "Terms of Service", href: "/terms" },
    { words: "GDPR", href: "/gdpr" },
  ];
  const reviews = [
    { words: "Reviews", href: links.reviews, external: true },
    { words: "Video", href: links.video, external: true },
  ];
  return (
    <footer className="footer">
      <div className="page">
        <div className="cols">
          <div className="about">
            <Logo />
            <p>Secure inbox with aliases and end-to-end encryption.</p>
          </div>
          <Column title="COMPANY" links={company} />
          <Column title="LEGAL" links={legal} />
          <Column title="REVIEWS" links={reviews} />
          <Column title="OPEN SOURCE" links={[{ words: "age, file encryption", href: links.age, external: true }]} />
        </div>
        <div className="end">
          <span>
            © {product.copyrightYear} {product.name}
          </span>
          <span>{product.version}</span>
          <span>Made in Lithuania</span>
        </div>
      </div>
      <FeedbackButton board={links.feedback} />
    </footer>
  );
}
