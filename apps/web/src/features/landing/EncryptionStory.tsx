/** The page's one dark band, in both themes. */
import { KeyRound, Lock, LockOpen } from "lucide-react";
import { t } from "../../texts/texts.ts";

const facts = [
  { icon: KeyRound, words: t("Generate, download and delete AGE key pairs.") },
  { icon: Lock, words: t("A master password protects each private key. Only the protected form is stored.") },
  { icon: LockOpen, words: t("Decrypt with a stored key, or paste your own.") },
];

const cipherText = [
  "YWdlLWVuY3J5cHRpb24ub3JnL3YxCi0+IFgyNTUxOSBPTFRtVXVSTnAvSTNEWjRtRGljVFpWQ2tvNmJRZjF3TU15K0xFaVFJ",
  "UDlJCks1QXZpUkhvR0JqNHlaMWRYWmd4bFhVRTJRNlVYZUxvOVU3bmdjeDE5alkKLS0tIDJGQ1pDVnFqQUJaYVp3TnZtMVFO",
  "YTQ4TDRoRWtGNXc5MmZjNEY4NXVFWTAKJkqtbLbdIQ+vlKzTz5LBkCN8sR9dEIzyWTAmOTizcKG1dp+g8Ug/lakNnfLxMNYP",
  "zwS9k/UK5pUU2oxlnOKxDMza6/mQ0Zg4sNfsCz6XgY7LlsTbrb4XIpbVI0pCskxrpObtJOxjaorAoSceWGYnkjiq+E5YBW2P",
  "L6jt0JS6l66LFUQu4tthGpG/45RpczqSR9WPo8VQGDADclVf0jXxGCn7OIwi5Ey2N/ASEMNwepC0BUIPsWl3nt+1uTQVfw==",
].join("");

function Cipher() {
  return (
    <div className="card cipher">
      <header>
        <span>{t("What travels")}</span>
        <span className="mono">AGE</span>
      </header>
      <pre aria-hidden="true">
        {`-----BEGIN AGE ENCRYPTED FILE-----\n${cipherText}\n-----END AGE ENCRYPTED FILE-----`}
      </pre>
      <p className="sr">{t("A file that nobody can read without the private key.")}</p>
      <div className="plain">
        <header>
          <span>{t("What the recipient reads")}</span>
        </header>
        <p>{t("The keys are with Rasa. Come by after six.")}</p>
      </div>
    </div>
  );
}

export function EncryptionStory() {
  return (
    <section className="enc-band later">
      <div className="page sec enc">
        <div>
          <h2 className="h2">{t("Military-Grade Encryption")}</h2>
          <p className="lead">
            {t("Send AGE-encrypted mail from any alias. Only the recipient's private key decrypts it.")}
          </p>
          <ul className="claims">
            {facts.map(({ icon: Icon, words }) => (
              <li key={words}>
                <Icon className="i" aria-hidden />
                {words}
              </li>
            ))}
          </ul>
        </div>
        <Cipher />
      </div>
    </section>
  );
}
