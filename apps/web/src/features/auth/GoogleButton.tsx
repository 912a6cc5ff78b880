/** Sign-in with Google: a link, or without an issuer a disabled button. Once per page, because of its hint's id. */
import { googleSignInMeta } from "@kauke/contract";
import { Mail } from "lucide-react";
import { type MouseEvent, useSyncExternalStore } from "react";
import { findMeta } from "../../app/page-settings.ts";
import { t } from "../../texts/texts.ts";

interface Props {
  className: string;
  onClick?: (event: MouseEvent) => void;
  /** Called when the button is pressed although disabled. */
  onOffClick?: () => void;
}

export function GoogleButton({ className, onClick, onOffClick }: Props) {
  const isOff = useGoogleOff();
  const content = (
    <>
      <Mail className="i" />
      {t("Continue with Gmail")}
    </>
  );
  return (
    <>
      {isOff ? (
        // The disabled button is focusable and clickable, so that everybody can learn why.
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
      {/* CSS shows this hint depending on a meta element, so hydration shifts no layout. */}
      <p id="google-off" className="hint google-off">
        {t("Google is not set up on this server.")}
      </p>
    </>
  );
}

/** Without the meta element the button leads to the server, which reports the problem. */
export function isGoogleOff(): boolean {
  return findMeta(googleSignInMeta)?.content === "off";
}

const neverChanges = () => () => {};

/** False during hydration, because the page was prerendered so. */
export function useGoogleOff(): boolean {
  return useSyncExternalStore(neverChanges, isGoogleOff, () => false);
}
