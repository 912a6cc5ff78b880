import { encodeQR } from "qr";
import { useMemo } from "react";
import { t } from "../texts/texts.ts";

export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={t("QR code of {label}", { label })}>
      <path d={path} />
    </svg>
  );
}

/** Light margin in modules (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** @returns side length in modules with the margin, and the path of the dark modules */
export function qrPath(text: string): { size: number; path: string } {
  const modules = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE });
  const runs = modules.flatMap((row, y) => darkRuns(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`));
  return { size: modules.length, path: runs.join("") };
}

function darkRuns(row: readonly boolean[]): [start: number, length: number][] {
  const runs: [number, number][] = [];
  for (const [x, isDark] of row.entries()) {
    const last = runs.at(-1);
    if (!isDark) continue;
    if (last !== undefined && last[0] + last[1] === x) last[1]++;
    else runs.push([x, 1]);
  }
  return runs;
}
