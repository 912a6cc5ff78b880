import { acts } from "./acts.ts";
import type { Command } from "./command.ts";
import { backup, migrateCommand, restore } from "./data.ts";
import { doctor } from "./doctor.ts";
import { domains } from "./domains.ts";
import { erase } from "./erase.ts";
import { usersInvitations, usersInvite, usersUninvite } from "./invites.ts";
import { keysList, keysRotate } from "./keys.ts";
import { move, moveDropOld, moveForget } from "./move.ts";
import { domainsOwn, domainsZone } from "./own-domains.ts";
import { probe } from "./probe.ts";
import { provider, providerAdopt, providerCheck, providerPush, providerRepair, providerStatus } from "./provider.ts";
import { queue, queueDrop, queueRetry } from "./queue.ts";
import { setup } from "./setup.ts";
import {
  users,
  usersDelete,
  usersEndSessions,
  usersFind,
  usersGrantAdmin,
  usersRevokeAdmin,
  usersUnblock,
} from "./users.ts";

export const commands: readonly Command[] = [
  setup,
  domains,
  domainsOwn,
  domainsZone,
  doctor,
  probe,
  users,
  usersFind,
  usersDelete,
  usersEndSessions,
  usersInvite,
  usersInvitations,
  usersUninvite,
  usersUnblock,
  usersGrantAdmin,
  usersRevokeAdmin,
  queue,
  queueRetry,
  queueDrop,
  provider,
  providerStatus,
  providerCheck,
  providerRepair,
  providerPush,
  providerAdopt,
  acts,
  migrateCommand,
  keysList,
  keysRotate,
  backup,
  restore,
  erase,
  move,
  moveForget,
  moveDropOld,
];
