/** Why a port could not be listened on, in a sentence for whoever starts the service; null for any other fault. */
export function listenFault(error: unknown, port: number): string | null {
  const { code, address } = error as { readonly code?: unknown; readonly address?: unknown }
  const where = typeof address === "string" ? address : "this machine"
  if (code === "EADDRINUSE")
    return `Port ${port} is taken on ${where}; stop what listens there, or set PORT to another port`
  if (code === "EACCES")
    return `This user may not listen on port ${port}; set PORT to one of 1024 or more`
  if (code === "EADDRNOTAVAIL") return `HOST names ${where}, which is no address of this machine`
  return null
}
