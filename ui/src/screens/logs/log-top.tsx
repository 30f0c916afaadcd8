import { Button } from '../../parts/button.tsx'
import type { LogFeed } from './log-feed.ts'
import styles from './log-list.module.css'

/** Before the oldest entry: whether there are more. */
export function LogTop({ feed }: { readonly feed: LogFeed }) {
  const { error, hasOlder, isLoadingOlder } = feed
  if (error !== null) {
    return (
      <div className={styles.top} role="alert">
        The entries before could not be read.
        <Button look="quiet" onClick={() => void feed.loadOlder()}>
          Try again
        </Button>
      </div>
    )
  }
  return (
    <div className={styles.top}>
      {isLoadingOlder || hasOlder ? 'Looking further back…' : 'There is nothing older'}
    </div>
  )
}
