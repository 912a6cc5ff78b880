/** What the page of a mailed link shows if the link is used up, expired or unchecked. */
import { useSyncExternalStore } from "react";
import { Link } from "wouter";
import { t } from "../../texts/texts.ts";
import { LoadFailed } from "../../ui/LoadFailed.tsx";
import { Mask } from "../../ui/Mask.tsx";

interface LinkOverProps {
  way: { href: string; label: string };
  why?: string;
}

export function LinkOver({
  way,
  why = t("It was used, its 30 minutes are over, or a newer one was sent."),
}: LinkOverProps) {
  return (
    <main id="main" className="page lost" tabIndex={-1}>
      <Mask eyes="shut" />
      <h1>{t("This link no longer works")}</h1>
      <p className="muted max-w-[36rem]">{why}</p>
      <Link className="btn btn-primary mt-3" href={way.href}>
        {way.label}
      </Link>
    </main>
  );
}

export function LinkNotChecked({ title, error, onRetry }: { title: string; error: Error; onRetry: () => unknown }) {
  return (
    <main id="main" className="page" tabIndex={-1}>
      <h1 className="sr">{title}</h1>
      <LoadFailed title={t("The link could not be checked")} heading="h2" error={error} onRetry={onRetry} />
    </main>
  );
}

/** A second link in the same tab changes only the address' hash. */
export function useLinkToken(): string | null {
  const hash = useSyncExternalStore(
    (listener) => {
      window.addEventListener("hashchange", listener);
      return () => window.removeEventListener("hashchange", listener);
    },
    () => window.location.hash,
    () => "",
  );
  return linkTokenOf(hash);
}

/** The link's token is in the hash, which browsers never send. @param hash e.g. `#abc…` */
export function linkTokenOf(hash: string): string | null {
  return /^#([a-z2-7]{32})$/i.exec(hash)?.[1]?.toLowerCase() ?? null;
}
