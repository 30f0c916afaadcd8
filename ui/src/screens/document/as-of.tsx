// What the document was like at some time, beside what it is like now.
import { useQuery } from '@tanstack/react-query'
import { ApiError } from '../../api/client.ts'
import { type DocumentRecord, documentAtQuery } from '../../api/documents.ts'
import { usePreferences } from '../../app/preferences.ts'
import { useUrlState } from '../../app/url-state.ts'
import { absolute } from '../../format/time.ts'
import { inputOf, isoOf } from '../../format/time-input.ts'
import { Answer } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { Notice } from '../../parts/notice.tsx'
import { Panel } from '../../parts/panel.tsx'
import styles from './document.module.css'
import { DocumentFacts } from './document-facts.tsx'

export function AsOf({ document }: { readonly document: DocumentRecord }) {
  const [{ at }, setUrl] = useUrlState()
  const { zone } = usePreferences()
  return (
    <Panel
      title="At another time"
      actions={
        at === undefined ? null : (
          <Button look="quiet" onClick={() => setUrl({ at: null })}>
            Back to now
          </Button>
        )
      }
    >
      <div className={styles.asOf}>
        <label className={styles.field}>
          Time{zone === 'utc' ? ' (UTC)' : ''}
          <input
            type="datetime-local"
            step={1}
            value={inputOf(at, zone)}
            onChange={({ target }) => setUrl({ at: isoOf(target.value, zone) }, { isPlace: false })}
          />
        </label>
        {at === undefined ? (
          <Notice kind="empty" title="Choose a time">
            Or press <em>Then</em> beside something that happened to it.
          </Notice>
        ) : (
          <Then document={document} at={at} />
        )}
      </div>
    </Panel>
  )
}

function Then({
  document: { tenant_id, doc_id },
  at,
}: {
  readonly document: DocumentRecord
  readonly at: string
}) {
  const { zone } = usePreferences()
  const query = useQuery(documentAtQuery(tenant_id, doc_id, at))
  if (query.error instanceof ApiError && query.error.status === 404) {
    return <Notice kind="missing" title="It was not there yet, or nothing is known of that time" />
  }
  return (
    <Answer query={query}>
      {(then) => (
        <>
          <p className={styles.meaning}>At {absolute(at, zone)}</p>
          <DocumentFacts document={then} />
          {then.complete ? null : (
            <p className={styles.meaning}>
              History before this was removed: the state is right, the metadata may lack something.
            </p>
          )}
        </>
      )}
    </Answer>
  )
}
