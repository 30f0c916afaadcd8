import type { DocumentState } from '../machines/document.ts'
import type { DocumentRecord } from './record.ts'

type Retries = Pick<DocumentRecord, 'retry_count' | 'max_retries'>

const DEFAULT_MAX_RETRIES = 3

/** What a document that has not moved yet has of them. */
export function retriesOf(before: Retries | null): Retries {
  return before ?? { retry_count: 0, max_retries: DEFAULT_MAX_RETRIES }
}

/** Going into `retrying` counts as one more, unless somebody says otherwise. */
export function retriesAfter(
  before: Retries | null,
  state: DocumentState,
  told: { readonly [F in keyof Retries]?: number | null | undefined },
): Retries {
  const { retry_count, max_retries } = retriesOf(before)
  return {
    retry_count: told.retry_count ?? retry_count + (state === 'retrying' ? 1 : 0),
    max_retries: told.max_retries ?? max_retries,
  }
}
