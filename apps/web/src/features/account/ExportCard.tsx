/** Downloads everything that is stored about the account as one file. */
import { useAccountExport } from "../../api/account-export.ts";
import { messageOf } from "../../api/api-error.ts";
import { SubmitButton } from "../../ui/SubmitButton.tsx";
import { saveFile } from "../../ui/save-file.ts";
import { showFailure, showToast } from "../../ui/toast-store.ts";

export function ExportCard() {
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
