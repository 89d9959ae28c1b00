/** Where lines for a log server are sent to. */
export interface SyslogTarget {
  readonly protocol: "udp" | "tcp"
  readonly host: string
  readonly port: number
}

const PORT = 514

/** Reads `udp://HOST:PORT` or `tcp://HOST:PORT`; null where it is neither. */
export function readSyslogTarget(text: string): SyslogTarget | null {
  const url = URL.parse(text)
  if (url === null || (url.protocol !== "udp:" && url.protocol !== "tcp:")) return null
  const { protocol, hostname, port, username, password, pathname, search, hash } = url
  if (hostname === "" || username + password + search + hash !== "" || !/^\/?$/.test(pathname))
    return null
  return {
    protocol: protocol === "udp:" ? "udp" : "tcp",
    host: hostname.replace(/^\[(.*)\]$/, "$1"),
    port: port === "" ? PORT : Number(port),
  }
}
