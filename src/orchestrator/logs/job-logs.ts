// What tool jobs have printed, for others to read. See log-mark.ts for how it is known that a file is a log of ours; that its
// path stays inside the repository, is no link and leads to a plain file is checked in the same way as when it is written.

import type { JobAggregate } from '../../core/aggregate.ts'
import type { StepRecord } from '../../core/job/record.ts'
import { HUMAN, toolOfService } from '../../core/job/tool-service.ts'
import { isTerminal } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import type { Redact } from '../../ledger/redact.ts'
import { RecentlyUsed } from '../../store/recently-used.ts'
import { type FileSystem, NotPlain, type PlaceBeneath, type ReadFile } from '../../world/file-system.ts'
import { logMarkOf } from '../process/log-mark.ts'
import { logPlaceOf } from '../process/place-of.ts'
import { parseToolJob } from '../tools/tool-job.ts'
import { LogSections } from './log-sections.ts'
import { OwnedText } from './owned-text.ts'
import { redactedPart } from './redacted-part.ts'
import { charEnd, charStart } from './utf8-cut.ts'

export interface LogQuery {
  /** In bytes, from the beginning. */
  readonly offset?: number | undefined
  /** Instead of `offset`: the last so many bytes. */
  readonly tail?: number | undefined
  /** At most so many bytes. */
  readonly limit: number
}

export interface LogPiece {
  readonly text: string
  /** Where the text begins: a character is never cut in two. */
  readonly offset: number
  /** Where to go on. */
  readonly next_offset: number
  /** What there is now. */
  readonly size: number
  /** It is all that there will ever be. */
  readonly is_complete: boolean
}

export interface LogReaderParts {
  readonly files: FileSystem
  /** What tells this ledger from others. */
  readonly ledger: string
  readonly redact: Redact
}

/** Files that are known without being looked through again. */
const MOST_KNOWN = 200

/** Of what stands around a piece so much is looked at for secrets: the longest that are known, and more. */
const AROUND_BYTES = 24 * 1024

/** A line that is still being printed may be a part of a secret: so much of one is waited for. */
const LONGEST_UNFINISHED = 4096

const NEWLINE = 0x0a
const RETURN = 0x0d

export class JobLogs {
  readonly #parts: LogReaderParts
  readonly #known = new RecentlyUsed<string, LogSections>(MOST_KNOWN)

  constructor(parts: LogReaderParts) {
    this.#parts = parts
  }

  /** Null when there is no log, whatever the reason. */
  async read(aggregate: JobAggregate, query: LogQuery): Promise<LogPiece | null> {
    const place = await this.#placeOf(aggregate)
    const file = place === null ? null : await this.#open(place)
    if (file === null) return null
    try {
      const text = await this.#textOf(aggregate, file)
      const isOver = isTerminal(jobMachine, aggregate.job.state)
      return text === null ? null : await new Piece(text, isOver, this.#parts.redact).read(query)
    } finally {
      await file.close()
    }
  }

  async #placeOf(aggregate: JobAggregate): Promise<PlaceBeneath | null> {
    const { job, steps } = aggregate
    const step = steps.findLast(isToolAttempt)
    if (step === undefined) return null
    try {
      const input = (step.payload ?? job.payload) as object
      const toolJob = parseToolJob({ ...input, job_id: job.job_id })
      // As workers have it: nothing is relative to where a server happens to be.
      return await logPlaceOf(toolJob, { files: this.#parts.files, base: '/' })
    } catch (error) {
      if (error instanceof WaybillError) return null
      throw error
    }
  }

  async #open(place: PlaceBeneath): Promise<ReadFile | null> {
    try {
      return await this.#parts.files.readBeneath(place)
    } catch (error) {
      if (error instanceof NotPlain || isNotPermitted(error)) return null
      throw error
    }
  }

  /** Null when nothing in the file is of this job. */
  async #textOf({ job }: JobAggregate, file: ReadFile): Promise<OwnedText | null> {
    const { identity } = file
    const sections = this.#known.get(identity) ?? new LogSections()
    this.#known.set(identity, sections)
    const mark = logMarkOf({ ledger: this.#parts.ledger, tenant_id: job.tenant_id, job_id: job.job_id })
    const ranges = await sections.rangesOf(mark, file)
    return ranges.length === 0 ? null : new OwnedText(file, ranges)
  }
}

function isToolAttempt({ service, attempt_no }: StepRecord): boolean {
  const tool = toolOfService(service)
  return attempt_no > 0 && tool !== null && tool !== HUMAN
}

function isNotPermitted(error: unknown): boolean {
  return ['EACCES', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')
}

class Piece {
  readonly #text: OwnedText
  readonly #isOver: boolean
  readonly #redact: Redact

  constructor(text: OwnedText, isOver: boolean, redact: Redact) {
    this.#text = text
    this.#isOver = isOver
    this.#redact = redact
  }

  async read({ offset = 0, tail, limit }: LogQuery): Promise<LogPiece> {
    const { size } = this.#text
    const wanted = tail === undefined ? offset : Math.max(0, size - tail)
    if (wanted > size) {
      throw new InvalidInput('offset', `offset: the log has ${size} bytes`, 'Begin again with offset 0.')
    }
    const first = Math.max(0, wanted - AROUND_BYTES)
    const bytes = await this.#text.read(first, Math.min(size, wanted + limit + AROUND_BYTES))
    const from = charStart(bytes, wanted - first)
    const to = Math.max(from, this.#endOf(bytes, from, Math.min(wanted - first + limit, bytes.length)))
    const decoded = (start: number, end: number) => bytes.subarray(start, end).toString('utf8')
    const text = redactedPart(
      { before: decoded(0, from), part: decoded(from, to), after: decoded(to, bytes.length) },
      this.#redact,
    )
    const next = first + to
    return {
      text,
      offset: first + from,
      next_offset: next,
      size,
      is_complete: this.#isOver && next === size,
    }
  }

  /** At the end of a line where there is one. */
  #endOf(bytes: Buffer, from: number, wanted: number): number {
    if (wanted === bytes.length && this.#isOver) return wanted
    const line = Math.max(bytes.lastIndexOf(NEWLINE, wanted - 1), bytes.lastIndexOf(RETURN, wanted - 1)) + 1
    const isUnfinished = wanted === bytes.length && wanted - line <= LONGEST_UNFINISHED
    return line > from || isUnfinished ? line : charEnd(bytes, from, wanted)
  }
}
