/**
 * Reads the base of a provider's URLs, with a slash at its end. null: nothing may be sent there.
 */
export function readBaseUrl(text: string): string | null {
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const safe = url.protocol === "https:" || isPlainLoopback(url)
  if (!safe || url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    return null
  return url.href.endsWith("/") ? url.href : `${url.href}/`
}

/** Unencrypted, but not visible outside this machine. */
export function isPlainLoopback({ protocol, hostname }: URL): boolean {
  if (protocol !== "http:") return false
  return hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d+){3}$/.test(hostname)
}
