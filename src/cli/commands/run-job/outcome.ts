import { resolve } from 'node:path'
import type { JobRecord } from '../../../core/job/record.ts'
import { HUMAN } from '../../../core/job/tool-service.ts'
import { isJsonObject, type Json, type JsonObject } from '../../../core/json.ts'
import type { JobStateStore } from '../../../orchestrator/job-state-store.ts'
import type { FinishedJob } from '../../../orchestrator/orchestrator.ts'
import type { JobAttempt } from '../../../orchestrator/state-interface.ts'
import { type Field, fieldLines } from '../../output/fields.ts'
import { safeText } from '../../output/safe-text.ts'
import type { Style, TextStream } from '../../output/text-stream.ts'
import { codedText, countOf, durationText } from '../../output/words.ts'

/** How a job ended, and where what was written about it is. */
export interface Outcome extends FinishedJob {
  readonly log_file: string | null
  /** Null when there is none: it is written when an attempt fails. */
  readonly error_report: string | null
}

/** Files that are named; how many more there are is said. */
const MOST_FILES = 10

const STYLES: { readonly [status: string]: Style } = {
  completed: 'green',
  failed: 'red',
  timeout: 'red',
  cancelled: 'yellow',
  queued: 'yellow',
}

/** The job and those that took over from it, in turn. */
export async function outcomesOf(store: JobStateStore, job_id: string): Promise<readonly Outcome[]> {
  const all: Outcome[] = []
  for (let id: string | null = job_id; id !== null; ) {
    const found: FinishedJob | null = await store.getJob(id)
    const record = await store.ledger.jobs.get(id)
    if (found === null || record === null) break
    all.push({ ...found, ...filesOf(record, found) })
    id = found.escalated_to
  }
  return all
}

function filesOf({ payload }: JobRecord, { tool, attempts }: FinishedJob) {
  const paths = isJsonObject(payload) && isJsonObject(payload.paths) ? payload.paths : {}
  const at = (name: string) =>
    attempts.length === 0 || tool === HUMAN ? null : resolve(String(paths.repo_root), String(paths[name]))
  const hasFailed = attempts.some(({ status }) => status !== 'completed' && status !== 'running')
  return { log_file: at('log_file'), error_report: hasFailed ? at('error_report') : null }
}

/** For people. */
export function outcomeText(out: TextStream, outcome: Outcome): string {
  const { job_id, tool, status, attempts, metadata } = outcome
  const said = isLeft(outcome) ? 'left to a person' : status
  const heading = `${out.paint('bold', safeText(job_id))}  ${out.paint(STYLES[status], said)}\n`
  const last = attempts.at(-1)
  const fields: readonly Field[] = [
    ['tool', tool],
    ['error', codedText(outcome.error?.code ?? null, outcome.error?.message ?? null), undefined, 'red'],
    ['exit code', numberText(last?.exit_code)],
    ['attempts', attemptsText(attempts)],
    ['took', tookText(attempts)],
    // One that nobody tried yet has only what it was handed.
    ...(last === undefined ? [] : foundFields(metadata)),
    ['log', outcome.log_file],
    ['report', outcome.error_report],
    ['handed to', outcome.escalated_to, 'because it failed'],
  ]
  return heading + fieldLines(out, fields)
}

function foundFields(metadata: JsonObject): readonly Field[] {
  return [
    ['tests', testsText(metadata.tests)],
    ['touched', touchedText(metadata)],
    ['commit', commitText(metadata)],
  ]
}

/** Nobody but a person goes on with it. */
export function isLeft({ tool, status }: FinishedJob): boolean {
  return tool === HUMAN && (status === 'queued' || status === 'running')
}

function attemptsText(attempts: readonly JobAttempt[]): string | null {
  if (attempts.length === 0) return null
  const failed = attempts.filter(({ status }) => status !== 'completed').length
  const one = attempts.length === 1
  return `${attempts.length}${one || failed === 0 ? '' : `, ${failed} of them failed`}`
}

function tookText(attempts: readonly JobAttempt[]): string | null {
  if (attempts.length === 0) return null
  return durationText(attempts.reduce((sum, { duration_s }) => sum + (duration_s ?? 0), 0))
}

/** Null when there are none. */
export function testsText(tests: Json | undefined): string | null {
  if (!isJsonObject(tests)) return null
  const count = (name: string) => (typeof tests[name] === 'number' ? `${tests[name]} ${name}` : null)
  return ['passed', 'failed', 'skipped'].flatMap((name) => count(name) ?? []).join(', ')
}

function touchedText({ touched_files: files, touched_truncated }: JsonObject): string | null {
  if (!Array.isArray(files) || files.length === 0) return null
  const more = files.length - MOST_FILES
  const named = files.slice(0, MOST_FILES).join(', ')
  const rest = more > 0 ? ` and ${countOf(more, 'file')} more` : ''
  return `${named}${rest}${touched_truncated === true ? ', at least' : ''}`
}

function commitText({ commit_before: before, commit_after: after }: JsonObject): string | null {
  if (typeof after !== 'string') return null
  return before === after || typeof before !== 'string' ? short(after) : `${short(before)} → ${short(after)}`
}

function short(commit: string): string {
  return commit.slice(0, 12)
}

function numberText(value: number | null | undefined): string | null {
  return value == null ? null : String(value)
}
