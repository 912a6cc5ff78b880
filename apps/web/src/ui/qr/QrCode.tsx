import { useMemo } from "react";
import { qrPath } from "./qr-path.ts";

/** QR code of a text, drawn here. Loaded with what shows it. @param label what it is a code of, for screen readers */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${label}`}>
      <path d={path} />
    </svg>
  );
}
