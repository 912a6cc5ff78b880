import { useMemo } from "react";
import { qrPath } from "./qr-path.ts";

/** QR code of a server's address and key. Loaded with the dialog that shows it. */
export function KeyQr({ text }: { text: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg className="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label="QR code of server address and key">
      <path d={path} />
    </svg>
  );
}
