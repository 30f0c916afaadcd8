// Requests from a file. One that is written over several lines, as people do, is read as a whole; else each line is one,
// and lines are submitted many at a time, because a disk takes as long for one as for a hundred. A request that waits
// for other jobs is not submitted before all that came before it are there: it may name one of them.
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import type { Envelope } from '../../ledger/request.ts'
import { describeError } from '../describe-error.ts'
import { inputLines } from '../input/input-lines.ts'
import { safeJson, safeText } from '../output/safe-text.ts'
import { countOf, countText } from '../output/words.ts'
import type { AcceptedJob, ChangeableLedger } from '../remote/changeable-ledger.ts'
import type { Session } from '../session.ts'
import { tellSubmitted } from './tell-submitted.ts'

interface How {
  readonly open: () => Promise<ChangeableLedger>
  readonly reason: string | undefined
}

/** Requests on their way at once. */
const AT_ONCE = 200

const PROBLEMS = 1

export async function submitFile(session: Session, file: string, how: How): Promise<void> {
  const first = await firstLine(file)
  if (first.isWhole) {
    const envelope = envelopeOf(session, first.text, file)
    const ledger = await how.open()
    return tellSubmitted(session, await ledger.jobs.submit(envelope, { reason: how.reason }))
  }
  await new ManyRequests(session, await how.open(), file, how.reason).run(first.lines)
}

type Given =
  | { readonly isWhole: true; readonly text: string }
  | { readonly isWhole: false; readonly lines: AsyncIterable<NumberedText> }

interface NumberedText {
  readonly line: number
  readonly text: string
}

/** Whether each line is a request: the first ones tell. */
async function firstLine(file: string): Promise<Given> {
  const lines = inputLines(file)
  const before: NumberedText[] = []
  for (;;) {
    const { value, done } = await lines.next()
    if (done === true) return { isWhole: true, text: textOf(before) }
    const isMore = before.some(({ text }) => text.trim() !== '')
    before.push(value)
    if (value.text.trim() === '') continue
    // The standard input cannot be read a second time.
    if (!isMore && !isJson(value.text)) {
      return { isWhole: true, text: textOf([...before, ...(await Array.fromAsync(lines))]) }
    }
    if (isMore) return { isWhole: false, lines: joined(before, lines) }
  }
}

function textOf(lines: readonly NumberedText[]): string {
  return lines.map(({ text }) => text).join('\n')
}

async function* joined<T>(before: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* before
  yield* rest
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** What every request here has in common need not be said in each. */
function envelopeOf({ options }: Session, text: string, where: string): Envelope {
  const request = parse(text, where)
  if (!isJsonObject(request)) {
    throw new InvalidInput(
      'file',
      `${where} is JSON, but not a request`,
      'Write an object: {"request_type": …}.',
    )
  }
  return { tenant_id: options.tenant ?? 'default', schema_version: 'v1', ...request } as unknown as Envelope
}

function parse(text: string, where: string): JsonObject {
  try {
    return JSON.parse(text)
  } catch (error) {
    const message = `${where === '-' ? 'The standard input' : where} is not JSON: ${(error as Error).message}`
    throw InvalidInput.by(error, 'file', message, 'Give one request, or one a line.')
  }
}

type Outcome = { readonly line: number } & ({ readonly job: AcceptedJob } | { readonly error: WaybillError })

class ManyRequests {
  readonly #session: Session
  readonly #ledger: ChangeableLedger
  readonly #file: string
  readonly #reason: string | undefined
  #underWay = 0
  /** Resolves when all so far were told of, in the order of their lines. */
  #told: Promise<void> = Promise.resolve()
  #known = 0
  #accepted = 0
  #refused = 0

  constructor(session: Session, ledger: ChangeableLedger, file: string, reason: string | undefined) {
    this.#session = session
    this.#ledger = ledger
    this.#file = file === '-' ? 'stdin' : file
    this.#reason = reason
  }

  async run(lines: AsyncIterable<NumberedText>): Promise<void> {
    for await (const { line, text } of lines) {
      if (text.trim() === '') continue
      if (text.includes('"depends_on"') || this.#underWay >= AT_ONCE) await this.#told
      this.#underWay++
      const outcome = this.#submit(line, text)
      this.#told = Promise.all([outcome, this.#told]).then(([came]) => this.#tell(came))
      // Whoever awaits it hears of it.
      this.#told.catch(() => {})
    }
    await this.#told
    await this.#summary()
  }

  async #submit(line: number, text: string): Promise<Outcome> {
    try {
      const envelope = envelopeOf(this.#session, text, 'This line')
      return { line, job: await this.#ledger.jobs.submit(envelope, { reason: this.#reason }) }
    } catch (error) {
      if (error instanceof WaybillError) return { line, error }
      throw error
    }
  }

  async #tell(outcome: Outcome): Promise<void> {
    this.#underWay--
    const { out, notes, isJson: json } = this.#session
    const { line } = outcome
    if ('error' in outcome) {
      this.#refused++
      const { told } = describeError(outcome.error, this.#session)
      if (json) return out.line(safeJson({ line, error: told }))
      return notes.error({ ...told, message: `${this.#file}:${line}: ${told.message}` })
    }
    const { job_id, tenant_id, duplicate, differing } = outcome.job
    this.#accepted++
    if (duplicate) this.#known++
    if (json) return out.line(safeJson({ line, job_id, tenant_id, duplicate, differing }))
    await out.line(safeText(job_id))
    if (differing.length > 0) {
      const message = `the key belongs to job ${job_id}, which differs in ${differing.join(', ')}`
      await notes.warn(`${this.#file}:${line}: ${message}`)
    }
  }

  async #summary(): Promise<void> {
    const known = this.#known === 0 ? '' : `, ${countText(this.#known)} of them known before`
    const refused = this.#refused === 0 ? '' : `; ${countText(this.#refused)} refused`
    const counts = { accepted: this.#accepted, known: this.#known, refused: this.#refused }
    await this.#session.notes.hint(
      `${countOf(this.#accepted, 'request')} accepted${known}${refused}.`,
      counts,
    )
    if (this.#refused > 0) this.#session.found(PROBLEMS)
  }
}
