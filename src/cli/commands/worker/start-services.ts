import type { Duration } from '../../../core/duration.ts'
import type { LiveLedger } from '../../../runtime/live-ledger.ts'
import type { Service } from '../../../runtime/service.ts'
import type { WorkPlan } from './work-plan.ts'

export interface ServiceOptions {
  readonly name?: string | undefined
  readonly concurrency?: number | undefined
  readonly grace?: Duration | undefined
}

/** A worker and a dispatcher, as far as the plan has work for them. */
export function startServices(
  ledger: LiveLedger,
  { handlers, publishers }: WorkPlan,
  { name, concurrency, grace }: ServiceOptions,
): readonly Service[] {
  const isWorker = Object.keys(handlers).length > 0
  const isDispatcher = Object.keys(publishers).length > 0
  return [
    ...(isWorker ? [ledger.work(handlers, { name, concurrency, grace })] : []),
    ...(isDispatcher ? [ledger.dispatch(publishers, { name, concurrency })] : []),
  ]
}
