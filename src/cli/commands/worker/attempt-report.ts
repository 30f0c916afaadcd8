import type { AuditRecord } from '../../../core/audit.ts'
import { fromEpochSeconds } from '../../../core/time.ts'
import { countOf, countText, durationText } from '../../output/words.ts'

interface Running {
  readonly name: string
  readonly since: number
}

/** What has come of attempts, and of directives, since the worker began: told from the history. */
export class AttemptReport {
  readonly #running = new Map<string, Running>()
  #succeeded = 0
  #failed = 0
  #retried = 0
  #cancelled = 0
  #sent = 0
  /** Jobs that failed for good. */
  #jobsFailed = 0

  get jobsFailed(): number {
    return this.#jobsFailed
  }

  get running(): number {
    return this.#running.size
  }

  get counts() {
    return {
      succeeded: this.#succeeded,
      failed: this.#failed,
      retried: this.#retried,
      cancelled: this.#cancelled,
      sent: this.#sent,
      jobs_failed: this.#jobsFailed,
    }
  }

  /** Answers whether it is something to tell: an attempt that is over, or a directive that went out or did not. */
  take(record: AuditRecord): boolean {
    const { kind, event, new_state } = record
    if (kind === 'job' && new_state === 'FAILED_FINAL') this.#jobsFailed++
    if (kind === 'outbox') return this.#takeDirective(record)
    if (kind !== 'step' || event !== 'moved') return false
    const key = `${record.tenant_id}\n${record.id}`
    if (new_state === 'IN_PROGRESS') {
      this.#running.set(key, { name: nameOf(record), since: fromEpochSeconds(record.timestamp) })
      return false
    }
    const wasRunning = this.#running.delete(key) || record.old_state === 'IN_PROGRESS'
    switch (new_state) {
      case 'SUCCEEDED':
        this.#succeeded++
        return true
      case 'FAILED_FINAL':
        this.#failed++
        return true
      case 'FAILED_RETRY':
        this.#retried++
        return true
      case 'CANCELLED':
        if (wasRunning) this.#cancelled++
        return wasRunning
      default:
        return false
    }
  }

  #takeDirective({ event, new_state }: AuditRecord): boolean {
    if (event === 'moved' && new_state === 'SENT') this.#sent++
    return event === 'noted' || event === 'moved'
  }

  /** `3 running, 12 done, 1 failed`: the numbers that are not 0, but always those of what was done. */
  get text(): string {
    return [
      `${countText(this.#succeeded)} done`,
      ...(this.#failed === 0 ? [] : [`${countText(this.#failed)} failed for good`]),
      ...(this.#retried === 0 ? [] : [`${countText(this.#retried)} retried`]),
      ...(this.#cancelled === 0 ? [] : [`${countText(this.#cancelled)} cancelled`]),
      ...(this.#sent === 0 ? [] : [countOf(this.#sent, 'directive').replace(/$/, ' sent')]),
    ].join(', ')
  }

  /** What runs, the longest first. */
  lines(now: number, most: number): readonly string[] {
    const all = [...this.#running.values()]
    const shown = all.slice(0, most).map(({ name, since }) => {
      const seconds = Math.max(0, Math.floor((now - since) / 1000))
      return `  ${durationText(seconds).padStart(7)}  ${name}`
    })
    const more = all.length - shown.length
    return more === 0 ? shown : [...shown, `           and ${countText(more)} more`]
  }
}

function nameOf({ job_id, metadata }: AuditRecord): string {
  return `${job_id}/${metadata.step_id} #${metadata.attempt_no}`
}
