import type { DocumentRecord } from '../../../core/document/record.ts'
import { withDefaults } from '../../../core/job/old-records.ts'
import type { JobRecord, StepRecord } from '../../../core/job/record.ts'
import { type CompactDocument, compactDocument, fullDocument } from './compact-document.ts'
import { endOfString, type Key, keyText, parseKey, splitKey } from './key-text.ts'
import type { Found, TableName, ValueOf } from './tables.ts'

/** What stands between two lines of a block, and between two blocks. */
export const BETWEEN_LINES = ',\n'

/** A record as it stands in a block: `"key":value`, on one line. */
export function recordLine<T extends TableName>(table: T, { tenant_id, id }: Key, value: ValueOf[T]): string {
  const written = table === 'states' ? compactDocument(value as DocumentRecord) : value
  return `${keyText(tenant_id, id)}:${JSON.stringify(written)}`
}

/** The lines of a block, without what stands between them. JSON has no newlines inside its strings. */
export function linesOf(text: string): string[] {
  return text.split(BETWEEN_LINES)
}

/** The key of a line, quotes and all: what filters know it by. */
export function keyTextOf(line: string): string {
  return line.slice(0, endOfString(line, 0))
}

export function keyOfLine(line: string): Key {
  return parseKey(keyTextOf(line))
}

/** All of it new: nothing in it is cut out of the line, which would keep the text of its whole block in memory. */
export function parseRecordLine<T extends TableName>(table: T, line: string): Found<T> {
  const end = endOfString(line, 0)
  const { tenant_id, id } = splitKey(JSON.parse(line.slice(0, end)))
  return { tenant_id, id, value: parseValue(table, line.slice(end + 1), tenant_id, id) }
}

export function parseValue<T extends TableName>(
  table: T,
  text: string,
  tenant_id: string,
  id: string,
): ValueOf[T] {
  const written: unknown = JSON.parse(text)
  if (table === 'jobs' || table === 'steps')
    return withDefaults(written as JobRecord | StepRecord) as ValueOf[T]
  if (table !== 'states') return written as ValueOf[T]
  return fullDocument(written as CompactDocument, tenant_id, id) as ValueOf[T]
}
