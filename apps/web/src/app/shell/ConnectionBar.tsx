import { CloudOff } from "lucide-react";
import { useState } from "react";
import { call } from "../../api/client.ts";
import { useConnection } from "../../api/connection.ts";
import { t } from "../../texts/texts.ts";

/** Any call tests the connection: the client module records whether a response came. */
function TryAgain() {
  const [isTrying, setIsTrying] = useState(false);
  const handleClick = async () => {
    if (isTrying) return;
    setIsTrying(true);
    await call("listDomains").catch(() => {});
    setIsTrying(false);
  };
  return (
    <button
      type="button"
      className="btn btn-sm"
      aria-disabled={isTrying || undefined}
      onClick={() => void handleClick()}
    >
      {isTrying ? t("Trying...") : t("Try again")}
    </button>
  );
}

export function ConnectionBar() {
  const connection = useConnection();
  return (
    <div role="status" className="connection">
      {connection === "online" ? null : (
        <div className="page">
          <CloudOff className="i" aria-hidden />
          <p>
            {connection === "offline"
              ? t("You are offline. Nothing can be loaded or saved until you are back.")
              : t("The server can’t be reached. Nothing can be loaded or saved for now.")}
          </p>
          {connection === "offline" ? null : <TryAgain />}
        </div>
      )}
    </div>
  );
}
