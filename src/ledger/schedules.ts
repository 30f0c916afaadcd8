import type { ScheduleState } from '../core/machines/schedule.ts'
import { type ScheduleRecord, scheduleDueAt } from '../core/schedule/record.ts'
import { fromIso } from '../core/time.ts'
import { findAll } from '../store/find-all.ts'
import type { Page, PageOptions } from '../store/query.ts'
import type { Logger } from '../world/logger.ts'
import type { Commands } from './commands.ts'
import type { Committer } from './committer.ts'
import type { CallOptions, LedgerSettings } from './settings.ts'
import type { Schedule } from './steering.ts'
import { tenantToFind } from './tenant-to-find.ts'

/** Who submits the jobs of schedules, in the history. */
const SCHEDULER = 'schedule'

/** A schedule that fails is tried again after this. */
const RETRY_MS = 30_000

export interface ListSchedules extends PageOptions {
  readonly tenant_id?: string | undefined
  readonly state?: ScheduleState | readonly ScheduleState[] | undefined
}

/** `ledger.schedules`: jobs that are submitted again and again, by the calendar. */
export class Schedules {
  readonly #committer: Committer
  readonly #commands: Commands
  readonly #settings: LedgerSettings
  readonly #logger: Logger

  constructor(committer: Committer, commands: Commands, settings: LedgerSettings, logger: Logger) {
    this.#committer = committer
    this.#commands = commands
    this.#settings = settings
    this.#logger = logger
  }

  /** Makes a schedule, or changes the one there is. A worker or dispatcher that runs submits its jobs. */
  async put(schedule: Schedule, options?: CallOptions): Promise<ScheduleRecord> {
    return this.#committer.run(this.#commands.putSchedule(schedule, options))
  }

  async get(schedule_id: string, tenant_id?: string): Promise<ScheduleRecord | null> {
    return this.#committer.store.get({
      kind: 'schedule',
      tenant_id: this.#tenant(tenant_id),
      id: schedule_id,
    })
  }

  list(
    query: { readonly tenant_id?: string; readonly state?: ScheduleState } = {},
  ): AsyncIterable<ScheduleRecord> {
    const { state } = query
    const tenant_id = tenantToFind(query.tenant_id, this.#settings)
    return findAll(this.#committer.store, { kind: 'schedule', tenant_id, where: { state } })
  }

  /** The same, a page at a time. */
  async page(query: ListSchedules = {}): Promise<Page<ScheduleRecord>> {
    const { tenant_id, state, ...page } = query
    return this.#committer.store.find({
      kind: 'schedule',
      tenant_id: this.#tenant(tenant_id),
      where: { state },
      ...page,
    })
  }

  async pause(schedule_id: string, options?: CallOptions): Promise<ScheduleRecord> {
    return this.#move(schedule_id, 'paused', options)
  }

  /** It goes on with the next time; those that passed while it was paused are not made up for. */
  async resume(schedule_id: string, options?: CallOptions): Promise<ScheduleRecord> {
    return this.#move(schedule_id, 'active', options)
  }

  async remove(schedule_id: string, options?: CallOptions): Promise<ScheduleRecord> {
    return this.#move(schedule_id, 'removed', options)
  }

  /** Submits what is due, each schedule at most once. Answers how many did something, and when the next is due. */
  async fireDue(now: number): Promise<{ readonly fired: number; readonly nextDue: number | null }> {
    let fired = 0
    let nextDue: number | null = null
    for await (const schedule of findAll(this.#committer.store, {
      kind: 'schedule',
      where: { state: 'active' },
    })) {
      const due = scheduleDueAt(schedule)
      if (due === null) continue
      let at: number | null = fromIso(due)
      if (at <= now) {
        if (await this.#fire(schedule)) fired++
        const after = await this.get(schedule.schedule_id, schedule.tenant_id)
        const later = after === null ? null : scheduleDueAt(after)
        at = later === null ? null : Math.max(fromIso(later), now)
        // It could not even be asked for: whoever changes that has to be given time.
        if (later === due) at = now + RETRY_MS
      }
      if (at !== null && (nextDue === null || at < nextDue)) nextDue = at
    }
    return { fired, nextDue }
  }

  /** One that cannot be submitted any more must not hold up the others. */
  async #fire(schedule: ScheduleRecord): Promise<boolean> {
    const { schedule_id, tenant_id, next_at } = schedule
    try {
      await this.#committer.run(
        this.#commands.fireSchedule(schedule, next_at as string, { actor: SCHEDULER, tenant_id }),
      )
      return true
    } catch (error) {
      this.#logger.error(
        { error, schedule_id, tenant_id },
        `Schedule ${schedule_id} could not submit its job`,
      )
      return false
    }
  }

  async #move(schedule_id: string, state: ScheduleState, options?: CallOptions): Promise<ScheduleRecord> {
    return this.#committer.run(this.#commands.moveSchedule(schedule_id, state, options))
  }

  #tenant(tenant_id: string | undefined): string {
    return tenant_id ?? this.#settings.tenant_id
  }
}
