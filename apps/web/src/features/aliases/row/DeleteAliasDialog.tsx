import type { AliasWire } from "@kauke/contract";
import { ConfirmDialog } from "../../../ui/Dialog.tsx";
import { addressOf } from "../alias-text.ts";

interface Props {
  alias: AliasWire;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeleteAliasDialog({ alias, ...handlers }: Props) {
  const description = `Mail to ${addressOf(alias)} will be refused from now on. This cannot be undone.`;
  return <ConfirmDialog title="Delete alias" description={description} label="Delete Alias" {...handlers} />;
}
