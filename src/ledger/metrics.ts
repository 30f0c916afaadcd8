import type { Counter, Gauge, Registry } from 'prom-client'
import type { AuditEntry } from '../core/audit.ts'
import type { StuckThreshold } from '../core/document/stuck.ts'
import { machines, type RecordKind } from '../core/machines/all.ts'
import { SECOND_MS } from '../core/time.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import type { Store } from '../store/store.ts'
import type { Clock } from '../world/clock.ts'
import { stuckDocuments, thresholdsFor } from './stuck.ts'

type Prometheus = typeof import('prom-client')

/** Stuck documents are counted up to here: a number with so many digits says the same. */
const MOST_STUCK = 10_000

/** How old a state's own measure of "too long" may be: it changes slowly, and takes a while to find out. */
const THRESHOLDS_MS = 300 * SECOND_MS

/** More types of error than this are counted as `other`: each is a time series of its own. */
const MOST_ERROR_TYPES = 200

/**
 * What a monitoring system wants to know, in a registry of the user's. Counters count what this process has written
 * since the ledger was opened; gauges say what is in the ledger at the moment they are asked.
 */
export class Metrics {
  readonly #store: Store
  readonly #clock: Clock
  readonly #transitions: Counter<'kind' | 'from' | 'to'>
  readonly #errors: Counter<'kind' | 'error_type'>
  readonly #refusals: Counter<'kind' | 'code'>
  readonly #errorTypes = new Set<string>()
  #thresholds: { readonly at: number; readonly of: readonly StuckThreshold[] } | null = null

  private constructor(prometheus: Prometheus, registry: Registry, parts: MetricsParts) {
    const registers = [registry]
    this.#store = parts.store
    this.#clock = parts.clock
    this.#transitions = new prometheus.Counter({
      name: 'waybill_transitions_total',
      help: 'States entered, by kind of record and by the state that was left',
      labelNames: ['kind', 'from', 'to'],
      registers,
    })
    this.#errors = new prometheus.Counter({
      name: 'waybill_errors_total',
      help: 'Errors that came with a transition, by type',
      labelNames: ['kind', 'error_type'],
      registers,
    })
    this.#refusals = new prometheus.Counter({
      name: 'waybill_refusals_total',
      help: 'Changes that a rule refused, by code',
      labelNames: ['kind', 'code'],
      registers,
    })
    const metrics = this
    new prometheus.Gauge({
      name: 'waybill_records',
      help: 'Records in each state, by kind',
      labelNames: ['kind', 'state'],
      registers,
      async collect() {
        await metrics.#collectRecords(this)
      },
    })
    new prometheus.Gauge({
      name: 'waybill_stuck_documents',
      help: `Documents that stay longer in their state than 99 of 100 did; ${MOST_STUCK} in all means at least so many`,
      labelNames: ['state'],
      registers,
      async collect() {
        await metrics.#collectStuck(this)
      },
    })
    const openSeconds = new prometheus.Gauge({
      name: 'waybill_open_seconds',
      help: 'How long opening the ledger took',
      registers,
    })
    openSeconds.set(parts.openMs / SECOND_MS)
  }

  static async in(registry: Registry, parts: MetricsParts): Promise<Metrics> {
    const prometheus = await import('prom-client')
    if (typeof registry?.registerMetric !== 'function') {
      throw new InvalidInput('metrics', 'metrics must be a registry', "Give new Registry() of 'prom-client'.")
    }
    if (registry.getSingleMetric('waybill_records') !== undefined) {
      const next = 'Give each ledger a Registry of its own, and merge them with Registry.merge.'
      throw new InvalidInput('metrics', 'Another ledger reports to this registry', next)
    }
    return new Metrics(prometheus, registry, parts)
  }

  /** Something became durable. */
  readonly observe = (entries: readonly AuditEntry[]): void => {
    for (const entry of entries) {
      const { kind, path, event, error_type, metadata } = entry
      if (event === 'refused') this.#refusals.inc({ kind, code: String(metadata.refusal ?? 'other') })
      if (event !== 'moved') continue
      for (const [hop, to] of path.slice(1).entries()) {
        this.#transitions.inc({ kind, from: path[hop] ?? '', to: to as string })
      }
      if (error_type !== null) this.#errors.inc({ kind, error_type: this.#boundedType(error_type) })
    }
  }

  #boundedType(error_type: string): string {
    if (this.#errorTypes.size >= MOST_ERROR_TYPES && !this.#errorTypes.has(error_type)) return 'other'
    this.#errorTypes.add(error_type)
    return error_type
  }

  async #collectRecords(gauge: Gauge<'kind' | 'state'>): Promise<void> {
    for (const kind of Object.keys(machines) as RecordKind[]) {
      const counts = await this.#store.counts(kind)
      for (const state of Object.keys(machines[kind].states)) {
        gauge.set({ kind, state }, counts[state] ?? 0)
      }
    }
  }

  async #collectStuck(gauge: Gauge<'state'>): Promise<void> {
    const thresholds = await this.#currentThresholds()
    const counts = new Map(thresholds.map(({ state }) => [state as string, 0]))
    let found = 0
    for await (const { state } of stuckDocuments(this.#store, {}, thresholds, this.#clock.now())) {
      counts.set(state, (counts.get(state) ?? 0) + 1)
      if (++found === MOST_STUCK) break
    }
    for (const [state, n] of counts) gauge.set({ state }, n)
  }

  async #currentThresholds(): Promise<readonly StuckThreshold[]> {
    const now = this.#clock.now()
    if (this.#thresholds === null || now - this.#thresholds.at >= THRESHOLDS_MS) {
      this.#thresholds = { at: now, of: await thresholdsFor(this.#store, {}) }
    }
    return this.#thresholds.of
  }
}

export interface MetricsParts {
  readonly store: Store
  readonly clock: Clock
  readonly openMs: number
}
