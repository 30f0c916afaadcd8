// Mistakes in the rules: what is written is not what should be.
import type { JobAggregate, RecordKey, RecordOf } from '../../../src/core/aggregate.ts'
import type { Decision, Given } from '../../../src/core/decision.ts'
import { IN_FLIGHT } from '../../../src/core/job/limits.ts'
import type { RecordKind } from '../../../src/core/machines/all.ts'
import type { FindQuery, Page } from '../../../src/store/query.ts'
import type { Sweep } from '../../../src/store/store.ts'
import { Facade } from '../../conformance/facade.ts'
import type { Fault } from './fault.ts'
import { misled, shown, spoilt, spoiltPuts, stepBefore, unclaimed } from './meddling.ts'

export const IN_THE_KERNEL: readonly Fault[] = [
  {
    name: 'a limit is not released when a job is cancelled',
    caughtBy: /place under .* is held/,
    plant: () => ({
      store: spoilt(({ slots, puts }) => {
        const isCancelled = puts.some((put) => put.kind === 'job' && put.state === 'CANCELLED')
        const isKept = (key: string) => isCancelled && key !== IN_FLIGHT
        return { slots: slots.filter(({ verb, key }) => verb === 'take' || !isKept(key)) }
      }),
    }),
  },
  {
    name: 'the place in flight is not released when publishes are exhausted',
    caughtBy: /its place in flight is held/,
    plant: () => ({
      store: spoilt(({ slots, puts }) => {
        const isExhausted = puts.some((put) => put.kind === 'outbox' && put.state === 'FAILED_FINAL')
        return {
          slots: slots.filter(({ verb, key }) => verb === 'take' || !isExhausted || key !== IN_FLIGHT),
        }
      }),
    }),
  },
  {
    name: 'callbacks are heard whatever their lease',
    caughtBy: /was accepted|holds? the step|was ignored/,
    plant: () => ({
      jobs: (sound) => ({
        result: async ({ tenant_id, job_id, step_id, ...attempt }, result, options) => {
          const known = await sound.show(job_id, options?.tenant_id ?? tenant_id)
          const step = known?.steps.find((candidate) => candidate.step_id === step_id)
          const { attempt_no, lease_id } = step?.lease_id == null ? attempt : step
          return sound.result({ tenant_id, job_id, step_id, attempt_no, lease_id }, result, options)
        },
      }),
    }),
  },
  {
    name: 'a heartbeat does not extend the lease',
    caughtBy: /a heartbeat .* left its lease/,
    plant: () => ({
      store: spoiltPuts((put, given) => {
        const before = put.kind === 'step' ? stepBefore(put, given) : undefined
        if (put.kind !== 'step' || before?.lease_id !== put.lease_id || before.state !== put.state) return put
        return { ...put, lease_expires_at: before.lease_expires_at }
      }),
    }),
  },
  {
    name: 'the attempt is not counted',
    caughtBy: /a new lease is a new attempt|attempts_total/,
    plant: () => ({
      store: spoiltPuts((put, given) => {
        const before = put.kind === 'step' ? stepBefore(put, given) : undefined
        if (put.kind !== 'step' || before === undefined || before.attempt_no === 0) return put
        return { ...put, attempt_no: before.attempt_no }
      }),
    }),
  },
  {
    name: 'a dependency that failed counts as one that succeeded',
    caughtBy: /began while/,
    plant: () => ({
      store: misled((given) => ({
        get: (kind, tenant_id, id) => {
          const found = given.get(kind, tenant_id, id)
          if (kind !== 'job' || found == null || (found as JobAggregate).job.state !== 'CANCELLED')
            return found
          const { job } = found as JobAggregate
          return { ...found, job: { ...job, state: 'SUCCEEDED' } }
        },
      })),
    }),
  },
  {
    name: 'a pause is not honoured by those who hand out',
    // Who does not see queues does not see their rates either.
    caughtBy: /which is paused|attempts within/,
    plant: () => ({ store: (sound) => new BlindToQueues(sound) }),
  },
  {
    name: 'a request that is sent again makes a second job',
    caughtBy: /made job .* and then job .* as well|There is a job .* already/,
    plant: () => ({ store: misled(() => ({ ownerOf: () => undefined }), unclaimed) }),
  },
  {
    name: 'a schedule is fired twice for one time',
    caughtBy: /and does not say so/,
    plant: () => ({
      store: misled(
        () => ({}),
        ({ puts }) => {
          const isFired =
            puts.some((put) => put.kind === 'schedule') && puts.some((put) => put.kind === 'job')
          return { puts: puts.filter((put) => !isFired || put.kind !== 'schedule') }
        },
      ),
    }),
  },
  {
    name: 'a gate opens for whoever comes to it',
    caughtBy: /opened, and what it asks for is not so/,
    plant: () => ({
      store: spoiltPuts((put) => {
        if (put.kind !== 'step' || put.gate?.since == null || put.gate.opened_at !== null) return put
        return { ...put, gate: { ...put.gate, opened_at: put.gate.since } }
      }),
    }),
  },
  {
    name: 'nobody takes over from a job that failed',
    caughtBy: /says that .* took over/,
    plant: () => ({
      store: spoilt(({ puts }) => ({
        puts: puts.filter((put) => !('job_id' in put) || !put.job_id.includes('~')),
      })),
    }),
  },
  {
    name: 'a run ends whatever its jobs do',
    caughtBy: /^run .* is (succeeded|failed|cancelled), and job .* is open/,
    plant: () => ({ store: (sound) => new BlindToOpenJobs(sound) }),
  },
]

/** Finds no job of a run that is open. */
class BlindToOpenJobs extends Facade {
  override async find<K extends RecordKind>(query: FindQuery<K>): Promise<Page<RecordOf[K]>> {
    const where = query.where as { readonly run_id?: string; readonly state?: readonly string[] } | undefined
    const isAboutOpen = where?.run_id !== undefined && where.state?.includes('QUEUED') === true
    return query.kind === 'job' && isAboutOpen ? { items: [], next: null } : super.find(query)
  }
}

/** Hands out work as if nobody had decided anything about queues. */
class BlindToQueues extends Facade {
  override sweep<A>(selector: Sweep, decide: (key: RecordKey, given: Given) => Decision<A>) {
    if (selector.what !== 'ready') return super.sweep(selector, decide)
    const pick: typeof selector.pick = (heads, view) => selector.pick(heads, { ...view, queue: () => null })
    return super.sweep({ ...selector, pick }, (key, given) => {
      const get: Given['get'] = (kind, ...id) => (kind === 'queue' ? null : given.get(kind, ...id))
      return decide(key, shown(given, { get }))
    })
  }
}
