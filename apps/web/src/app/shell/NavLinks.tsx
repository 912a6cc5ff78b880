import { product } from "@kauke/contract";
import { Link } from "wouter";
import { t } from "../../texts/texts.ts";
import { Mark } from "../../ui/Mask.tsx";

export function Logo() {
  return (
    <Link className="logo" href="/home" aria-label={t("{product}, home")}>
      <Mark />
      {product.name}
    </Link>
  );
}

const links = [
  { href: "/dashboard", word: t("FORWARD") },
  { href: "/compose", word: t("COMPOSE") },
  { href: "/decrypt", word: t("DECRYPT") },
  { href: "/settings", word: t("SETTINGS") },
] as const;

interface LinkProps {
  href: string;
  word: string;
  path: string;
  onChoose?: () => void;
}

function NavLink({ href, word, path, onChoose }: LinkProps) {
  const current =
    path === href ||
    (path === "/" && href === "/dashboard") ||
    (/^\/(?:move$|settings\/)/.test(path) && href === "/settings");
  return (
    <Link href={href} onClick={onChoose} aria-current={current ? "page" : undefined}>
      <span>
        <i>_</i>
        {word}
      </span>
    </Link>
  );
}

interface Props {
  path: string;
  isAdmin: boolean | undefined;
}

const linksFor = (isAdmin: boolean | undefined) => (isAdmin ? [...links, { href: "/admin", word: t("ADMIN") }] : links);

export function NavRow({ path, isAdmin }: Props) {
  return (
    <nav className="nav" aria-label={t("Main")}>
      {linksFor(isAdmin).map((link) => (
        <NavLink key={link.href} {...link} path={path} />
      ))}
    </nav>
  );
}

export function NavItems({ path, isAdmin, onChoose }: Props & { onChoose: () => void }) {
  return linksFor(isAdmin).map((link) => (
    <li key={link.href}>
      <NavLink {...link} {...{ path, onChoose }} />
    </li>
  ));
}
