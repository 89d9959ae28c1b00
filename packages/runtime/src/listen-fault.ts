/** The settings that name a port to listen on. */
type PortSetting = "PORT" | "DROP_PORT" | "ASSAY_METRICS_PORT" | "ASSAY_NODE_PORT"

/**
 * Why a port could not be listened on, in a sentence for the person who starts the service; null
 * for any other fault.
 */
export function listenFault(error: unknown, setting: PortSetting): string | null {
  const { code, address, port } = error as Partial<Record<"code" | "address" | "port", unknown>>
  // A socket in a folder has none, and no setting would mend it.
  if (typeof port !== "number") return null
  const where = typeof address === "string" ? address : "this machine"
  if (code === "EADDRINUSE")
    return `Port ${port} is taken on ${where}; stop what listens there, or set ${setting} to another port`
  if (code === "EACCES")
    return `This user may not listen on port ${port}; set ${setting} to one of 1024 or more`
  if (code === "EADDRNOTAVAIL") return `HOST names ${where}, which is no address of this machine`
  return null
}
