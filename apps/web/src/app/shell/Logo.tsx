import { product } from "@kauke/contract";
import { Link } from "wouter";
import { Mark } from "../../ui/Mask.tsx";

/** Mark and wordmark, linked to the landing page; CSS adapts them to the theme. */
export function Logo() {
  return (
    <Link className="logo" href="/home" aria-label={`${product.name}, home`}>
      <Mark />
      {product.name}
    </Link>
  );
}
