import type { AliasWire, UnfinishedAliasWire } from "@kauke/contract";
import { Clock, Pause, TriangleAlert } from "lucide-react";
import { useLayoutEffect, useRef } from "react";
import { Link } from "wouter";
import { useUpdateAlias } from "../../api/aliases.ts";
import { ApiError } from "../../api/api-error.ts";
import { messageOf } from "../../api/error-text.ts";
import { useSetUpAlias, useUnfinished } from "../../api/forwarding.ts";
import type { SiteProvider } from "../../app/page-settings.ts";
import { t } from "../../texts/texts.ts";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { addressOf, isActive } from "../aliases/alias-text.ts";
import { stateText } from "./forwarding-text.ts";
import { useForwarding } from "./NeedsEngine.tsx";

interface ActProps {
  label: string;
  pendingLabel: string;
  address: string;
  isPending: boolean;
  onClick: () => void;
}

/** The button vanishes once it has worked: the focus then goes to the alias' link, or to the open panel's switch. */
function Act({ label, pendingLabel, address, isPending, onClick }: ActProps) {
  const button = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    const shown = button.current;
    return () => {
      if (shown === null || document.activeElement !== shown) return;
      const place = shown.closest("tr, .panel, [role=dialog]");
      place?.querySelector<HTMLElement>(".addr a, .state-row .switch")?.focus({ preventScroll: true });
    };
  }, []);
  const text = isPending ? pendingLabel : label;
  return (
    <button
      type="button"
      className="link"
      ref={button}
      // Not `disabled`, which would drop the focus.
      aria-disabled={isPending || undefined}
      aria-label={`${text} ${address}`}
      onClick={() => {
        if (!isPending) onClick();
      }}
    >
      {text}
    </button>
  );
}

function TryNow({ alias }: { alias: AliasWire }) {
  const setUp = useSetUpAlias();
  const onError = (error: Error) => {
    // Not found: it is set up by now, which the next response shows.
    if (error instanceof ApiError && error.status === 404) return;
    const isLimited = error instanceof ApiError && error.rateLimited;
    showFailure(
      isLimited ? t("Rate Limit Exceeded") : t("Not Tried"),
      refusalText(error, t("The alias could not be set up. Please try again.")),
    );
  };
  return (
    <Act
      label={t("Try Now")}
      pendingLabel={t("Trying...")}
      address={addressOf(alias)}
      isPending={setUp.isPending}
      onClick={() => setUp.mutate(alias.id, { onError })}
    />
  );
}

function EncryptionOff({ alias }: { alias: AliasWire }) {
  const update = useUpdateAlias(alias.userId);
  const onClick = () =>
    update.mutate(
      { aliasId: alias.id, body: { sealTo: "off" } },
      {
        onSuccess: (saved) => showToast({ title: t("Encryption Switched Off"), description: addressOf(saved) }),
        onError: (error) => showFailure(t("Update Failed"), messageOf(error, t("Failed to update alias"))),
      },
    );
  return (
    <Act
      label={t("Switch Encryption Off")}
      pendingLabel={t("Saving...")}
      address={addressOf(alias)}
      isPending={update.isPending}
      onClick={onClick}
    />
  );
}

function WayOut({ alias, one }: { alias: AliasWire; one: UnfinishedAliasWire }) {
  if (one.state === "failed") return <TryNow alias={alias} />;
  if (one.held === "encrypted") return <EncryptionOff alias={alias} />;
  if (one.held !== "unconfirmed") return null;
  return (
    <Link className="link" href="/settings/mailboxes">
      {t("See Your Mailboxes")}
    </Link>
  );
}

const icons = { waiting: Clock, failed: TriangleAlert, held: Pause } as const;

function AtProvider({ alias, provider }: { alias: AliasWire; provider: SiteProvider }) {
  const one = useUnfinished(alias.id);
  if (one === undefined) return null;
  const Icon = icons[one.state];
  return (
    <span className={one.state === "waiting" ? "set-up" : "set-up is-off"}>
      <Icon className="i" aria-hidden />
      <span>
        {stateText(one, { provider: provider.name, isActive: isActive(alias) })} <WayOut alias={alias} one={one} />
      </span>
    </span>
  );
}

/** What the forwarding provider does not have as wanted of an alias, and what can be done. */
export function SetUpState({ alias }: { alias: AliasWire }) {
  const provider = useForwarding();
  return provider === null ? null : <AtProvider alias={alias} provider={provider} />;
}

function SoonAt({ aliasId, provider }: { aliasId: string; provider: SiteProvider }) {
  const state = useUnfinished(aliasId)?.state;
  if (state !== "waiting" && state !== "failed") return null;
  return (
    <p className="local">
      {state === "waiting"
        ? t("A new password works in a few seconds, once it is set at {name}.", { name: provider.name })
        : t("A new password works once the alias is set up at {name}.", { name: provider.name })}
    </p>
  );
}

/** Says that a new SMTP password does not work yet. */
export function PasswordState({ aliasId }: { aliasId: string }) {
  const provider = useForwarding();
  return provider === null ? null : <SoonAt aliasId={aliasId} provider={provider} />;
}
