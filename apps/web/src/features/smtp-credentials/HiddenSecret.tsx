/** A hidden password or secret, shown as a bar. */
import type { CSSProperties } from "react";

export function HiddenSecret({ label, ch }: { label: string; ch: number }) {
  return (
    <div className="hidden-secret">
      <dt>{label}</dt>
      <dd>
        <span className="bar" style={{ "--w": `${ch}ch` } as CSSProperties} />
        <span className="sr">hidden</span>
      </dd>
    </div>
  );
}
