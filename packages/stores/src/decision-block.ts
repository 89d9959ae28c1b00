import { hasRequestTag, timeOfDecisionId } from "./decision-id.ts"
import type { Search } from "./decision-search.ts"
import { readShadow, SHADOW_LENGTH_MAX, shadowText } from "./decision-shadow.ts"
import { type Decision, DECISION_FORMAT, ERASED_FORMAT } from "./decisions.ts"

/**
 * Some decisions in the order of their ids, as both engines hold them: a row for all of them costs
 * a tenth of a row for each. Blocks of a month never overlap, so the block of an id is the last one
 * that begins at or before it.
 */
export interface Block extends BlockHead {
  /**
   * The input documents: the length in bytes of each, as a little-endian u32, then all of them.
   * One of `SHADOWED_FORMAT` is followed by a tab and the shadow, which its length takes in.
   */
  readonly inputs: Uint8Array
}

/** What a search reads. */
export interface BlockHead {
  /** The ids of the first and the last decision. */
  readonly first: string
  readonly last: string
  /** JSON: a `Caller` for every pair of tenant and key that occurs. */
  readonly callers: string
  /** JSON: an `Outcome` for every combination that occurs, and then `pairsIn` as one string. */
  readonly outcomes: string
  /** A bit for every class of scores that occurs, see `scoreBits`. */
  readonly scores: number
  /**
   * Column after column: the 16 bytes of each identity's key, the 30 characters of each id, a byte
   * for each score, and a byte each for its place in `callers` and in `outcomes`.
   */
  readonly facts: Uint8Array
}

type Caller = readonly [tenantId: number | null, keyId: string]
type Outcome = readonly [
  identityType: Decision["identityType"],
  stage: string | null,
  action: string,
  /** Once more, so that every two of the first three stand side by side, see `textsOf`. */
  sameType: Decision["identityType"],
  confidence: string | null,
  modelVersion: string,
  calibration: string | null,
  format: number,
]

/**
 * In an outcome: a decision of `DECISION_FORMAT` with a shadow behind its input. A program that
 * knows none takes it for one of a newer program, which it is.
 */
const SHADOWED_FORMAT = 2

const ID_LENGTH = 30
/** Of an identity's key. */
export const IDENTITY_BYTES = 16
/** Bytes of `facts` a decision. */
export const FACT_BYTES = IDENTITY_BYTES + ID_LENGTH + 3
const LENGTH_BYTES = 4

/**
 * A block with this many decisions, or inputs of this length, is full. A service that decides once
 * a second writes its last block anew each second, so blocks are small.
 */
const DECISIONS_MAX = 128
const INPUTS_MAX = 64 * 1024
/** How much longer a block may become by decisions that come late, before it is cut in parts. */
const LATE = 1.5

export function isFull({ facts, inputs }: { facts: number; inputs: number }): boolean {
  return facts >= DECISIONS_MAX * FACT_BYTES || inputs >= INPUTS_MAX
}

/** Decisions in the order of ids, as full blocks and a last one with the rest. */
export function fullBlocks(decisions: readonly Decision[]): Block[] {
  const blocks: Block[] = []
  for (let from = 0; from < decisions.length;) {
    let to = from
    let length = 0
    while (to < decisions.length && to - from < DECISIONS_MAX && length < INPUTS_MAX)
      length += decisions[to++]?.input.length ?? 0
    blocks.push(blockOf(decisions.slice(from, to)))
    from = to
  }
  return blocks
}

/** Decisions in the order of ids, as blocks that have room for those that come between them. */
export function evenBlocks(decisions: readonly Decision[]): Block[] {
  const length = decisions.reduce((sum, { input }) => sum + input.length, 0)
  const fullness = Math.max(decisions.length / DECISIONS_MAX, length / INPUTS_MAX)
  const parts = Math.ceil(fullness / LATE)
  const size = Math.ceil(decisions.length / parts)
  const blocks: Block[] = []
  // One input may be longer than all others, and a place in a block is a byte: parts are cut again.
  for (let from = 0; from < decisions.length; from += Math.min(size, DECISIONS_MAX * LATE))
    blocks.push(blockOf(decisions.slice(from, from + Math.min(size, DECISIONS_MAX * LATE))))
  return blocks
}

let scratch = Buffer.allocUnsafeSlow(INPUTS_MAX * 2)

/** As one block, however long it becomes. */
export function blockOf(decisions: readonly Decision[]): Block {
  const count = decisions.length
  const facts = Buffer.alloc(count * FACT_BYTES)
  const at = columnsOf(count)
  const callers: Caller[] = []
  const outcomes: Outcome[] = []
  const parts: number[] = []
  let ids = ""
  let scores = 0
  let room = count * LENGTH_BYTES
  // A character of a string takes at most three bytes.
  for (const { input, shadow } of decisions)
    room += (input.length + (shadow === null ? 0 : SHADOW_LENGTH_MAX)) * 3
  if (room > scratch.length) scratch = Buffer.allocUnsafeSlow(room)
  let end = count * LENGTH_BYTES
  for (let n = 0; n < count; n++) {
    const d = decisions[n] as Decision
    facts.set(d.identityKey, n * IDENTITY_BYTES)
    ids += d.id
    facts[at.scores + n] = d.score
    scores |= scoreBits(d.score, d.score)
    facts[at.callers + n] = placeOfCaller(callers, d)
    const outcome = placeOfOutcome(outcomes, d)
    facts[at.outcomes + n] = outcome
    parts[outcome] = (parts[outcome] ?? 0) | (1 << partOf(d.score))
    let length = scratch.write(d.input, end)
    if (d.shadow !== null) length += scratch.write(`\t${shadowText(d.shadow)}`, end + length)
    scratch.writeUInt32LE(length, n * LENGTH_BYTES)
    end += length
  }
  facts.write(ids, at.ids, "latin1")
  return {
    first: decisions[0]?.id ?? "",
    last: decisions[count - 1]?.id ?? "",
    callers: JSON.stringify(callers),
    outcomes: JSON.stringify([...outcomes, pairsIn(outcomes, parts)]),
    scores,
    facts,
    inputs: Uint8Array.prototype.slice.call(scratch, 0, end),
  }
}

/** Where the caller of a decision stands among those that differ. */
function placeOfCaller(callers: Caller[], d: Decision): number {
  for (let n = 0; n < callers.length; n++) {
    const [tenantId, keyId] = callers[n] as Caller
    if (tenantId === d.tenantId && keyId === d.keyId) return n
  }
  return callers.push([d.tenantId, d.keyId]) - 1
}

/** A few are compared in less time than a map takes to find one by all its members. */
function placeOfOutcome(outcomes: Outcome[], d: Decision): number {
  const format = storedFormat(d)
  for (let n = 0; n < outcomes.length; n++) {
    const one = outcomes[n] as Outcome
    if (
      one[1] === d.stage &&
      one[2] === d.action &&
      one[4] === d.confidence &&
      one[0] === d.identityType &&
      one[5] === d.modelVersion &&
      one[6] === d.calibration &&
      one[7] === format
    )
      return n
  }
  return outcomes.push(outcomeOf(d, format)) - 1
}

/**
 * Every kind, stage and action with a part of the scores it occurs with, such as `|block3|`: by
 * these a search for both leaves out blocks that have each, and never in one decision. Blocks of
 * before have none.
 */
function pairsIn(outcomes: readonly Outcome[], parts: readonly number[]): string {
  const pairs = new Set<string>()
  outcomes.forEach(([identityType, stage, action], place) => {
    for (let part = 0; part <= PART_BORDERS.length; part++) {
      if (((parts[place] ?? 0) & (1 << part)) === 0) continue
      pairs.add(`${identityType}${part}`).add(`${action}${part}`)
      if (stage !== null) pairs.add(`${stage}${part}`)
    }
  })
  return `|${[...pairs].join("|")}|`
}

/** Where scores are cut in parts: where bands begin, so that one is never two parts. */
const PART_BORDERS = [25, 60, 80]

function partOf(score: number): number {
  let part = 0
  while (part < PART_BORDERS.length && score >= (PART_BORDERS[part] ?? 0)) part++
  return part
}

function storedFormat({ format, shadow }: Decision): number {
  return shadow === null ? format : SHADOWED_FORMAT
}

function outcomeOf(d: Decision, format: number): Outcome {
  const { identityType, stage, action, confidence, modelVersion, calibration } = d
  return [identityType, stage, action, identityType, confidence, modelVersion, calibration, format]
}

interface Columns {
  readonly ids: number
  readonly scores: number
  readonly callers: number
  readonly outcomes: number
}

function columnsOf(count: number): Columns {
  const ids = count * IDENTITY_BYTES
  const scores = ids + count * ID_LENGTH
  return { ids, scores, callers: scores + count, outcomes: scores + 2 * count }
}

/** The bits of `scores` for these: classes of five, so that bands begin and end at one's border. */
export function scoreBits(lowest: number, highest: number): number {
  let bits = 0
  for (let each = classOf(lowest); each <= classOf(highest); each++) bits |= 1 << each
  return bits
}

function classOf(score: number): number {
  return Math.min(20, Math.max(0, Math.floor(score / 5)))
}

/** In the `outcomes` of every block with pairs, see `pairsIn`. */
export const PAIRS = '"|'

type Filtered = Pick<Search, "tenantId" | "identityType" | "stage" | "action" | "scores">

/**
 * Texts that a block's `callers` and `outcomes` have if any decision in it passes: an engine leaves
 * out most blocks by them without reading more. Of each of `pairs` it has one, if it has `PAIRS`.
 */
export function textsOf(filter: Filtered): {
  callers: string[]
  outcomes: string[]
  pairs: string[][]
} {
  const { tenantId, identityType, stage, action, scores } = filter
  const words =
    identityType !== undefined && stage === undefined
      ? [action, identityType]
      : [identityType, stage, action]
  const given = words.filter((word) => word !== undefined).map((word) => JSON.stringify(word))
  return {
    callers: tenantId === undefined ? [] : [`[${tenantId},`],
    outcomes: given.length === 0 ? [] : [`${given.join(",")},`],
    pairs: scores === undefined ? [] : pairsWith(scores, [identityType, stage, action]),
  }
}

function pairsWith(
  [lowest, highest]: NonNullable<Search["scores"]>,
  words: readonly (string | undefined)[],
): string[][] {
  const parts: number[] = []
  for (let each = partOf(lowest); each <= partOf(highest); each++) parts.push(each)
  return words
    .filter((word) => word !== undefined)
    .map((word) => parts.map((part) => `|${word}${part}|`))
}

/** Places of the decisions that pass, in the order of ids. */
export function passing(head: BlockHead, filter: Search): number[] {
  const { facts } = head
  const { after, before, identityKey, requestTag } = filter
  // Hardly a block has it, and looking for its characters is all that the others cost.
  if (requestTag !== undefined && !bufferOf(facts).includes(requestTag, idsAt(facts), "latin1"))
    return []
  const places = passingByEnds(head, facts.subarray(endsAt(facts.length)), filter)
  if (isToldByEnds(head, filter)) return places
  const ids = idsIn(head)
  return places.filter((n) => {
    const id = ids[n] ?? ""
    if (!(id > after && id < before)) return false
    if (requestTag !== undefined && !hasRequestTag(id, requestTag)) return false
    return identityKey === undefined || sameKey(facts, n, identityKey)
  })
}

/** Bytes a decision of the last three columns of `facts`, which stand together. */
export const END_BYTES = 3

function idsAt(facts: Uint8Array): number {
  return (facts.length / FACT_BYTES) * IDENTITY_BYTES
}

function endsAt(factsLength: number): number {
  return (factsLength / FACT_BYTES) * (FACT_BYTES - END_BYTES)
}

/** Whether the ends of a block's facts tell which of its decisions pass. */
export function isToldByEnds(
  { first, last }: Pick<BlockHead, "first" | "last">,
  { after, before, identityKey, requestTag }: Search,
): boolean {
  const needsIds = identityKey !== undefined || requestTag !== undefined
  return !needsIds && first > after && last < before
}

/** Places of the decisions that pass, whatever their ids are and whomever they are about. */
export function passingByEnds(
  head: Pick<BlockHead, "callers" | "outcomes">,
  ends: Uint8Array,
  filter: Search,
): number[] {
  const count = ends.length / END_BYTES
  const { tenantId, scores = [0, 255] } = filter
  const outcomes = (JSON.parse(head.outcomes) as (Outcome | string)[]).map(
    (each) => typeof each !== "string" && passes(each, filter),
  )
  if (!outcomes.includes(true)) return []
  const callers =
    tenantId === undefined
      ? null
      : (JSON.parse(head.callers) as Caller[]).map(([tenant]) => tenant === tenantId)
  const places: number[] = []
  for (let n = 0; n < count; n++) {
    if (outcomes[ends[2 * count + n] ?? 0] !== true) continue
    if (callers !== null && callers[ends[count + n] ?? 0] !== true) continue
    const score = ends[n] ?? 0
    if (score < scores[0] || score > scores[1]) continue
    places.push(n)
  }
  return places
}

/**
 * Calls with the outcome of each decision of a tenant, from one id and before another, that was not
 * erased.
 */
export function countIn(
  head: Omit<BlockHead, "scores">,
  { tenantId, from, before }: { tenantId: number; from: string; before: string },
  count: (one: Pick<Decision, "identityType" | "stage" | "action" | "score">) => void,
): void {
  const { facts } = head
  const total = facts.length / FACT_BYTES
  const at = columnsOf(total)
  const callers = (JSON.parse(head.callers) as Caller[]).map(([tenant]) => tenant === tenantId)
  const outcomes = JSON.parse(head.outcomes) as Outcome[]
  const ids = head.first >= from && head.last < before ? null : idsIn(head)
  for (let n = 0; n < total; n++) {
    if (callers[facts[at.callers + n] ?? 0] !== true) continue
    if (ids !== null && !((ids[n] ?? "") >= from && (ids[n] ?? "") < before)) continue
    const [identityType, stage, action, , , , , format] = outcomes[
      facts[at.outcomes + n] ?? 0
    ] as Outcome
    if (format === ERASED_FORMAT) continue
    count({ identityType, stage, action, score: facts[at.scores + n] ?? 0 })
  }
}

function passes([identityType, stage, action, , , , , format]: Outcome, filter: Search): boolean {
  return (
    (filter.erased || format !== ERASED_FORMAT) &&
    (filter.identityType === undefined || filter.identityType === identityType) &&
    (filter.stage === undefined || filter.stage === stage) &&
    (filter.action === undefined || filter.action === action)
  )
}

function sameKey(facts: Uint8Array, place: number, key: Uint8Array): boolean {
  if (key.length !== IDENTITY_BYTES) return false
  for (let n = 0; n < IDENTITY_BYTES; n++)
    if (facts[place * IDENTITY_BYTES + n] !== key[n]) return false
  return true
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
}

export function idsIn({ facts }: Pick<BlockHead, "facts">): string[] {
  const count = facts.length / FACT_BYTES
  const { ids, scores } = columnsOf(count)
  const text = bufferOf(facts).toString("latin1", ids, scores)
  return Array.from({ length: count }, (_, n) => text.slice(n * ID_LENGTH, (n + 1) * ID_LENGTH))
}

/** The decisions of a block, all of them or those at some places. */
export function decisionsOf(block: Block, places?: readonly number[]): Decision[] {
  const facts = bufferOf(block.facts)
  const inputs = bufferOf(block.inputs)
  const count = facts.length / FACT_BYTES
  const at = columnsOf(count)
  const callers = JSON.parse(block.callers) as Caller[]
  const outcomes = JSON.parse(block.outcomes) as Outcome[]
  const ends = inputEnds(inputs, count)
  const ids = idsIn(block)
  return (places ?? ids.map((_, n) => n)).map((n) => {
    const id = ids[n] as string
    const [tenantId, keyId] = callers[facts[at.callers + n] ?? 0] as Caller
    const outcome = outcomes[facts[at.outcomes + n] ?? 0] as Outcome
    const [identityType, stage, action, , confidence, modelVersion, calibration, format] = outcome
    const key = new Uint8Array(facts.subarray(n * IDENTITY_BYTES, (n + 1) * IDENTITY_BYTES))
    return {
      id,
      at: timeOfDecisionId(id),
      tenantId,
      keyId,
      identityType,
      identityKey: format === ERASED_FORMAT ? new Uint8Array() : key,
      modelVersion,
      calibration,
      score: facts[at.scores + n] ?? 0,
      stage,
      confidence,
      action,
      ...documentsOf(inputs.toString("utf8", ends[n], ends[n + 1]), format),
    }
  })
}

/** The input document, which no tab is in, and the shadow behind it. */
function documentsOf(text: string, format: number): Pick<Decision, "input" | "format" | "shadow"> {
  const tab = format === SHADOWED_FORMAT ? text.lastIndexOf("\t") : -1
  if (tab < 0) return { input: text, format, shadow: null }
  const shadow = readShadow(text.slice(tab + 1))
  return { input: text.slice(0, tab), format: DECISION_FORMAT, shadow }
}

/** Where each input ends, after where the first one begins. */
function inputEnds(inputs: Buffer, count: number): number[] {
  const ends = [count * LENGTH_BYTES]
  for (let n = 0; n < count; n++) ends.push((ends[n] ?? 0) + inputs.readUInt32LE(n * LENGTH_BYTES))
  return ends
}

/** Calls with the place in `facts` of each identity's key; an erased decision has none. */
export function eachIdentity(facts: Uint8Array, visit: (at: number) => void): void {
  const end = (facts.length / FACT_BYTES) * IDENTITY_BYTES
  for (let at = 0; at < end; at += IDENTITY_BYTES) if (!isErased(facts, at)) visit(at)
}

/**
 * The keys of decisions from one id and before another that were not erased, one after the other.
 */
export function keysIn(
  { first, last, facts }: Pick<BlockHead, "first" | "last" | "facts">,
  { from, before }: { readonly from: string; readonly before: string },
): Uint8Array {
  const ids = first >= from && last < before ? null : idsIn({ facts })
  const keys = Buffer.allocUnsafe((facts.length / FACT_BYTES) * IDENTITY_BYTES)
  let end = 0
  eachIdentity(facts, (at) => {
    const id = ids === null ? from : (ids[at / IDENTITY_BYTES] ?? "")
    if (id < from || id >= before) return
    for (let byte = 0; byte < IDENTITY_BYTES; byte++) keys[end++] = facts[at + byte] as number
  })
  return keys.subarray(0, end)
}

function isErased(facts: Uint8Array, keyAt: number): boolean {
  for (let byte = 0; byte < IDENTITY_BYTES; byte++) if (facts[keyAt + byte] !== 0) return false
  return true
}
