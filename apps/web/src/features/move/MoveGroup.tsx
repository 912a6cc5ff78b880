/** The group of cards in Settings about moving aliases in from other services and out to them. */
import { Link } from "wouter";
import { messageOf } from "../../api/api-error.ts";
import { useAccountExport } from "../../api/imports.ts";
import { useUser } from "../../api/session/session.ts";
import { saveFile } from "../../ui/files.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { showFailure, showToast } from "../../ui/toast-store.ts";
import { SettingsGroup } from "../account/SettingsGroup.tsx";
import { MoveOutCard } from "./MoveOutCard.tsx";

/** Downloads everything that is stored about the account as one file. */
function ExportCard() {
  const download = useAccountExport();
  const handleClick = () =>
    download.mutate(undefined, {
      onSuccess: ({ fileName, text }) => {
        saveFile(fileName, text);
        showToast({ title: "Data downloaded", description: fileName });
      },
      onError: (error) => showFailure("Download failed", messageOf(error, "Failed to download your data")),
    });
  return (
    <section className="card" aria-labelledby="your-data" aria-busy={download.isPending}>
      <div className="card-head">
        <h3 id="your-data">Your data</h3>
      </div>
      <div className="card-body setting action">
        <div>
          <h4>Everything we hold about you</h4>
          <p>
            One JSON file of every row of your account, each with the date it is deleted. It holds your SMTP passwords
            and webhook secrets, so keep it safe.
          </p>
        </div>
        <SubmitButton
          className=""
          type="button"
          pending={download.isPending}
          pendingLabel="Downloading..."
          onClick={handleClick}
        >
          Download my data
        </SubmitButton>
      </div>
    </section>
  );
}

/** Card in Settings with the link to the page that imports aliases and keeps the address-change checklist. */
function MoveInCard() {
  return (
    <section className="card" aria-labelledby="move-in">
      <div className="card-head">
        <h3 id="move-in">Move in</h3>
      </div>
      <div className="card-body setting action">
        <div>
          <h4>Aliases of other services, and the sites that know them</h4>
          <p>
            Import from SimpleLogin, addy.io, Firefox Relay, Forward Email and Mailx, then change your address site by
            site with a checklist.
          </p>
        </div>
        <Link className="btn" href="/move">
          Move in
        </Link>
      </div>
    </section>
  );
}

export function MoveGroup() {
  const user = useUser();
  return (
    <SettingsGroup title="Move in and out">
      <MoveInCard />
      <MoveOutCard userId={user.id} />
      <ExportCard />
    </SettingsGroup>
  );
}
