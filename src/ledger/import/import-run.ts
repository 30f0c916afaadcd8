// Takes over what another system has: record by record, through the ledger's own commands. What was taken over is known by
// its key, so it does not matter where a run before this one was cut off.

import type { Protocol } from '../../core/job/protocol.ts'
import type { JobRecord } from '../../core/job/record.ts'
import { isJsonObject } from '../../core/json.ts'
import { isTerminal } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import { WaybillError } from '../../errors/waybill-error.ts'
import type { OnProgress } from '../../store/progress.ts'
import type { Ledger } from '../ledger.ts'
import type { PipelineLike } from '../pipeline-request.ts'
import { reportEnd, submitHeld } from './ended-job.ts'
import { type FateCounts, ImportTally, type Outcome } from './import-report.ts'
import { type OldJob, type OldRecord, type OldSchedule, PAGE, type Source } from './old-record.ts'
import type { ReportFile } from './report-file.ts'
import { type Naming, protocolOf, requestOf, requestTypeOf, scheduledRequest } from './request-of.ts'

/** What can be asked for. */
export type WhatState = 'waiting' | 'delayed' | 'failed' | 'completed' | 'schedules'

/** What is to be done with jobs that somebody is working on. */
export type ActiveRule = 'refuse' | 'wait' | 'take' | 'leave'

export interface ImportPlan {
  readonly source: Source
  /** Where it goes. In a dry run a ledger that only says what it would refuse. */
  readonly into: Ledger
  /** Where it may have gone before; null when there is no ledger yet. */
  readonly before: Ledger | null
  readonly isDry: boolean
  readonly tenant_id: string
  readonly states: ReadonlySet<WhatState>
  readonly active: ActiveRule
  readonly naming: Naming
  /** Requests of these types are answered as they say. */
  readonly protocols: readonly Protocol[]
  readonly report: ReportFile | null
  readonly onProgress: OnProgress
  readonly now: () => number
}

/** What was refused because of the record, and not because of the ledger: the others may still be taken over. */
const OWN_FAULT: ReadonlySet<number> = new Set([400, 409, 413, 422])

export class ImportRun {
  readonly tally = new ImportTally()
  /** How requests of each type are answered, for workers to know. */
  readonly protocols = new Map<string, Protocol>()
  readonly #plan: ImportPlan
  readonly #given: ReadonlyMap<string, Protocol>
  /** The same for all jobs with the same attempts and waits. */
  readonly #pipelines = new Map<string, PipelineLike>()
  /** Keys of what a dry run would have taken over: others may wait for it. */
  readonly #wouldBeThere = new Set<string>()
  readonly #waiting: OldJob[] = []
  #done = 0
  #turn: Promise<void> = Promise.resolve()

  constructor(plan: ImportPlan) {
    this.#plan = plan
    // Those of a run before this one say how a whole job is tried; what is left of each, only its record does.
    const isOurs = ({ protocol_id }: Protocol) => protocol_id.startsWith(`${plan.naming.system}:`)
    const given = plan.protocols.filter((protocol) => !isOurs(protocol))
    this.#given = new Map(given.map((protocol) => [protocol.request_type, protocol]))
  }

  async run(): Promise<FateCounts> {
    const { source, onProgress, report } = this.#plan
    const total = await source.count()
    const tell = () => onProgress({ what: 'records', done: this.#done, total: Math.max(total, this.#done) })
    for await (const page of source.records()) {
      await Promise.all(page.map((record) => this.#take(record)))
      await report?.flush()
      tell()
    }
    await this.#takeWaiting(tell)
    onProgress({ what: 'records', done: this.#done, total: this.#done })
    return this.tally.all
  }

  async #take(record: OldRecord): Promise<void> {
    const reason = this.#whyLeft(record) ?? record.problem
    if (reason !== null) return this.#tell(record, left(reason))
    if (record.kind === 'schedule') return this.#tell(record, await this.#orRefused(record, this.#schedule))
    if (isOpen(record) && record.depends_on.length > 0) {
      this.#waiting.push(record)
      return
    }
    await this.#tell(record, await this.#orRefused(record, this.#job))
  }

  /** Those that wait for others, when all that they wait for are there. */
  async #takeWaiting(tell: () => void): Promise<void> {
    let rest = this.#waiting
    while (rest.length > 0) {
      const later: OldJob[] = []
      for (let at = 0; at < rest.length; at += PAGE) {
        const some = rest.slice(at, at + PAGE)
        const missing = await Promise.all(some.map((job) => this.#missing(job)))
        later.push(...some.filter((_, i) => missing[i] !== null))
        const ready = some.filter((_, i) => missing[i] === null)
        await Promise.all(ready.map(async (job) => this.#tell(job, await this.#orRefused(job, this.#job))))
        tell()
      }
      if (later.length === rest.length) break
      rest = later
    }
    for (const job of rest) {
      const missing = await this.#missing(job)
      if (missing !== null) this.#tell(job, left('it waits for a job that is not taken over'))
    }
  }

  /** The first that it waits for and that is not there. */
  async #missing({ key, depends_on }: OldJob): Promise<string | null> {
    const { before, tenant_id } = this.#plan
    if ((await before?.jobs.get(key, tenant_id)) != null) return null
    for (const id of depends_on) {
      if (this.#wouldBeThere.has(id)) continue
      if ((await before?.jobs.get(id, tenant_id)) == null) return id
    }
    return null
  }

  #whyLeft(record: OldRecord): string | null {
    const { states, active, now } = this.#plan
    if (record.kind === 'schedule') {
      return states.has('schedules') ? null : 'schedules are not asked for (--states)'
    }
    switch (record.state) {
      case 'active':
        return active === 'take' ? null : 'somebody is working on it (--active)'
      case 'cancelled':
        return 'it was cancelled'
      case 'failed':
      case 'completed':
      case 'delayed':
        if (!states.has(record.state)) return `${record.state} jobs are not asked for (--states)`
        break
      default:
        if (!states.has('waiting')) return 'waiting jobs are not asked for (--states)'
    }
    const isOver = isOpen(record) && record.expires_at !== null && record.expires_at <= now()
    return isOver ? 'nobody was to begin it any more by now' : null
  }

  readonly #job = async (job: OldJob): Promise<Outcome> => {
    const { before, into, isDry, tenant_id, naming, source } = this.#plan
    const request_type = requestTypeOf(job, naming)
    const existing = (await before?.jobs.get(job.key, tenant_id)) ?? null
    const pipeline = this.#pipelineOf(job)
    const request = requestOf(job, naming, tenant_id)
    const reason = `taken over from ${source.title}`
    if (existing !== null) {
      if (!isSame(existing, job)) return { ...refused(TWO_SOURCES), request_type }
      if (!isDry && !isOpen(job) && !isTerminal(jobMachine, existing.state))
        await reportEnd(into, job, tenant_id)
      return { fate: 'known', became: job.key, request_type, reason: null }
    }
    if (isDry) {
      await into.batch((make) => {
        make.submitTo(pipeline, request)
        return []
      })
      this.#wouldBeThere.add(job.key)
    } else if (isOpen(job)) await into.jobs.submit(pipeline, request, { reason })
    else await this.#inTurn(job, () => this.#ended(job, { pipeline, request, reason }))
    return { fate: 'taken', became: job.key, request_type, reason: null }
  }

  async #ended(job: OldJob, made: Parameters<typeof submitHeld>[2]): Promise<void> {
    const { into, tenant_id } = this.#plan
    await submitHeld(into, job, made)
    await reportEnd(into, job, tenant_id)
  }

  /** Limits hold for whoever ended long ago, too, while it is being told of. */
  #inTurn(job: OldJob, work: () => Promise<void>): Promise<void> {
    if (job.limits.length === 0) return work()
    const turn = this.#turn.then(work)
    this.#turn = turn.catch(() => {})
    return turn
  }

  readonly #schedule = async (schedule: OldSchedule): Promise<Outcome> => {
    const { before, into, isDry, tenant_id, naming, source } = this.#plan
    const { key, cron, timezone, catch_up } = schedule
    const request = scheduledRequest(schedule, naming)
    const { request_type } = request
    if (((await before?.schedules.get(key, tenant_id)) ?? null) !== null) {
      this.#protocolOf(schedule)
      return { fate: 'known', became: key, request_type, reason: null }
    }
    into.jobs.register(this.#protocolOf(schedule))
    const made = { schedule_id: key, cron, timezone, request, catch_up }
    if (isDry) {
      await into.batch((make) => {
        make.putSchedule(made, { tenant_id })
        return []
      })
    } else await into.schedules.put(made, { tenant_id, reason: `taken over from ${source.title}` })
    return { fate: 'taken', became: key, request_type, reason: null }
  }

  /** How requests of its type are answered: as the user says, or as the first of them was. */
  #protocolOf(record: OldRecord): Protocol {
    const { naming } = this.#plan
    const type = requestTypeOf(record, naming)
    const known = this.#given.get(type) ?? this.protocols.get(type)
    if (known !== undefined) return known
    const protocol = protocolOf(record, naming, 0)
    this.protocols.set(type, protocol)
    return protocol
  }

  #pipelineOf(job: OldJob): PipelineLike {
    const { naming } = this.#plan
    const given = this.#given.get(requestTypeOf(job, naming))
    if (given !== undefined && isOpen(job)) return { protocol: given }
    this.#protocolOf(job)
    const protocol = protocolOf(job, naming, isOpen(job) ? job.attempts_made : 0)
    const key = JSON.stringify(protocol)
    const pipeline = this.#pipelines.get(key) ?? { protocol }
    if (this.#pipelines.size < PAGE) this.#pipelines.set(key, pipeline)
    return pipeline
  }

  async #orRefused<R extends OldRecord>(record: R, take: (record: R) => Promise<Outcome>): Promise<Outcome> {
    try {
      return await take(record)
    } catch (error) {
      if (!(error instanceof WaybillError) || !OWN_FAULT.has(error.status)) throw error
      return { ...refused(error.message), request_type: requestTypeOf(record, this.#plan.naming) }
    }
  }

  #tell(record: OldRecord, outcome: Outcome): void {
    this.#done++
    this.tally.add(record, outcome)
    this.#plan.report?.add(record, outcome)
  }
}

const TWO_SOURCES =
  'another job was taken over under the same key: if these are two databases, give each a name of its own (--as)'

function isOpen({ state }: OldJob): boolean {
  return state !== 'failed' && state !== 'completed'
}

/** Two databases may have jobs of the same id. */
function isSame({ metadata }: JobRecord, { created_at }: OldJob): boolean {
  const { imported } = metadata
  return isJsonObject(imported) && (imported.created_at ?? null) === created_at
}

function left(reason: string): Outcome {
  return { fate: 'left', became: null, request_type: null, reason }
}

function refused(reason: string): Outcome {
  return { fate: 'refused', became: null, request_type: null, reason }
}
