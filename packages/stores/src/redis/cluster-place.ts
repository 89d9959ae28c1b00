/** Where a cluster is and how to be let in. */
export interface ClusterPlace {
  /** Some of its nodes; the others are learnt from these. */
  readonly nodes: readonly { readonly host: string; readonly port: number }[]
  readonly tls: boolean
  readonly username: string | null
  readonly password: string | null
}

const PORT = 6379

/**
 * Reads `redis://` or `rediss://` URLs separated by commas; null where they cannot be used. They
 * are nodes of one cluster, so all are reached in the same way: one scheme, and one user and
 * password, which the first may give for all.
 */
export function readClusterPlace(text: string): ClusterPlace | null {
  const urls = text.split(",").map((part) => URL.parse(part.trim()))
  const [first] = urls
  if (first === null || first === undefined) return null
  if (!isDecodable(first.username) || !isDecodable(first.password)) return null
  const nodes: { host: string; port: number }[] = []
  for (const url of urls) {
    if (url === null || !isNode(url) || url.protocol !== first.protocol) return null
    if (!isAdmittedAs(url, first)) return null
    nodes.push({
      host: url.hostname.replace(/^\[(.*)\]$/, "$1"),
      port: url.port === "" ? PORT : Number(url.port),
    })
  }
  return {
    nodes,
    tls: first.protocol === "rediss:",
    username: decoded(first.username),
    password: decoded(first.password),
  }
}

function isNode({ protocol, hostname, pathname, search, hash }: URL): boolean {
  const bare = (pathname === "" || pathname === "/") && search === "" && hash === ""
  return (protocol === "redis:" || protocol === "rediss:") && hostname !== "" && bare
}

/** Stray percent signs are left in place by URL and refused here. */
function isDecodable(part: string): boolean {
  try {
    decodeURIComponent(part)
    return true
  } catch {
    return false
  }
}

function isAdmittedAs(url: URL, first: URL): boolean {
  if (url.username === "" && url.password === "") return true
  return url.username === first.username && url.password === first.password
}

function decoded(part: string): string | null {
  return part === "" ? null : decodeURIComponent(part)
}
