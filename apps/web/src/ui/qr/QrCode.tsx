import { useMemo } from "react";
import { qrPath } from "./qr-path.ts";

/**
 * QR code of a text, drawn in the browser without a request.
 * @param label what the code contains, for screen readers
 */
export function QrCode({ text, label }: { text: string; label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${label}`}>
      <path d={path} />
    </svg>
  );
}
