import { product } from "@kauke/contract";
import { Link } from "wouter";
import { Mark } from "../../ui/Mask.tsx";

export function Logo() {
  return (
    <Link className="logo" href="/home" aria-label={`${product.name}, home`}>
      <Mark />
      {product.name}
    </Link>
  );
}

const links = [
  { href: "/dashboard", word: "FORWARD" },
  { href: "/compose", word: "COMPOSE" },
  { href: "/decrypt", word: "DECRYPT" },
  { href: "/settings", word: "SETTINGS" },
] as const;

function NavLink({ href, word, path }: { href: string; word: string; path: string }) {
  const current =
    path === href || (path === "/" && href === "/dashboard") || (path === "/move" && href === "/settings");
  return (
    <Link href={href} aria-current={current ? "page" : undefined}>
      <span>
        <i>_</i>
        {word}
      </span>
    </Link>
  );
}

export function NavRow({ path }: { path: string }) {
  return (
    <nav className="nav" aria-label="Main">
      {links.map((link) => (
        <NavLink key={link.href} {...link} path={path} />
      ))}
    </nav>
  );
}

export function NavItems({ path }: { path: string }) {
  return links.map((link) => (
    <li key={link.href}>
      <NavLink {...link} path={path} />
    </li>
  ));
}
