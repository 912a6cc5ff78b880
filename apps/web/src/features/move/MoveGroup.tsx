/** The group of cards in Settings about moving aliases in from other services and out to them. */
import { useUser } from "../../api/session/session.ts";
import { ExportCard } from "../account/ExportCard.tsx";
import { SettingsGroup } from "../account/SettingsGroup.tsx";
import { MoveInCard } from "./MoveInCard.tsx";
import { MoveOutCard } from "./MoveOutCard.tsx";

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
