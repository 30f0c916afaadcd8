import type { DocumentAsOf, DocumentRecord } from '../../api/documents.ts'
import { usePage } from '../../app/context.ts'
import { Facts } from '../../parts/facts.tsx'
import { JsonView } from '../../parts/json-view.tsx'
import { StatePill } from '../../parts/state-pill.tsx'
import { Since, When } from '../../parts/when.tsx'
import styles from './document.module.css'

/** What a document is like, now or at another time. */
export function DocumentFacts({ document }: { readonly document: DocumentRecord | DocumentAsOf }) {
  const { machines } = usePage()
  const { state, updated_at, adapter, retry_count, max_retries, error_type, error_message, metadata } =
    document
  const isNow = 'etag' in document
  return (
    <div className={styles.about}>
      <p className={styles.meaning}>{machines.document.states[state]?.about}</p>
      <Facts
        facts={[
          ['State', <StatePill key="state" kind="document" state={state} />],
          ['Since', <When key="since" at={updated_at} />],
          isNow ? ['For', <Since key="for" at={updated_at} />] : null,
          ['Adapter', adapter === '' ? 'nobody yet' : adapter],
          ['Retries', `${retry_count} of ${max_retries}`],
          error_type === null ? null : ['Error', error_type],
        ]}
      />
      {error_message === null ? null : <p className={styles.error}>{error_message}</p>}
      <details open={Object.keys(metadata).length > 0}>
        <summary>Metadata</summary>
        <JsonView value={metadata} label="Metadata" />
      </details>
    </div>
  )
}
