import { product } from "@kauke/contract";
import { Link } from "wouter";
import { Mark } from "../../ui/Mask.tsx";

/** Mark and wordmark; follows the theme by itself and leads to the landing page. */
export function Logo() {
  return (
    <Link className="logo" href="/home" aria-label={`${product.name}, home`}>
      <Mark />
      {product.name}
    </Link>
  );
}
