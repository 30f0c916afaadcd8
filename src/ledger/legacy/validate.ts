import type { ImportFinding } from '../../core/document/import.ts'
import { FileNotFound } from '../../errors/file-errors.ts'
import { Unsupported } from '../../errors/input-errors.ts'
import type { Progress } from '../../store/progress.ts'
import type { World } from '../../world/world.ts'
import { lineBlocks } from './line-blocks.ts'
import { LinePreparer, type PreparedBlock, type PreparedLine, type TransitionLine } from './prepare-lines.ts'
import { TableTarget } from './table-target.ts'

/** Something about a line of a log that a reader will stumble over. */
export interface LegacyProblem {
  /** From 1. */
  readonly line: number
  /** A warning is known and marked as such. */
  readonly level: 'error' | 'warning'
  readonly what: string
}

export interface ValidateOptions {
  readonly onProgress?: ((progress: Progress) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

/** What is wrong with a migrated log, line by line: as audit records, and as histories of documents. */
export async function* validate(
  world: World,
  file: string,
  { onProgress, signal }: ValidateOptions,
): AsyncGenerator<LegacyProblem> {
  const reader = await world.disk.openToRead(file)
  if (reader === null) throw new FileNotFound(file, 'Give the path of a migrated log.')
  try {
    const size = await reader.size()
    const preparer = new LinePreparer()
    const follower = new Follower(world, file)
    for await (const block of lineBlocks(reader, size)) {
      signal?.throwIfAborted()
      onProgress?.({ what: 'bytes', done: block.at, total: size })
      const prepared = preparer.prepare(block)
      yield* problemsIn(prepared, await follower.follow(prepared))
    }
    onProgress?.({ what: 'bytes', done: size, total: size })
  } finally {
    await reader.close()
  }
}

/** Compares each transition with where its document was. */
class Follower {
  /** Null when there are too many documents to follow. */
  #table: TableTarget | null

  constructor({ clock }: World, input: string) {
    this.#table = new TableTarget({ tenant_id: 'default', input, clock, store: null })
  }

  async follow(prepared: PreparedBlock): Promise<Followed> {
    const transitions = prepared.lines.filter((line): line is TransitionLine => line.is === 'transition')
    if (this.#table === null || transitions.length === 0) return { findings: [], gaveUp: false }
    try {
      const claim = { key: '', owner: '' }
      const { findings } = await this.#table.take({ ...prepared, transitions, claim })
      return { findings, gaveUp: false }
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error
      this.#table = null
      return { findings: [], gaveUp: true }
    }
  }
}

interface Followed {
  readonly findings: readonly ImportFinding[]
  readonly gaveUp: boolean
}

function* problemsIn({ lines }: PreparedBlock, { findings, gaveUp }: Followed): Generator<LegacyProblem> {
  let transitions = 0
  let next = 0
  if (gaveUp) {
    const what = 'there are too many documents to follow: from here on lines are looked at one by one'
    yield { line: (lines[0] as PreparedLine).line, level: 'warning', what }
  }
  for (const line of lines) {
    if (line.is === 'rejected') yield { line: line.line, level: 'error', what: line.problem }
    if (line.is !== 'transition') continue
    const own: ImportFinding[] = []
    for (let found = findings[next]; found?.index === transitions; found = findings[++next]) own.push(found)
    transitions++
    yield* problemsOf(line, own)
  }
}

function* problemsOf(
  { line, form, past, findings }: TransitionLine,
  followed: readonly ImportFinding[],
): Generator<LegacyProblem> {
  if (form === 'old') {
    const what = `it is a line of the old log, about ${past.doc_id}: take it over with waybill ledger migrate`
    yield { line, level: 'error', what }
    return
  }
  if (form === 'broken' && findings.length === 0) {
    const what =
      'it is not a whole audit record: old_state, new_state, timestamp, adapter or metadata is not right'
    yield { line, level: 'error', what }
  }
  for (const { what } of findings) yield { line, level: 'error', what }
  const isMarked = past.metadata.validated === false
  for (const { kind, what } of followed) {
    const isEdge = kind === 'undeclared_edge' || kind === 'same_state'
    const isKnown = kind === 'time_in_future' || (isEdge && isMarked)
    yield { line, level: isKnown ? 'warning' : 'error', what }
  }
}
