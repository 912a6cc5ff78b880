import { Link } from "wouter";
import { messageOf } from "../../api/error-text.ts";
import { useAccountExport } from "../../api/imports.ts";
import { useUser } from "../../api/session/session.ts";
import { t } from "../../texts/texts.ts";
import { Card, Setting } from "../../ui/Card.tsx";
import { saveFile } from "../../ui/files.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { MoveOutCard } from "./MoveOutCard.tsx";

function ExportCard() {
  const download = useAccountExport();
  const handleClick = () =>
    download.mutate(undefined, {
      onSuccess: ({ fileName, text }) => {
        saveFile(fileName, text);
        showToast({ title: t("Data downloaded"), description: fileName });
      },
      onError: (error) => showFailure(t("Download failed"), messageOf(error, t("Failed to download your data"))),
    });
  return (
    <Card id="your-data" title={t("Your data")} isBusy={download.isPending}>
      <Setting
        look="action"
        title={t("Everything we hold about you")}
        text={t(
          "One JSON file of every row of your account, each with the date it is deleted. It holds your SMTP passwords and webhook secrets, so keep it safe.",
        )}
      >
        <SubmitButton
          type="button"
          pending={download.isPending}
          pendingLabel={t("Downloading...")}
          onClick={handleClick}
        >
          {t("Download my data")}
        </SubmitButton>
      </Setting>
    </Card>
  );
}

function MoveInCard() {
  return (
    <Card id="move-in" title={t("Move in")}>
      <Setting
        look="action"
        title={t("Aliases of other services, and the sites that know them")}
        text={t(
          "Import from SimpleLogin, addy.io, Firefox Relay, Forward Email and Mailx, then change your address site by site with a checklist.",
        )}
      >
        <Link className="btn" href="/move">
          {t("Move in")}
        </Link>
      </Setting>
    </Card>
  );
}

export function MoveCards() {
  const user = useUser();
  return (
    <>
      <MoveInCard />
      <MoveOutCard userId={user.id} />
      <ExportCard />
    </>
  );
}
