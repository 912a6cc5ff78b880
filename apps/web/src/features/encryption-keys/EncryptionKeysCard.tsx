import type { EncryptionKeyWire } from "@kauke/contract";
import { Copy, Download, Plus, Trash2 } from "lucide-react";
import { useState } from "react";
import { useEncryptionKeyCalls, useEncryptionKeys } from "../../api/encryption-keys.ts";
import { messageOf } from "../../api/error-text.ts";
import { t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button, IconButton } from "../../ui/Controls.tsx";
import { Empty, failureOf, LoadedList, Skeleton } from "../../ui/LoadFailed.tsx";
import { copyText } from "../../ui/text/copy-text.ts";
import { dayText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useKeptFocus } from "../../ui/use-kept-focus.ts";
import { CreateKeyDialog } from "./CreateKeyDialog.tsx";
import { DeleteKeyDialog } from "./DeleteKeyDialog.tsx";
import { DownloadKeyDialog } from "./DownloadKeyDialog.tsx";
import { ImportKeyDialog } from "./ImportKeyDialog.tsx";

interface Props {
  encryptionKey: EncryptionKeyWire;
  /** This key is becoming the default. */
  pending: boolean;
  onMakeDefault: () => void;
  onDownload: () => void;
  onDelete: () => void;
}

function KeyRow({ encryptionKey, pending, onMakeDefault, onDownload, onDelete }: Props) {
  const { keyName, publicKey, createdAt, isDefault } = encryptionKey;
  const kept = useKeptFocus<HTMLLIElement>({ first: ".acts button" });
  return (
    <li {...kept}>
      <div className="name">
        <span>{keyName}</span>
        {isDefault ? <span className="tag">{t("default")}</span> : null}
        {publicKey.startsWith("age1pq1") ? <span className="tag">{t("post-quantum")}</span> : null}
      </div>
      <div className="pub">
        <code>{publicKey}</code>
        <IconButton
          icon={Copy}
          label={t("Copy public key")}
          fullLabel={t("Copy public key of {keyName}", { keyName })}
          onClick={() => void copyText(publicKey, t("Public key of {keyName}", { keyName }))}
        />
      </div>
      <time dateTime={createdAt}>{dayText(createdAt)}</time>
      <div className="acts">
        {isDefault ? null : (
          <Button
            isSmall
            look="quiet"
            aria-label={t("Make default: {keyName}", { keyName })}
            aria-disabled={pending || undefined}
            onClick={onMakeDefault}
          >
            {t("Make default")}
          </Button>
        )}
        <IconButton
          icon={Download}
          label={t("Download")}
          fullLabel={t("Download {keyName}", { keyName })}
          onClick={onDownload}
        />
        <IconButton
          icon={Trash2}
          label={t("Delete")}
          fullLabel={t("Delete {keyName}", { keyName })}
          className="danger"
          onClick={onDelete}
        />
      </div>
    </li>
  );
}

type Opened = { dialog: "create" | "import" } | { dialog: "download" | "delete"; key: EncryptionKeyWire } | null;

const noKeys = (
  <Empty
    heading="h4"
    eyes="open"
    title={t("No encryption keys yet")}
    text={t(
      "With a key of your own, others can write to you so that only you can read it. It is made here, in your browser, and its private half is locked with a password that never leaves it.",
    )}
  />
);

function LoadingKeys() {
  return (
    <ul className="keys-list" aria-hidden="true">
      {[9, 6].map((width) => (
        <li key={width}>
          <Skeleton w={`${width}ch`} />
          <Skeleton w="80%" />
          <Skeleton />
        </li>
      ))}
    </ul>
  );
}

function useMakeDefault() {
  const { makeDefault } = useEncryptionKeyCalls();
  const [pendingId, setPendingId] = useState<string | null>(null);
  const run = async ({ id, keyName }: EncryptionKeyWire) => {
    if (pendingId !== null) return;
    setPendingId(id);
    try {
      await makeDefault(id);
      showToast({ title: t("Default key changed"), description: keyName });
    } catch (error) {
      showFailure(t("Update Failed"), messageOf(error, t("Failed to make the key the default")));
    } finally {
      setPendingId(null);
    }
  };
  return { pendingId, run };
}

export function EncryptionKeysCard() {
  const query = useEncryptionKeys();
  const keys = query.data;
  const { pendingId, run: makeDefault } = useMakeDefault();
  const [opened, setOpened] = useState<Opened>(null);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  return (
    <Card
      id="encryption-keys"
      title={t("Encryption keys")}
      aside={
        <>
          <span className="tag">AGE</span>
          <div className="right">
            <Button isSmall disabled={keys === undefined} onClick={() => setOpened({ dialog: "import" })}>
              {t("Import Key")}
            </Button>
            <Button
              isSmall
              look="primary"
              icon={Plus}
              disabled={keys === undefined}
              onClick={() => setOpened({ dialog: "create" })}
            >
              {t("Create Key")}
            </Button>
          </div>
        </>
      }
      isBusy={query.data === undefined && failure === null}
    >
      <LoadedList
        query={query}
        failedTitle={t("Your keys could not be loaded")}
        loading={<LoadingKeys />}
        empty={noKeys}
      >
        {(keys) => (
          <ul className="keys-list" aria-labelledby="encryption-keys">
            {keys.map((key) => (
              <KeyRow
                key={key.id}
                encryptionKey={key}
                pending={pendingId === key.id}
                onMakeDefault={() => void makeDefault(key)}
                onDownload={() => setOpened({ dialog: "download", key })}
                onDelete={() => setOpened({ dialog: "delete", key })}
              />
            ))}
          </ul>
        )}
      </LoadedList>
      {failure !== null ? null : (
        <div className="card-foot">
          <p className="hint">
            {t("Each private key is protected by its master password. Only the protected form is stored.")}
          </p>
        </div>
      )}
      {opened?.dialog === "create" ? <CreateKeyDialog onClose={onClose} /> : null}
      {opened?.dialog === "import" && keys !== undefined ? <ImportKeyDialog keys={keys} onClose={onClose} /> : null}
      {opened?.dialog === "download" ? <DownloadKeyDialog encryptionKey={opened.key} onClose={onClose} /> : null}
      {opened?.dialog === "delete" ? (
        <DeleteKeyDialog encryptionKey={opened.key} isLast={keys?.length === 1} onClose={onClose} />
      ) : null}
    </Card>
  );
}
