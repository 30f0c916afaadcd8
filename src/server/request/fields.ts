import type { AuditRecord } from '../../core/audit.ts'
import { leveled } from '../../core/audit-level.ts'
import type { Page } from '../../store/query.ts'
import { ok, type Reply } from '../route.ts'

/** Only the fields that were asked for; one that a record does not have is left out. */
export function pick<T extends object>(record: T, fields: readonly string[] | undefined): Partial<T> {
  if (fields === undefined) return record
  const chosen = fields.filter((field) => Object.hasOwn(record, field))
  return Object.fromEntries(chosen.map((field) => [field, record[field as keyof T]])) as Partial<T>
}

export function pageReply<T extends object>(
  { items, next }: Page<T>,
  fields: readonly string[] | undefined,
): Reply {
  return ok({ items: items.map((item) => pick(item, fields)), next })
}

/** Part of the history, with how much each has to be cared about. */
export function historyReply(
  { items, next }: Page<AuditRecord>,
  fields: readonly string[] | undefined,
): Reply {
  return pageReply({ items: items.map(leveled), next }, fields)
}

/** A record, with its etag as the header that `If-Match` takes back. */
export function recordReply<T extends { readonly etag: string }>(
  record: T,
  fields?: readonly string[],
): Reply {
  return ok(pick(record, fields), { etag: `"${record.etag}"` })
}
