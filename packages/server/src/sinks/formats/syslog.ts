import { findingOf, type Severity, type SunkEvent } from "./finding.ts"

/** Facility 13 of RFC 5424: log audit. */
const FACILITY = 13
const SEVERITIES: Readonly<Record<Severity, number>> = {
  informational: 6,
  low: 5,
  medium: 4,
  high: 3,
  critical: 2,
}
/** What RFC 5424 has for a member that is not there. */
const NIL = "-"
const HOST_MAX = 255
const MESSAGE_ID_MAX = 32

/** A message of RFC 5424 about an event; `text` is what it says, in a format of its own. */
export function syslogMessage(
  event: SunkEvent,
  { host, pid }: { readonly host: string; readonly pid: number },
  text: string,
): string {
  const { severity } = findingOf(event)
  const priority = FACILITY * 8 + SEVERITIES[severity]
  const [from, id] = [printable(host, HOST_MAX), printable(event.type, MESSAGE_ID_MAX)]
  return `<${priority}>1 ${event.timestamp} ${from} assay ${pid} ${id} ${NIL} ${text}`
}

/** Frames a message by its length in octets, as RFC 5425 has it, so that it may hold anything. */
export function framed(message: string): Buffer {
  const bytes = Buffer.from(message)
  return Buffer.concat([Buffer.from(`${bytes.length} `), bytes])
}

function printable(text: string, max: number): string {
  const kept = text.replaceAll(/[^\x21-\x7e]/g, "").slice(0, max)
  return kept === "" ? NIL : kept
}
