import { isIP } from "node:net"

/**
 * Where names are asked: the machine's own resolver, or these, each as `address` or `address:port`.
 */
export type NameServers = "system" | readonly string[]

/** Reads `system`, or addresses separated by commas, each with a port or without. null: neither. */
export function readNameServers(text: string): NameServers | null {
  if (text === "system") return "system"
  const servers = text.split(",").map((part) => part.trim())
  return servers.every(isNameServer) ? servers : null
}

// An address of version 6 stands in brackets where a port follows. Names are refused: who would
// resolve them?
function isNameServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false
  if (bracketed !== undefined) return isIP(bracketed) === 6
  return isIP(plain ?? "") === 4 || isIP(text) === 6
}
