import type { AuditRecord, Ledger, RecordKind, WaybillError } from 'waybill'
import { TENANTS } from './library.ts'
import { bar, count, duration, heading, paint, withoutTime } from './paint.ts'

const CHART_WIDTH = 34

/** How many records of a kind are in each state, tenant by tenant; states nobody is in are left out. */
export async function countsByState(ledger: Ledger, kind: RecordKind, title: string): Promise<string[]> {
  const perTenant = await Promise.all(TENANTS.map((tenant) => ledger.counts(kind, tenant)))
  const all = await ledger.counts(kind)
  const most = Math.max(...Object.values(all))
  const rows = Object.entries(all).filter(([, n]) => n > 0)
  return [
    `${heading(title.padEnd(16))}${TENANTS.map((tenant) => paint('dim', tenant.padStart(10))).join('')}`,
    ...rows.map(([state, n]) => {
      const numbers = perTenant.map((counts) => count(counts[state] ?? 0).padStart(10)).join('')
      return `    ${state.padEnd(14)}${numbers}  ${paint(colourOf(state), bar(n, most, CHART_WIDTH))}`
    }),
  ]
}

function colourOf(state: string): 'green' | 'red' | 'yellow' {
  if (/^(?:completed|SUCCEEDED)$/.test(state)) return 'green'
  return /fail/i.test(state) ? 'red' : 'yellow'
}

/** How long attempts took, by step, the slowest first: read from the history, like everything here. */
export function slowestSteps(history: readonly AuditRecord[]): string[] {
  const seconds = new Map<string, number[]>()
  for (const { old_state, duration_seconds, metadata } of history) {
    if (old_state !== 'IN_PROGRESS' || duration_seconds === null) continue
    const step = String(metadata.step_id)
    seconds.set(step, [...(seconds.get(step) ?? []), duration_seconds])
  }
  const steps = [...seconds].map(([step, all]) => ({ step, all: all.sort((a, b) => a - b) }))
  steps.sort((a, b) => at(b.all, 0.95) - at(a.all, 0.95))
  const columns = ['attempts', 'median', 'p95', 'longest'].map((name) => name.padStart(13)).join('')
  return [
    `${heading('SLOWEST STEPS'.padEnd(16))}${paint('dim', columns)}`,
    ...steps.map(({ step, all }) => {
      const times = [at(all, 0.5), at(all, 0.95), at(all, 1)].map((time) => duration(time).padStart(13))
      return `    ${step.padEnd(14)}${count(all.length).padStart(13)}${times.join('')}`
    }),
  ]
}

function at(sorted: readonly number[], part: number): number {
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? 0
}

/** Attempts that failed, by cause: how often they were tried again, and how often that was the end. */
export function whatWentWrong(history: readonly AuditRecord[]): string[] {
  const causes = new Map<string, { retried: number; final: number; message: string }>()
  for (const { new_state, error_type, error_message } of history) {
    if (error_type === null || (new_state !== 'FAILED_RETRY' && new_state !== 'FAILED_FINAL')) continue
    // One line for each cause will do.
    const message = withoutTime(String(error_message))
    const cause = causes.get(error_type) ?? { retried: 0, final: 0, message }
    cause[new_state === 'FAILED_RETRY' ? 'retried' : 'final']++
    causes.set(error_type, cause)
  }
  const columns = ['retried', 'for good'].map((name) => name.padStart(10)).join('')
  return [
    `${heading('FAILED ATTEMPTS'.padEnd(16))}${paint('dim', columns)}`,
    ...[...causes].map(([code, { retried, final, message }]) => {
      const numbers = [retried, final].map((n) => (n === 0 ? '–' : count(n)).padStart(10)).join('')
      return `    ${code.padEnd(14)}${numbers}  ${paint('dim', message)}`
    }),
  ]
}

export function refusals(refused: readonly WaybillError[]): string[] {
  const byCode = Map.groupBy(refused, ({ code }) => code)
  return [
    heading('REFUSED, AND WHAT TO DO ABOUT IT'),
    ...[...byCode.values()].flatMap(([first, ...more]) => {
      if (first === undefined) return []
      const times = more.length > 0 ? paint('dim', ` (${more.length + 1} times)`) : ''
      return [
        `    ${paint('red', `${first.status} ${first.code}`)}${times}`,
        ...wrap(first.message, '      '),
        ...wrap(first.next, `      ${paint('green', '→')} `),
      ]
    }),
  ]
}

const TEXT_WIDTH = 72

function wrap(text: string, indent: string): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > TEXT_WIDTH) {
      lines.push(line)
      line = ''
    }
    line = line === '' ? word : `${line} ${word}`
  }
  return [...lines, line].map((each, i) => (i === 0 ? indent + each : `        ${each}`))
}
