import type { HistoryRecord } from '../../api/live.ts'
import { msOf } from '../../format/time.ts'

const COLUMNS: readonly (readonly [title: string, cell: (record: HistoryRecord) => string | null])[] = [
  ['Time', ({ timestamp }) => new Date(msOf(timestamp)).toISOString()],
  ['Level', ({ level }) => level],
  ['Tenant', ({ tenant_id }) => tenant_id],
  ['Kind', ({ kind }) => kind],
  ['Id', ({ id }) => id],
  ['Event', ({ event }) => event],
  ['From', ({ old_state }) => old_state],
  ['To', ({ new_state }) => new_state],
  ['Actor', ({ actor }) => actor],
  ['Adapter or tool', ({ adapter }) => adapter],
  ['Error or reason', ({ error_type, error_message, reason }) => texts(error_type, error_message, reason)],
]

/** Part of the history as a table. What is in it is text, whatever it looks like. */
export function markdownOf(records: readonly HistoryRecord[]): string {
  const rows = records.map((record) => row(COLUMNS.map(([, cell]) => escaped(cell(record) ?? ''))))
  return `${[row(COLUMNS.map(([title]) => title)), row(COLUMNS.map(() => '---')), ...rows].join('\n')}\n`
}

function texts(...parts: readonly (string | null)[]): string {
  return parts.filter((part) => part !== null && part !== '').join(': ')
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`
}

/** A cell is one line, and a pipe would end it. */
export function escaped(text: string): string {
  return text
    .replace(/[\\`*[\]<>|~&]|(?<![a-z0-9])_|_(?![a-z0-9])/gi, (char) => `\\${char}`)
    .replace(/\s*[\r\n\u2028\u2029]+\s*/g, ' ')
    .trim()
}
