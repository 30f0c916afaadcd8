import { createHash, type Hash } from 'node:crypto'
import type { ImportAnswer } from '../../core/document/import.ts'
import type { DocumentState } from '../../core/machines/document.ts'
import { LogChanged } from '../../errors/file-errors.ts'
import type { Findings } from './findings.ts'
import type { LineBlock } from './line-blocks.ts'
import type { PreparedBlock, PreparedLine, RejectedLine, TransitionLine } from './prepare-lines.ts'
import type { RejectsFile } from './rejects-file.ts'
import type { Target } from './target.ts'

/** What an earlier run took over, as its claim says: everything up to a place, and what the log was up to there. */
interface TakenOver {
  readonly end: number
  readonly sha256: string
}

/**
 * Takes a log over, batch by batch, so that each batch is taken over once, however often and however far it is tried.
 *
 * The batches of a log are a chain of claims. A batch claims the hash of the log up to the end of its first transition, and
 * notes as the owner where the batch ends and what the hash is there. Whoever comes again finds the claim at the
 * beginning of the log, knows where the first batch ended, finds the next claim there, and so on, to the end of what
 * was taken over: also when the log has grown since, or when the run before was killed. A log whose content before
 * such an end is another now is not the same log, and is refused rather than taken over twice.
 */
export class MigrationRun {
  readonly counts = { lines: 0, blank: 0, migrated: 0, already_migrated: 0, already_imported: 0, rejected: 0 }
  readonly moves: { [state in DocumentState]?: number } = {}
  documents = 0
  readonly #input: string
  readonly #target: Target
  readonly #findings: Findings
  readonly #rejects: RejectsFile | null
  readonly #hash: PrefixHash | null
  #takenOver: TakenOver | null = null

  constructor(parts: {
    readonly input: string
    readonly target: Target
    readonly findings: Findings
    readonly rejects: RejectsFile | null
  }) {
    this.#input = parts.input
    this.#target = parts.target
    this.#findings = parts.findings
    this.#rejects = parts.rejects
    this.#hash = parts.target.remembers ? new PrefixHash() : null
  }

  async take(prepared: PreparedBlock): Promise<void> {
    const { block, lines } = prepared
    let next = 0
    while (next < lines.length) {
      if (this.#takenOver !== null) {
        next = this.#passOver(prepared, next, this.#takenOver)
        continue
      }
      const first = lines.findIndex(({ is }, index) => index >= next && is === 'transition')
      const key = first === -1 ? null : await this.#claimKey(block, lines[first] as PreparedLine)
      if (key !== null && this.#takenOver === null) await this.#takeOver(prepared, next, first, key)
      else this.#count(lines.slice(next, first === -1 ? lines.length : first), null)
      next = key !== null && this.#takenOver !== null ? first : lines.length
    }
    this.#hash?.to(block, endOf(block))
    const rejected = lines.filter((line): line is RejectedLine => line.is === 'rejected')
    await this.#rejects?.add(prepared, rejected)
  }

  /** The end of the log: what was taken over must have come to its end before. */
  finish(): void {
    if (this.#takenOver !== null) throw new LogChanged(this.#input)
  }

  /** The key of the batch that begins with this line; when somebody owns it, we know what was taken over. */
  async #claimKey(block: LineBlock, line: PreparedLine): Promise<string> {
    if (this.#hash === null) return ''
    const key = `migrate:${this.#hash.to(block, block.at + line.end)}`
    const owner = await this.#target.ownerOf(key)
    if (owner !== null) this.#takenOver = JSON.parse(owner) as TakenOver
    return key
  }

  async #takeOver({ block, lines }: PreparedBlock, from: number, first: number, key: string): Promise<void> {
    const transitions = lines.slice(first).filter((line): line is TransitionLine => line.is === 'transition')
    // What is cut off may be whole the next time.
    const last = lines.findLast((line) => !(line.is === 'rejected' && line.isTorn)) as PreparedLine
    const end = block.at + last.end
    const owner: TakenOver & { readonly line: number } = {
      end,
      line: last.line,
      sha256: this.#hash?.to(block, end) ?? '',
    }
    const claim = { key, owner: JSON.stringify(owner) }
    const answer = await this.#target.take({ block, lines, transitions, claim })
    if (!answer.imported) throw new LogChanged(this.#input)
    this.#count(lines.slice(from), answer)
  }

  /** Answers the first line that was not taken over. */
  #passOver({ block, lines }: PreparedBlock, from: number, { end, sha256 }: TakenOver): number {
    let next = from
    while (next < lines.length && block.at + (lines[next] as PreparedLine).end <= end) next++
    for (const line of lines.slice(from, next)) {
      this.counts.lines++
      if (line.is === 'transition') this.counts.already_imported++
      else this.#countOther(line)
    }
    if (end > endOf(block)) return next
    if (this.#hash?.to(block, end) !== sha256) throw new LogChanged(this.#input)
    this.#takenOver = null
    return next
  }

  /** Counts lines that were taken over, and says what was found in them, in the order of the lines. */
  #count(lines: readonly PreparedLine[], answer: ImportAnswer | null): void {
    const found = answer?.findings ?? []
    let transitions = 0
    let next = 0
    for (const line of lines) {
      this.counts.lines++
      if (line.is !== 'transition') {
        this.#countOther(line)
        continue
      }
      if (line.form === 'record') this.counts.already_migrated++
      else this.counts.migrated++
      for (const { kind, what } of line.findings) this.#findings.add(kind, line.line, what)
      for (let finding = found[next]; finding?.index === transitions; finding = found[++next]) {
        this.#findings.add(finding.kind, line.line, finding.what)
      }
      transitions++
    }
    this.documents += answer?.created ?? 0
    for (const [state, by] of Object.entries(answer?.moves ?? {}) as [DocumentState, number][]) {
      this.moves[state] = (this.moves[state] ?? 0) + by
    }
  }

  #countOther(line: PreparedLine): void {
    if (line.is === 'blank') this.counts.blank++
    else if (line.is === 'rejected') {
      this.counts.rejected++
      this.#findings.add('rejected', line.line, line.problem)
    }
  }
}

/** Where in the file a block ends. */
function endOf({ at, bytes, tooLong }: LineBlock): number {
  return at + (tooLong?.bytes ?? bytes.length)
}

/** The hash of a log up to any place, as it is read. */
class PrefixHash {
  readonly #hash: Hash = createHash('sha256')
  #upTo = 0

  /** Places come in their order. */
  to({ bytes, at, tooLong }: LineBlock, end: number): string {
    if (end > this.#upTo) {
      this.#hash.update(tooLong === null ? bytes.subarray(this.#upTo - at, end - at) : tooLong.sha256)
      this.#upTo = end
    }
    return this.#hash.copy().digest('hex')
  }
}
