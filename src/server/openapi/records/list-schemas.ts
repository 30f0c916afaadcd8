import { z } from 'zod'
import { nameOf } from '../schema-name.ts'

/** A part of a list that may be long. */
export function pageSchema(item: z.ZodType) {
  return z
    .strictObject({
      items: z.array(item),
      next: z.string().nullable().describe('`after` of the next page; null when there is none'),
    })
    .meta({ id: `${nameOf(item)}Page` })
}

/** All there are, or the first so many. */
export function listSchema(item: z.ZodType) {
  return z
    .strictObject({
      items: z.array(item),
      is_more: z.boolean().describe('There are more than are told at once'),
    })
    .meta({ id: `${nameOf(item)}List` })
}
