/** A link, or without an issuer a disabled button. At most one per page, because of its hint's id. */
import { googleOffText, googleSignInMeta } from "@kauke/contract";
import { Mail } from "lucide-react";
import { type MouseEvent, useSyncExternalStore } from "react";

interface Props {
  className: string;
  /** May change or prevent the click. */
  onClick?: (event: MouseEvent) => void;
  /** Pressed although disabled. */
  onOffClick?: () => void;
}

export function GoogleButton({ className, onClick, onOffClick }: Props) {
  const isOff = useGoogleOff();
  const content = (
    <>
      <Mail className="i" />
      Continue with Gmail
    </>
  );
  return (
    <>
      {isOff ? (
        // Focusable and clickable, so that everybody can learn why.
        <button
          type="button"
          className={`${className} is-off`}
          aria-disabled="true"
          aria-describedby="google-off"
          onClick={onOffClick}
        >
          {content}
        </button>
      ) : (
        <a className={className} href="/api/auth/google" onClick={onClick}>
          {content}
        </a>
      )}
      {/* Shown by CSS depending on a meta element, so hydration shifts no layout. */}
      <p id="google-off" className="hint google-off">
        {googleOffText}
      </p>
    </>
  );
}

/** Without the meta element the button leads to the server, which reports the problem. */
export function isGoogleOff(): boolean {
  return document.querySelector<HTMLMetaElement>(`meta[name="${googleSignInMeta}"]`)?.content === "off";
}

const neverChanges = () => () => {};

/** False during hydration, as prerendered. */
export function useGoogleOff(): boolean {
  return useSyncExternalStore(neverChanges, isGoogleOff, () => false);
}
