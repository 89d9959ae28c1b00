import process from "node:process"

/**
 * The number of the user this program runs as; null where users have none. A container's may have
 * no name.
 */
export function ownUser(): number | null {
  return process.geteuid?.() ?? null
}
