import type { Radar } from '../core/radar/radar.ts'
import { type Activity, ActivityLog } from '../ledger/activity.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Overview } from '../ledger/overview.ts'
import type { RadarQuery } from '../ledger/radar.ts'
import type { TenantList } from '../ledger/tenants.ts'
import { type TouchedFiles, touchedFiles } from '../orchestrator/touched-files.ts'
import type { Clock } from '../world/clock.ts'
import { CachedLooks } from './cached-looks.ts'

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

  radar(query: RadarQuery): Promise<Radar> {
    const { tenant_id, by, hours } = query
    return this.#cached.get(['radar', tenant_id, by, hours], () => this.#ledger.radar(query))
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
