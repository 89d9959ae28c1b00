import { isLearnableAddress } from "../lists/learnable-servers.ts"
import type { NameService } from "./name-service.ts"
import type { Answer } from "./probe.ts"

/** Where a mail server is. */
export interface MailAddresses extends Answer {
  readonly addresses: readonly string[]
}

/** A server may have many; this bounds what is compared. */
const ADDRESSES_MAX = 8

/**
 * The public IPv4 addresses of a mail server: hosts that are made by the hundred share them,
 * whatever their servers' names.
 */
export async function mailAddresses(names: NameService, server: string): Promise<MailAddresses> {
  const found = (await names.a(server)) ?? []
  return {
    status: "answered",
    addresses: found.filter(isLearnableAddress).sort().slice(0, ADDRESSES_MAX),
  }
}
