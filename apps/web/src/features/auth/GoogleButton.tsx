/**
 * Link that starts a sign-in with Google; it ends at `/dashboard`, or at `/auth` with the reason of a failure, unless the
 * link names a page to return to. Where no
 * issuer is configured, a disabled button says so. A page has one at most, because of the id of its hint.
 */
import { googleOffText } from "@kauke/contract";
import { Mail } from "lucide-react";
import type { MouseEvent } from "react";
import { useGoogleOff } from "./google-sign-in.ts";

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
