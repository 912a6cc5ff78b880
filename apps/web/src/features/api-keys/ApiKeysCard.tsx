import type { ApiKeyWire } from "@kauke/contract";
import { Plus } from "lucide-react";
import { type ReactNode, useState } from "react";
import { Link } from "wouter";
import { useApiKeys, useRevokeApiKey } from "../../api/api-keys.ts";
import { clientsGuidePath } from "../../app/page-settings.ts";
import { rich, t } from "../../texts/texts.ts";
import { Card } from "../../ui/Card.tsx";
import { Button } from "../../ui/Controls.tsx";
import { ConfirmDialog } from "../../ui/Dialog.tsx";
import { Empty, failureOf, LoadedList, Skeleton } from "../../ui/LoadFailed.tsx";
import { refusalText } from "../../ui/text/refusal-text.ts";
import { dayText } from "../../ui/text/time-text.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { useRowReturn } from "../../ui/use-row-return.ts";
import { CreateApiKeyDialog } from "./CreateApiKeyDialog.tsx";

function RevokeApiKeyDialog({ apiKey: { id, name }, onClose }: { apiKey: ApiKeyWire; onClose: () => void }) {
  const revoke = useRevokeApiKey();
  const { returnTo, noteGone } = useRowReturn();
  const onRevoke = () =>
    revoke.mutate(id, {
      onSuccess: () => {
        noteGone();
        showToast({ title: t("Key Revoked"), description: name });
        onClose();
      },
      onError: (error) =>
        showFailure(t("Key Not Revoked"), refusalText(error, t("The key could not be revoked. Please try again."))),
    });
  return (
    <ConfirmDialog
      title={t("Revoke API key")}
      description={t("Programs that use {name} are refused at once. Aliases they made stay. This cannot be undone.", {
        name,
      })}
      label={t("Revoke Key")}
      pending={revoke.isPending}
      pendingLabel={t("Revoking...")}
      returnTo={returnTo}
      onConfirm={onRevoke}
      onClose={onClose}
    />
  );
}

const noKeys = (
  <Empty
    heading="h4"
    eyes="open"
    title={t("No API keys yet")}
    text={t(
      "With a key, your password manager, an extension or an app makes aliases here while you sign up somewhere.",
    )}
  />
);

function LoadingKeys() {
  return (
    <ul className="api-keys" aria-hidden="true">
      {[14, 9].map((width) => (
        <li key={width}>
          <Skeleton w={`${width}ch`} />
          {["dates", "revoke"].map((fact) => (
            <span className="skel" key={fact} />
          ))}
        </li>
      ))}
    </ul>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="fact">
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

const Day = ({ iso }: { iso: string }) => <time dateTime={iso}>{dayText(iso)}</time>;

function KeyRow({ apiKey, onRevoke }: { apiKey: ApiKeyWire; onRevoke: () => void }) {
  const { name, scopes, expiresAt, lastUsedOn, createdAt } = apiKey;
  const [now] = useState(() => Date.now());
  const isExpired = expiresAt !== null && Date.parse(expiresAt) <= now;
  return (
    <li>
      <div className="named">
        <span className="name">{name}</span>
        <ul className="tags" aria-label={t("Scopes")}>
          {scopes.map((scope) => (
            <li className="tag" key={scope}>
              {scope}
            </li>
          ))}
        </ul>
      </div>
      <dl>
        <Fact label={isExpired ? t("Expired") : t("Expires")}>
          {expiresAt === null ? t("Never") : <Day iso={expiresAt} />}
        </Fact>
        <Fact label={t("Last used")}>{lastUsedOn === null ? t("Never") : <Day iso={`${lastUsedOn}T00:00`} />}</Fact>
        <Fact label={t("Created")}>
          <Day iso={createdAt} />
        </Fact>
      </dl>
      <Button isSmall look="danger-line" aria-label={t("Revoke {name}", { name })} onClick={onRevoke}>
        {t("Revoke")}
      </Button>
    </li>
  );
}

function Foot() {
  return (
    <div className="card-foot">
      <p className="hint">
        {rich("Works with programs made for addy.io and SimpleLogin. <link>How to set them up</link>", {
          link: (inner) => (
            <Link className="link" href={clientsGuidePath}>
              {inner}
            </Link>
          ),
        })}
      </p>
    </div>
  );
}

export function ApiKeysCard() {
  const query = useApiKeys();
  const keys = query.data;
  const [opened, setOpened] = useState<"create" | ApiKeyWire | null>(null);
  const onClose = () => setOpened(null);
  const failure = failureOf(query);
  return (
    <Card
      id="api-keys"
      title={t("API keys")}
      aside={
        <div className="right">
          <Button isSmall icon={Plus} disabled={keys === undefined} onClick={() => setOpened("create")}>
            {t("Create API Key")}
          </Button>
        </div>
      }
      isBusy={query.data === undefined && failure === null}
    >
      <LoadedList
        query={query}
        failedTitle={t("Your API keys could not be loaded")}
        loading={<LoadingKeys />}
        empty={noKeys}
      >
        {(keys) => (
          <ul className="api-keys" aria-labelledby="api-keys">
            {keys.map((key) => (
              <KeyRow key={key.id} apiKey={key} onRevoke={() => setOpened(key)} />
            ))}
          </ul>
        )}
      </LoadedList>
      {failure !== null ? null : <Foot />}
      {opened === "create" ? <CreateApiKeyDialog onClose={onClose} /> : null}
      {opened !== null && opened !== "create" ? <RevokeApiKeyDialog apiKey={opened} onClose={onClose} /> : null}
    </Card>
  );
}
