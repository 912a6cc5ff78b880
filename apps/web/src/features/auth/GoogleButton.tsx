/**
 * Link that starts a sign-in with Google; it ends at `/dashboard`, or at `/auth` with the reason of a failure, unless the
 * link names a page to return to. Where no
 * issuer is configured, a disabled button says so. A page has one at most, because of the id of its hint.
 */
import { googleOffText, googleSignInMeta } from "@kauke/contract";
import { Mail } from "lucide-react";
import { type MouseEvent, useSyncExternalStore } from "react";

interface Props {
  className: string;
  /** Called before a click follows the link, which it may change or prevent. */
  onClick?: (event: MouseEvent) => void;
  /** Called when the button is pressed although it is disabled. */
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
        // Disabled, but focusable and clickable, so that everybody can learn why
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
      {/* The reason is always rendered and shown by CSS depending on a meta element, so hydration shifts no layout. */}
      <p id="google-off" className="hint google-off">
        {googleOffText}
      </p>
    </>
  );
}

/** Whether the server has federated sign-in configured, which pages know from a meta element. */

/**
 * True if the page's meta element says "off": without the element the button leads to the server, which reports the
 * problem.
 */
export function isGoogleOff(): boolean {
  return document.querySelector<HTMLMetaElement>(`meta[name="${googleSignInMeta}"]`)?.content === "off";
}

const neverChanges = () => () => {};

/** `isGoogleOff` as a hook; false during hydration, because pages are prerendered that way. */
export function useGoogleOff(): boolean {
  return useSyncExternalStore(neverChanges, isGoogleOff, () => false);
}
