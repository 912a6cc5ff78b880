/** The secret by which receivers verify webhook requests. */
import { fetchWebhookSecret, replaceWebhookSecret } from "../../api/smtp-credentials.ts";
import { t } from "../../texts/texts.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { NeedsEngine, useForwarding } from "../forwarding/NeedsEngine.tsx";
import { HiddenSecret, SecretActions, SecretStrip } from "./SecretStrip.tsx";
import { secretFailure, useSecret } from "./use-secret.ts";

const NAMED = t("Signing secret");
const SECRET_CH = 50;

export function WebhookSecretCard({ aliasId }: { aliasId: string }) {
  const provider = useForwarding();
  if (provider === null) return <SigningSecret aliasId={aliasId} />;
  return (
    <div className="smtp alias-setting" role="group" aria-label={t("Webhook signature")}>
      <div>
        <h3>{t("Webhook signature")}</h3>
        <NeedsEngine provider={provider} />
        <p>{t("{name} calls webhooks in a form of its own.", { name: provider.name })}</p>
      </div>
    </div>
  );
}

function SigningSecret({ aliasId }: { aliasId: string }) {
  const secret = useSecret();
  const { revealed } = secret;
  const read = () => fetchWebhookSecret(aliasId);
  const renew = async () => {
    const made = await replaceWebhookSecret(aliasId);
    showToast({
      title: t("Signing Secret Regenerated"),
      description: t("Calls are signed with the new secret from now on."),
    });
    return made;
  };
  const onFailed = (text: string) => (error: unknown) => showFailure(...secretFailure(error, text));
  const onReadFailed = onFailed(t("Failed to fetch signing secret"));
  return (
    <div className="smtp webhook" role="group" aria-label={t("Webhook signature")}>
      <dl>
        <div>
          <dt>{t("Webhook signature")}</dt>
          <dd>{t("Standard Webhooks, v1")}</dd>
        </div>
        {revealed === null ? <HiddenSecret label={NAMED} ch={SECRET_CH} /> : null}
      </dl>
      {revealed === null ? null : (
        <SecretStrip key={revealed.until} revealed={revealed} noun="secret" named={NAMED} onHide={secret.hide} />
      )}
      <SecretActions
        secret={secret}
        onView={() => void secret.view(read).catch(onReadFailed)}
        onCopy={() => void secret.copy(read, NAMED).catch(onReadFailed)}
        onRenew={() => void secret.renew(renew).catch(onFailed(t("Failed to regenerate signing secret")))}
      />
    </div>
  );
}
