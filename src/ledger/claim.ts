import type { RecordKey } from '../core/aggregate.ts'
import type { ClaimAnswer, JobCommand } from '../core/job/commands.ts'
import type { OutboxRecord } from '../core/job/record.ts'
import { queueOf } from '../core/job/waiting.ts'
import { type Held, pick } from '../core/pick.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { pageSize } from '../store/query.ts'
import type { Sweep } from '../store/store.ts'
import { checkId } from './check-input.ts'
import type { Committer } from './committer.ts'
import type { LedgerSettings } from './settings.ts'

interface TakeOptions {
  /** At most so many at once; 1 when absent. */
  readonly limit?: number | undefined
  /** Attempts each tenant has running here, so that tenants take turns. */
  readonly running?: ReadonlyMap<string, number> | undefined
  /** Is told what stays behind and why, each time there was a look at what is ready. */
  readonly onHeld?: ((held: readonly Held[]) => void) | undefined
}

export interface ClaimOptions extends TakeOptions {
  readonly queues: readonly string[]
  /** Only work of these, at most 1,000; of all tenants when absent. */
  readonly tenants?: readonly string[] | undefined
  /** Who takes it: shown as the holder of the lease. */
  readonly worker?: string | undefined
}

export interface DispatchOptions extends TakeOptions {
  /** The services (queues) whose directives this dispatcher publishes. */
  readonly services: readonly string[]
  readonly dispatcher?: string | undefined
}

/** A step that was handed to a worker, with what the worker needs to do it. */
export type Work = ClaimAnswer

export async function claimSteps(
  committer: Committer,
  settings: LedgerSettings,
  options: ClaimOptions,
): Promise<readonly Work[]> {
  const actor = options.worker ?? settings.actor
  return take(committer, 'claimStep', actor, options)
}

export async function takeDirectives(
  committer: Committer,
  settings: LedgerSettings,
  options: DispatchOptions,
): Promise<readonly OutboxRecord[]> {
  const queues = options.services.map((service) => queueOf(service, 'push'))
  return take(committer, 'takeOutbox', options.dispatcher ?? settings.actor, { ...options, queues })
}

/** Losing a race for a piece of work is no error: somebody else has it. */
async function take<T extends 'claimStep' | 'takeOutbox'>(
  committer: Committer,
  type: T,
  actor: string,
  options: ClaimOptions,
) {
  checkClaim(options)
  const command = ({ tenant_id, id }: RecordKey) =>
    ({ type, tenant_id, job_id: id, actor, reason: null }) as Extract<JobCommand, { readonly type: T }>
  return committer.sweep(readySweep(options), command)
}

/** What can be seen from the request itself. */
export function checkClaim({ queues, tenants, worker, limit }: ClaimOptions): { readonly limit: number } {
  for (const queue of queues) checkId('queues', queue)
  if (tenants !== undefined) checkTenants(tenants)
  if (worker !== undefined) checkId('worker', worker)
  return { limit: pageSize(limit ?? 1) }
}

const MOST_TENANTS = 1000

function checkTenants(tenants: readonly string[]): void {
  if (tenants.length > MOST_TENANTS) {
    const what = `tenants names ${tenants.length} tenants, and ${MOST_TENANTS} are the most`
    throw new InvalidInput('tenants', what, 'Name fewer, or none to take work of all.')
  }
  for (const tenant of tenants) checkId('tenants', tenant)
}

/** Tenants take turns, and some of what is ready may be held: more has to be looked at than can be taken. */
const ENOUGH_TO_CHOOSE_FROM = 4

const NOBODY: ReadonlyMap<string, number> = new Map()

function readySweep(options: ClaimOptions): Sweep {
  const limit = pageSize(options.limit ?? 1)
  return {
    what: 'ready',
    queues: options.queues,
    perGroup: limit,
    most: ENOUGH_TO_CHOOSE_FROM * limit,
    tenants: options.tenants,
    pick: (heads, view) => {
      const { chosen, held } = pick(heads, { limit, running: options.running ?? NOBODY, view })
      options.onHeld?.(held)
      return chosen
    },
  }
}
