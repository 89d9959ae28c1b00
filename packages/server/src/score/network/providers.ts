import { isIP } from "node:net"
import type { NameServers } from "./name-service.ts"

/** Reads `system`, or addresses separated by commas, each with a port or without. null: neither. */
export function readNameServers(text: string): NameServers | null {
  if (text === "system") return "system"
  const servers = text.split(",").map((part) => part.trim())
  return servers.every(isNameServer) ? servers : null
}

// An address of version 6 stands in brackets where a port follows. Names are refused: who would resolve them?
function isNameServer(text: string): boolean {
  const [, bracketed, plain, port] = /^(?:\[(.*)\]|([^:]*))(?::(\d{1,5}))?$/.exec(text) ?? []
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return false
  if (bracketed !== undefined) return isIP(bracketed) === 6
  return isIP(plain ?? "") === 4 || isIP(text) === 6
}

/** Reads the base of a registry's URLs, with a slash at its end. null: not one that domains may be sent to. */
export function readRegistryUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const safe = url.protocol === "https:" || isPlainLoopback(url)
  if (!safe || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return null
  return url.href.endsWith("/") ? url.href : `${url.href}/`
}

/** Unencrypted, but seen by nobody outside this machine. */
export function isPlainLoopback({ protocol, hostname }: URL): boolean {
  if (protocol !== "http:") return false
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)
}
