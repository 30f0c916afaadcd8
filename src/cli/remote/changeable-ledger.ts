import type { Protocol } from '../../core/job/protocol.ts'
import type { Jobs } from '../../ledger/jobs.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Envelope } from '../../ledger/request.ts'
import type { CallOptions } from '../../ledger/settings.ts'
import type { AgainOptions } from '../../ledger/steering.ts'
import type { SubmittedJob } from '../../ledger/submitted-job.ts'

/** A job that was accepted, as commands tell of it. */
export type AcceptedJob = Pick<SubmittedJob, 'tenant_id' | 'job_id' | 'duplicate' | 'differing'>

export interface ChangeableJobs
  extends Pick<
    Jobs,
    'get' | 'show' | 'list' | 'cancel' | 'cancelMany' | 'againMany' | 'annotate' | 'expedite' | 'reportStage'
  > {
  register(...protocols: readonly Protocol[]): void
  submit(envelope: Envelope, options?: CallOptions): Promise<AcceptedJob>
  again(job_id: string, options?: AgainOptions): Promise<AcceptedJob>
}

/**
 * What commands need of a ledger to change something: one that is open here, or one that a server has. Both answer the same,
 * and refuse in the same words.
 */
export interface ChangeableLedger extends Pick<Ledger, 'why' | 'stats' | 'compact'> {
  readonly jobs: ChangeableJobs
  readonly documents: Pick<Ledger['documents'], 'getState' | 'updateState'>
  readonly queues: Pick<Ledger['queues'], 'pause' | 'resume' | 'limit'>
  readonly runs: Pick<Ledger['runs'], 'create' | 'update' | 'seal' | 'cancel'>
  readonly schedules: Pick<Ledger['schedules'], 'put' | 'pause' | 'resume' | 'remove'>
  readonly workstreams: Pick<Ledger['workstreams'], 'update' | 'seal'>
  readonly tokens: Pick<Ledger['tokens'], 'mint' | 'revoke'>
}
