/** Whose a row is that a stranger has made: network and block as keyed hashes, so that the busiest can be found and nobody named. */
import { clientParty } from "../../../core/connection/client-network.ts";
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
