import type { Pages } from '../../lists/use-pages.ts'
import { Loading } from '../../parts/answer.tsx'
import { Button } from '../../parts/button.tsx'
import { ErrorNotice, Notice } from '../../parts/notice.tsx'
import styles from './events.module.css'

/** What comes after the items of a list: more of them, why there are none, or what went wrong. */
export function PagesFoot<T>({ pages }: { readonly pages: Pages<T> }) {
  const { items, isPending, error, hasMore, isLoadingMore, loadMore, retry } = pages
  if (isPending) return <Loading />
  if (error !== null) return <ErrorNotice error={error} retry={items.length === 0 ? retry : loadMore} />
  if (items.length === 0) {
    return (
      <Notice kind="empty" title="Its history is gone">
        Retention has removed what happened to it.
      </Notice>
    )
  }
  if (!hasMore) return null
  return (
    <div className={styles.foot}>
      <Button onClick={loadMore} isBusy={isLoadingMore}>
        {isLoadingMore ? 'Reading…' : 'Earlier ones'}
      </Button>
    </div>
  )
}
