// What lists and changes are asked with. A query string has texts only, so numbers and lists are read from text here.
import { z } from 'zod'
import { fromIso } from '../../core/time.ts'
import { idSchema, timeSchema } from '../../ledger/envelope.ts'
import { LARGEST_PAGE } from '../../store/query.ts'

/** `a,b` or `field=a&field=b`. */
export function listOf<S extends z.ZodType<unknown, string>>(item: S) {
  return z.preprocess(
    (value) => (value === undefined ? undefined : [value].flat().flatMap(splitText)),
    z.array(item).min(1).max(MOST_VALUES).optional(),
  )
}

const MOST_VALUES = 100

function splitText(value: unknown): unknown[] {
  return typeof value === 'string' ? value.split(',').map((part) => part.trim()) : [value]
}

/** A whole number of such a size. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,15}$/, 'must be a whole number')
    .transform(Number)
    .refine((n) => n >= min && n <= max, `must be from ${min} to ${max}`)
    .meta({ type: 'integer', minimum: min, maximum: max })
}

/** A number of at least 0. */
export const amount = z
  .string()
  .regex(/^\d{1,12}(\.\d{1,6})?$/, 'must be a number')
  .transform(Number)
  .meta({ type: 'number', minimum: 0 })

/** ISO 8601, read as epoch milliseconds. */
export const time = timeSchema.transform(fromIso)

/** Whose records; `*` for those of everybody. */
export const tenantQuery = {
  tenant_id: idSchema
    .optional()
    .describe('Whose records; the one tenant of the token unless given, `*` for all of them'),
}

export const changeQuery = {
  ...tenantQuery,
  reason: z.string().max(10_000).optional().describe('Why; it is kept in the history'),
  actor: idSchema.optional().describe('In whose name; only for the command line of whoever runs the server'),
}

export const fieldsQuery = {
  fields: listOf(z.string().min(1).max(100)).describe(
    'Only these fields of each record, such as `job_id,state`; the answer lacks the others',
  ),
}

/** What a list is narrowed down by that no engine has; see `readOn`. */
export const textQuery = {
  q: z
    .string()
    .min(1)
    .max(200)
    .optional()
    .describe(
      'Text that one of its names contains, in capitals or not; a page may then be short and still have `next`',
    ),
}

export const pageQuery = {
  ...tenantQuery,
  ...fieldsQuery,
  limit: wholeNumber(1, LARGEST_PAGE).optional().describe('Most items of the page; 100 unless given'),
  after: z.string().min(1).max(10_000).optional().describe('`next` of the page before'),
}

/** For lists of records. */
export const listQuery = {
  ...pageQuery,
  order: z.enum(['id', 'changed']).optional(),
  direction: z.enum(['asc', 'desc']).optional(),
  changed_from: time.optional().describe('Last changed at this time or later'),
  changed_before: time.optional().describe('Last changed before this time'),
}

interface ListQuery {
  readonly limit?: number | undefined
  readonly after?: string | undefined
  readonly order?: 'id' | 'changed' | undefined
  readonly direction?: 'asc' | 'desc' | undefined
  readonly changed_from?: number | undefined
  readonly changed_before?: number | undefined
}

/** The same as the library has it. */
export function pageOf({ limit, after, order, direction, changed_from, changed_before }: ListQuery) {
  return { limit, after, order, direction, changedFrom: changed_from, changedBefore: changed_before }
}
