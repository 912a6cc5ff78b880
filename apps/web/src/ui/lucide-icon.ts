/** In place of Lucide's createLucideIcon.mjs (`vite.config.ts`), whose options no icon here uses. */
import { createElement, type SVGProps } from "react";

interface IconData {
  node: readonly (readonly [tag: string, attributes: Readonly<Record<string, string>>])[];
}

const look = {
  viewBox: "0 0 24 24",
  fill: "none",
  stroke: "currentColor",
  strokeWidth: 2,
  strokeLinecap: "round",
  strokeLinejoin: "round",
} as const;

// oxlint-disable-next-line import/no-default-export -- as the file that it replaces
export default function createIcon({ node }: IconData) {
  const shapes = node.map(([tag, attributes]) => createElement(tag, attributes));
  return (props: SVGProps<SVGSVGElement>) =>
    createElement(
      "svg",
      { width: 24, height: 24, ...look, "aria-hidden": props.role ? undefined : true, ...props },
      shapes,
    );
}
