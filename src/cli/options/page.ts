import { Option } from 'commander'
import type { Cursor, Page } from '../../store/query.ts'
import { wholeNumber } from './numbers.ts'

export interface PagingOptions {
  readonly limit: number
  readonly all?: boolean
  readonly after?: Cursor
}

const DEFAULT_LIMIT = 100
/** As much as a ledger gives at once. */
const LARGEST_PAGE = 1000

/** In which order a list comes. */
export interface OrderOptions {
  readonly order: 'id' | 'changed'
  readonly desc?: boolean
}

export function orderOptions(): readonly Option[] {
  return [
    new Option('--order <order>', 'by id, or by the time of the last change')
      .choices(['id', 'changed'])
      .default('id'),
    new Option('--desc', 'the other way round: last id or latest change first'),
  ]
}

export function pagingOptions(): readonly Option[] {
  return [
    new Option('--limit <n>', 'at most so many')
      .default(DEFAULT_LIMIT)
      .argParser((text) => wholeNumber('limit', text, 1)),
    new Option('--all', 'all there are, however many').conflicts('limit'),
    new Option('--after <cursor>', 'go on where an earlier list ended'),
  ]
}

/** Asks for page after page until there is enough, or nothing more. */
export async function* pagesOf<T>(
  ask: (page: { readonly limit: number; readonly after: Cursor | undefined }) => Promise<Page<T>>,
  { limit, all, after: start }: PagingOptions,
): AsyncGenerator<Page<T>> {
  let left = all === true ? Number.POSITIVE_INFINITY : limit
  for (let after = start; left > 0; ) {
    const page = await ask({ limit: Math.min(left, LARGEST_PAGE), after })
    yield page
    if (page.next === null) return
    left -= page.items.length
    after = page.next
  }
}
