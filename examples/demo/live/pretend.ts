import { setTimeout } from 'node:timers/promises'
import { NonRetryable, StepFailure, type StepWork } from 'waybill'
import { Dice } from './dice.ts'

/** What a stage would do if it did anything: it takes its time, and does not always work out. */
export interface Pretence {
  readonly seconds: readonly [least: number, most: number]
  /** The share of attempts that fail and are tried again, between 0 and 1. */
  readonly fails?: number
  /** The share of jobs for which it fails for good. */
  readonly breaks?: number
  readonly trouble?: { readonly code: string; readonly message: string }
}

export interface Pretended {
  readonly ms: number
  readonly fate: 'works' | 'fails' | 'breaks'
}

const TROUBLE = { code: 'HICCUP', message: 'It did not work, nobody knows why' }

/** What becomes of an attempt: the same in every run of the demo. */
export function fateOf(job_id: string, step_id: string, attempt_no: number, pretence: Pretence): Pretended {
  const { seconds, fails = 0, breaks = 0 } = pretence
  const attempt = new Dice(job_id, step_id, attempt_no)
  const ms = Math.round(attempt.between(seconds) * 1000)
  if (new Dice(job_id, step_id).chance(breaks)) return { ms, fate: 'breaks' }
  return { ms, fate: attempt.chance(fails) ? 'fails' : 'works' }
}

/** A handler that does so. */
export function pretending(pretence: Pretence) {
  const { code, message } = pretence.trouble ?? TROUBLE
  return async ({ job, step, signal }: Pick<StepWork, 'job' | 'step' | 'signal'>) => {
    const { ms, fate } = fateOf(job.job_id, step.step_id, step.attempt_no, pretence)
    await setTimeout(ms, undefined, { signal })
    if (fate === 'breaks') throw new NonRetryable(`${message}; it is of no use to try again`, { code })
    if (fate === 'fails') throw new StepFailure(message, { code })
    return { took_ms: ms }
  }
}
