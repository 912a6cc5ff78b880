import { DeletionDialog } from "../../ui/DeletionDialog.tsx";

interface Props {
  username: string;
  onConfirm: () => void;
  onClose: () => void;
}

export function DeleteCredentialsDialog({ username, ...handlers }: Props) {
  return (
    <DeletionDialog
      title="Delete SMTP credentials"
      description={`Mail programs that sign in as ${username} can no longer send from it. This cannot be undone.`}
      label="Delete Credentials"
      {...handlers}
    />
  );
}
