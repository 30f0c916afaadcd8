import { crc32 } from 'node:zlib'

export type Json = string | number | boolean | null | readonly Json[] | JsonObject
export type JsonObject = { readonly [name: string]: Json | undefined }

const NEWLINE = 10
/** A file is filled with newlines ahead of what is written. */
const BLANK = Buffer.alloc(4096, NEWLINE)

const VERSIONS = ['1.0', '1.1', '1.2']

interface Candidate {
  readonly at: number
  /** Null when the line is not one: its checksum is wrong, or it has no end. */
  readonly line: JsonObject | null
}

export interface RawDelta {
  readonly path: string
  readonly first: number
  readonly candidates: readonly Candidate[]
}

export interface ReadDelta {
  readonly lines: readonly JsonObject[]
  readonly tornAt: number | null
}

/** The header is checked and gone; what is left are the lines, good and bad, without the blank ones. */
export function readDelta(path: string, bytes: Buffer, first: number): RawDelta {
  const [header, ...candidates] = candidatesOf(bytes)
  const { waybill, version, first_seq } = header?.line ?? {}
  if (
    header?.at !== 0 ||
    waybill !== 'delta' ||
    !VERSIONS.includes(version as string) ||
    first_seq !== first
  ) {
    throw new Error(`${path}: the header is bad`)
  }
  return { path, first, candidates }
}

/** Whole batches only. What comes after them is what a crash cut off, or the file is damaged. */
export function naiveDelta({ path, first, candidates }: RawDelta, isNewest: boolean): ReadDelta {
  const lines: JsonObject[] = []
  let index = 0
  let next = first
  while (index < candidates.length) {
    const batch = batchAt(candidates, index, next)
    if (batch === null) break
    lines.push(...batch)
    index += batch.length
    next = (batch.at(-1) as JsonObject).seq as number
    next += placesOf(batch.at(-1) as JsonObject)
  }
  const rest = candidates.slice(index)
  if (rest.length === 0) return { lines, tornAt: null }
  const isOther = ({ line }: Candidate) => line !== null && batchOf(line)[0] !== next
  if (isNewest && !rest.some(isOther)) return { lines, tornAt: rest[0]?.at ?? null }
  throw new Error(`${path}, byte ${rest[0]?.at}: damaged`)
}

/** The batch that begins there, when it is whole and begins with this seq. */
function batchAt(candidates: readonly Candidate[], index: number, seq: number): JsonObject[] | null {
  const first = candidates[index]?.line
  if (first == null || first.seq !== seq) return null
  const [, count] = batchOf(first)
  const batch: JsonObject[] = []
  let next = seq
  for (let nth = 0; nth < count; nth++) {
    const written = candidates[index + nth]?.line
    if (written == null || written.seq !== next) return null
    const line = wholeLine(batch, written)
    const [of, size, place] = batchOf(line)
    if (of !== seq || size !== count || place !== nth) return null
    batch.push(line)
    next += placesOf(line)
  }
  return batch
}

/** What users gave is said as a whole. */
const SAID_WHOLE = ['payload', 'output', 'input_ref', 'output_ref']

/** A line that says what is different from another one of its batch, as a whole. */
function wholeLine(batch: readonly JsonObject[], line: JsonObject): JsonObject {
  const { like, ...own } = line
  if (like === undefined) return line
  const model = batch.find(({ seq }) => seq === like)
  if (model === undefined) throw new Error(`${line.seq} is like ${like}, which is not there`)
  return laidOver({ ...model, commit: undefined }, own) as JsonObject
}

function laidOver(below: Json | undefined, above: Json | undefined, name = ''): Json | undefined {
  if (above === undefined) return below
  if (SAID_WHOLE.includes(name)) return above
  if (isObject(below) && isObject(above)) {
    const names = new Set([...Object.keys(below), ...Object.keys(above)])
    return Object.fromEntries([...names].map((one) => [one, laidOver(below[one], above[one], one)]))
  }
  const isList = Array.isArray(below) && Array.isArray(above) && below.length === above.length
  if (!isList || ![...below, ...above].every(isObject)) return above
  return above.map((item, nth) => laidOver(below[nth], item) as Json)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** How many seqs a line takes. */
export function placesOf(line: JsonObject): number {
  if (line.event === 'repaired') return (line.until as number) - (line.seq as number) + 1
  if (line.event === undefined || line.event === 'closed') return 1
  return Math.max(
    1,
    entriesOf(line).reduce((sum, entry) => sum + statesOf(entry).length - 1, 0),
  )
}

/** What the first entry of a line does not say. */
const USUAL_ENTRY = {
  doc_id: null,
  old_state: null,
  error_type: null,
  error_message: null,
  traceback: null,
  retry_count: 0,
  duration_seconds: null,
  reason: null,
}

/** The history entries of a line with all their fields. Further ones say what is not as in the first. */
export function entriesOf(line: JsonObject): readonly JsonObject[] {
  if (line.event === undefined) return []
  const { path, nth, id, ...shared } = { ...USUAL_ENTRY, ...line } as JsonObject
  const also = ((line.also ?? []) as readonly JsonObject[]).map((own) => {
    const job_id = own.kind === 'document' ? null : line.job_id
    return { ...shared, job_id, ...own }
  })
  return [{ ...shared, path, nth, id }, ...also].map((entry) => ({ ...entry, id: idOfEntry(entry) }))
}

function idOfEntry({ kind, id, doc_id, job_id, metadata }: JsonObject): Json | undefined {
  if (kind === 'document') return doc_id
  if (id !== undefined) return id
  return kind === 'step' ? `${job_id}/${(metadata as JsonObject).step_id}` : job_id
}

/** Every state of a history entry, the old one first. */
export function statesOf(entry: JsonObject): readonly (string | null)[] {
  return (entry.path ?? [entry.old_state ?? null, entry.new_state ?? null]) as readonly (string | null)[]
}

function batchOf(line: JsonObject): readonly [first: number, lines: number, index: number] {
  return line.batch as unknown as readonly [number, number, number]
}

function candidatesOf(bytes: Buffer): Candidate[] {
  const found: Candidate[] = []
  for (let at = 0; at < bytes.length; ) {
    if (bytes[at] === NEWLINE) {
      at += bytes.subarray(at, at + BLANK.length).equals(BLANK) ? BLANK.length : 1
      continue
    }
    const newline = bytes.indexOf(NEWLINE, at)
    const end = newline === -1 ? bytes.length : newline
    const text = bytes.subarray(at, end)
    // Zeros are where the file grew and what was written there did not come through.
    if (text.some((byte) => byte !== 0)) found.push({ at, line: newline === -1 ? null : checked(text) })
    at = end + 1
  }
  return found
}

/** Of the bytes up to `,"crc":`, eight hexadecimal digits. */
export function checked(text: Buffer): JsonObject | null {
  const end = text.lastIndexOf(',"crc":')
  if (end === -1) return null
  const crc = crc32(text.subarray(0, end)).toString(16).padStart(8, '0')
  if (text.subarray(end).toString('latin1') !== `,"crc":"${crc}"}`) return null
  return JSON.parse(text.toString('utf8')) as JsonObject
}
