import type { Radar } from '../core/radar/radar.ts'
import { MINUTE_MS } from '../core/time.ts'
import { type Activity, ActivityLog } from '../ledger/activity.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Overview } from '../ledger/overview.ts'
import { ATTEMPTS, type RadarQuery } from '../ledger/radar.ts'
import { oneOrAll } from '../ledger/tenant-to-find.ts'
import type { TenantList } from '../ledger/tenants.ts'
import { type TouchedFiles, touchedFiles } from '../orchestrator/touched-files.ts'
import type { Clock } from '../world/clock.ts'
import { CachedLooks } from './cached-looks.ts'

/** What 99 of 100 attempts took does not change from one second to the next. */
const DURATIONS_MS = MINUTE_MS

/** Looks at everything at once, for a page that asks all the time and in many browsers. Tenants are as routes have them. */
export class Looks {
  readonly #ledger: Ledger
  readonly #cached: CachedLooks
  readonly #activity: ActivityLog

  constructor(ledger: Ledger, clock: Clock) {
    this.#ledger = ledger
    this.#cached = new CachedLooks(clock)
    this.#activity = new ActivityLog(ledger.audit, clock)
  }

  async radar({ tenant_id, by, hours }: Omit<RadarQuery, 'durations'>): Promise<Radar> {
    const durations = await this.#cached.get(
      ['durations', tenant_id],
      () => this.#ledger.audit.durations({ ...ATTEMPTS, tenant_id: oneOrAll(tenant_id) }),
      DURATIONS_MS,
    )
    return this.#cached.get(['radar', tenant_id, by, hours], () =>
      this.#ledger.radar({ tenant_id, by, hours, durations }),
    )
  }

  activity(query: { readonly tenant_id: string; readonly minutes: number }): Promise<Activity> {
    const { tenant_id, minutes } = query
    return this.#cached.get(['activity', tenant_id, minutes], () => this.#activity.look(query))
  }

  overview(tenant_id: string): Promise<Overview> {
    return this.#cached.get(['overview', tenant_id], () => this.#ledger.overview(tenant_id))
  }

  /** All that are known, or those that the caller is for. */
  tenants(named: readonly string[] | undefined): Promise<TenantList> {
    return this.#cached.get(['tenants', named?.toSorted()], () => this.#ledger.tenants(named))
  }

  files(tenant_id: string): Promise<TouchedFiles> {
    return this.#cached.get(['files', tenant_id], () => touchedFiles(this.#ledger, tenant_id))
  }
}
