import {
  type AuditHead,
  type AuditRow,
  CHAIN_START,
  isSame,
  rowMac,
  type SealedHead,
} from "./audit-chain.ts"
import {
  AUDIT_CHAINED,
  type AuditEnds,
  type AuditLink,
  type AuditRecords,
  cutStart,
} from "./records-audit.ts"

/** What is wrong with the audit trail, and at which entry. */
export interface AuditFault {
  readonly row: number
  readonly text: string
}

export interface AuditReport {
  readonly rows: number
  /** The newest entry, and 0 where there is none. */
  readonly last: number
  /** Entries up to this one were lawfully removed; 0: none were. */
  readonly cutThrough: number
  /** Entries up to this one were chained later than they were written; 0: none were. */
  readonly chainedThrough: number
  /** The newest head outside of the database that the trail agrees with. */
  readonly provenBy: SealedHead | null
  /** The first of them. */
  readonly faults: readonly AuditFault[]
  readonly faultCount: number
}

type Links = Pick<AuditRecords, "auditLinks" | "auditEnds">

const PAGE = 1_000
const FAULTS_MAX = 100

/** Reads the whole trail, in pages, and compares it with itself and with heads kept elsewhere. */
export async function verifyAudit(
  records: Links,
  key: Uint8Array,
  heads: readonly SealedHead[],
  onProgress: (row: number) => void = () => undefined,
): Promise<AuditReport> {
  for (;;) {
    const before = await records.auditEnds()
    const report = await verifyOnce(records, before, key, heads, onProgress)
    // Entries that are removed while they are read look like a fault: then all is read again.
    if (report.faultCount === 0 || (await records.auditEnds()).cutBy === before.cutBy) return report
  }
}

async function verifyOnce(
  records: Links,
  { cutBy }: AuditEnds,
  key: Uint8Array,
  heads: readonly SealedHead[],
  onProgress: (row: number) => void,
): Promise<AuditReport> {
  const faults: AuditFault[] = []
  let faultCount = 0
  const fault = (row: number, text: string): void => {
    if (++faultCount <= FAULTS_MAX) faults.push({ row, text })
  }

  const start = await startOf(records, { cutBy })
  const chain = openChain(key, start, fault)
  const compare = openHeads(heads, start.seq, fault)
  let [rows, chainedThrough] = [0, 0]
  /** Returns whether the rest can be read, as far as it is there. */
  const readOn = async (): Promise<boolean> => {
    for (;;) {
      const { links, damaged } = await readPage(records, chain.last().seq)
      for (const link of links) {
        // Rows come in the order of their numbers, unless the file is damaged: then where would one
        // read on?
        if (link.id <= chain.last().seq) {
          fault(link.id, `entry ${link.id} is not where it was written`)
          return false
        }
        chain.add(link)
        compare.add(link)
        rows++
        if (link.action === AUDIT_CHAINED) chainedThrough = link.id - 1
      }
      onProgress(chain.last().seq)
      if (damaged) fault(chain.last().seq + 1, `entry ${chain.last().seq + 1} cannot be read`)
      if (damaged || links.length < PAGE) return !damaged
    }
  }
  let readable = await readOn()
  // Read after the rows, so that there may be more of them by now and never fewer.
  let { head } = await records.auditEnds()
  if (head !== null && head.seq > chain.last().seq && readable) readable = await readOn()
  if (head !== null && head.seq < chain.last().seq) ({ head } = await records.auditEnds())
  if (readable) compareEnd(chain.last(), head, fault)
  return {
    rows,
    last: rows === 0 ? 0 : chain.last().seq,
    cutThrough: start.seq,
    chainedThrough,
    provenBy: compare.end(readable ? chain.last().seq : Infinity),
    faults: faults.toSorted((one, other) => one.row - other.row),
    faultCount,
  }
}

/** The next entries, up to the first that the engine cannot read. */
async function readPage(
  records: Links,
  after: number,
): Promise<{ links: AuditLink[]; damaged: boolean }> {
  try {
    return { links: await records.auditLinks({ after, limit: PAGE }), damaged: false }
  } catch (error) {
    // Where nothing at all can be read, no entry is to blame.
    await records.auditEnds().catch(() => {
      throw error
    })
  }
  const links: AuditLink[] = []
  for (;;) {
    const last = links.at(-1)?.id ?? after
    const [next] = await records.auditLinks({ after: last, limit: 1 }).catch(() => [])
    if (next === undefined) return { links, damaged: true }
    links.push(next)
  }
}

/** What the oldest entry is chained to. The entry that says so is proven with all others. */
export async function startOf(
  records: Links,
  { cutBy }: Pick<AuditEnds, "cutBy">,
): Promise<AuditHead> {
  if (cutBy === null) return CHAIN_START
  const [said] = await records.auditLinks({ after: cutBy - 1, limit: 1 })
  return (said?.id === cutBy ? cutStart(said) : null) ?? CHAIN_START
}

type Tell = (row: number, text: string) => void

function openChain(
  key: Uint8Array,
  start: AuditHead,
  fault: Tell,
): { add(link: AuditLink): void; last(): AuditHead } {
  let last = start
  /** The proof that the row before should have had, where it has another. */
  let shouldBe: Uint8Array | null = null
  return {
    last: () => last,
    add(link) {
      const mac = isBytes(link.mac) ? link.mac : new Uint8Array()
      const follows = (previous: Uint8Array): Uint8Array => rowMac(key, previous, link)
      const expected = follows(last.mac)
      const repaired = shouldBe !== null && isSame(follows(shouldBe), mac)
      if (isSame(expected, mac) || repaired) shouldBe = null
      else if (link.id > last.seq + 1) {
        fault(last.seq + 1, missing(last.seq + 1, link.id - 1))
        shouldBe = null
      } else {
        fault(link.id, `entry ${link.id} is not as it was written, or not where it was written`)
        shouldBe = expected
      }
      last = { seq: link.id, mac }
    },
  }
}

/** SQLite gives what it finds, also where a damaged file has another type. */
function isBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array
}

function missing(from: number, through: number): string {
  return from === through ? `entry ${from} is missing` : `entries ${from} to ${through} are missing`
}

/** Compares entries with the heads that were written outside of the database. */
function openHeads(
  heads: readonly SealedHead[],
  startSeq: number,
  fault: Tell,
): { add(row: AuditRow & Pick<AuditLink, "mac">): void; end(last: number): SealedHead | null } {
  const bySeq = new Map<number, SealedHead>()
  for (const head of heads) {
    // A backup that was put back gave up what came after it.
    if (head.kind === "restored")
      for (const seq of [...bySeq.keys()]) if (seq > head.seq) bySeq.delete(seq)
    const known = bySeq.get(head.seq)
    if (known === undefined || isSame(known.mac, head.mac)) bySeq.set(head.seq, head)
    else fault(head.seq, `there are two heads for entry ${head.seq}: the trail has forked there`)
  }
  bySeq.delete(0)
  let provenBy: SealedHead | null = null
  return {
    add({ id, mac }) {
      const head = bySeq.get(id)
      if (head === undefined) return
      if (isBytes(mac) && isSame(head.mac, mac)) provenBy = head
      else fault(id, `entry ${id} is not the one that was there at ${timeOf(head)}`)
    },
    end(last) {
      let newest: SealedHead | null = null
      for (const head of bySeq.values())
        if (head.seq > Math.max(last, startSeq) && head.seq > (newest?.seq ?? 0)) newest = head
      if (newest !== null)
        fault(
          last + 1,
          `${missing(last + 1, newest.seq)}: at ${timeOf(newest)} the trail went up to ${newest.seq}`,
        )
      return provenBy
    },
  }
}

function timeOf({ at }: SealedHead): string {
  return new Date(at).toISOString()
}

function compareEnd(last: AuditHead, head: AuditHead | null, fault: Tell): void {
  if (head === null) fault(last.seq, "the head of the trail in the database is gone or unreadable")
  else if (head.seq > last.seq) fault(last.seq + 1, missing(last.seq + 1, head.seq))
  else if (head.seq < last.seq || !isSame(head.mac, last.mac))
    fault(last.seq, `the head of the trail in the database is not that of entry ${last.seq}`)
}
