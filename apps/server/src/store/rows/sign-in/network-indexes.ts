/**
 * Keyed hashes of the client's network and address block, for rows created without a sign-in: the networks with the
 * most rows can be found, but no address can be read.
 */
import { clientParty } from "../../../limits/party.ts";
import type { ServerKeys } from "../../sealing/server-keys.ts";

export interface NetworkIndexes {
  network_index: Buffer;
  block_index: Buffer;
}

export function networkIndexes(keys: Pick<ServerKeys, "hmac">, clientAddress: string): NetworkIndexes {
  const { network, block } = clientParty(clientAddress);
  return {
    network_index: keys.hmac("abuse", `network ${network}`),
    block_index: keys.hmac("abuse", `block ${block}`),
  };
}
