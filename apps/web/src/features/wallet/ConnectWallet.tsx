import { Wallet } from "lucide-react";
import { useEffect, useEffectEvent } from "react";
import { t } from "../../texts/texts.ts";
import { Button } from "../../ui/Controls.tsx";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import type { useWalletAction } from "./use-wallet-action.tsx";

export function ConnectWallet({ wallet }: { wallet: ReturnType<typeof useWalletAction> }) {
  return (
    <>
      <div className="connecting">
        <SubmitButton
          type="button"
          className="btn-block"
          pending={wallet.isPending}
          pendingLabel={t("Connecting...")}
          onClick={wallet.begin}
        >
          <Wallet className="i" aria-hidden="true" />
          {t("Continue with Solana Wallet")}
        </SubmitButton>
        {wallet.isPending ? <CancelWallet onCancel={wallet.giveUp} /> : null}
      </div>
      {wallet.choice}
    </>
  );
}

/** Button shown while the wallet has not responded. Escape cancels too. */
export function CancelWallet({ onCancel }: { onCancel: () => void }) {
  const cancel = useEffectEvent(onCancel);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => event.key === "Escape" && cancel();
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <Button
      aria-label={t("Cancel connecting")}
      onClick={({ currentTarget }) => {
        // Moves the focus, because this button is about to be removed.
        currentTarget.parentElement?.querySelector("button")?.focus();
        onCancel();
      }}
    >
      {t("Cancel")}
    </Button>
  );
}
