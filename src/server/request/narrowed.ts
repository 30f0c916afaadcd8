import type { RecordOf } from '../../core/aggregate.ts'
import { containing, type SearchedKind, TEXTS_OF } from '../../core/contained-text.ts'
import type { Cursor, Page } from '../../store/query.ts'
import { readOn } from '../../store/read-on.ts'

/** Records that are looked at for one page, when not all of them are asked for. */
const MOST_LOOKED_AT = 20_000

interface Narrowed<R> {
  /** Text that one of its names contains. */
  readonly q: string | undefined
  /** What else it has to be. */
  readonly also?: ((record: R) => boolean) | undefined
  readonly after: Cursor | undefined
  readonly limit: number | undefined
  readonly isEnough: () => boolean
}

/** A page of a list, of which only some are asked for by what no engine looks for. */
export function narrowed<K extends SearchedKind>(
  kind: K,
  { q, also, ...asked }: Narrowed<RecordOf[K]>,
  page: (part: { readonly after: Cursor | undefined; readonly limit: number }) => Promise<Page<RecordOf[K]>>,
): Promise<Page<RecordOf[K]>> {
  const contains = q === undefined ? null : containing(q)
  const matches = (record: RecordOf[K]) =>
    also?.(record) !== false && contains?.(TEXTS_OF[kind](record)) !== false
  return readOn({ ...asked, page, matches, most: MOST_LOOKED_AT })
}
