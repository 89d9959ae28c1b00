import type { SinkState } from "@assay/client"

/** What each kind of receiver is called. */
const kinds: Readonly<Record<string, string>> = {
  splunk: "Splunk",
  elastic: "Elasticsearch",
  sentinel: "Microsoft Sentinel",
  http: "HTTP",
  syslog: "Syslog",
  file: "File",
  stdout: "Standard output",
}

export const kindWords = (kind: string): string => kinds[kind] ?? kind

/** What went wrong and whom it concerns, by the code of a fault. */
const faults: Readonly<Record<string, string>> = {
  "not-reached": "Nobody takes connections there.",
  "name-not-found": "Its name was not found.",
  "timed-out": "It did not answer in time.",
  "cut-off": "It hung up before it had taken all.",
  "tls-failed": "Its certificate is not trusted, or it does not speak TLS.",
  "answered-401": "It does not take the credentials of the settings.",
  "answered-403": "The credentials of the settings do not allow it.",
  "answered-413": "It takes less at once; smaller batches are sent.",
  "answered-429": "It has too much to do.",
  "answered-503": "It has too much to do, or is being started.",
  "answer-not-understood": "Something else answers there.",
  "no-acknowledgement": "Acknowledgement is switched off for its token.",
  "not-acknowledged": "Its indexers did not take the events in time.",
  "file-of-another": "The file is not one of lines of events; nothing was written to it.",
  enospc: "Its disk is full.",
  eacces: "The service may not write there.",
}

export function faultWords(code: string): string {
  const known = faults[code]
  if (known !== undefined) return known
  const [, of, status] = /^(document-)?answered-(\d+)$/.exec(code) ?? []
  if (status === undefined) return `It failed: ${code.replaceAll("-", " ")}.`
  return of === undefined ? `It answered ${status}.` : `It refused an event with ${status}.`
}

/** How a sink is, as words of a state have it. */
export function standing(of: SinkState): "sound" | "waiting" | "fault" {
  if (of.fault !== null) return "fault"
  return of.last_taken_at === null ? "waiting" : "sound"
}
