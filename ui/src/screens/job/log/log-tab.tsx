import type { JobName } from '../../../api/jobs.ts'
import { Loading } from '../../../parts/answer.tsx'
import { ErrorNotice, Notice } from '../../../parts/notice.tsx'
import type { LogFeed } from './log-feed.ts'
import { LogView } from './log-view.tsx'
import { useLogFeed, useSeen } from './use-log-feed.ts'

/** What the tool of a job has printed. */
export function LogTab({ name }: { readonly name: JobName }) {
  const feed = useLogFeed(name)
  return feed === null ? <Loading /> : <Log feed={feed} name={name} />
}

function Log({ feed, name }: { readonly feed: LogFeed; readonly name: JobName }) {
  const seen = useSeen(feed)
  if (seen.status === 'loading') return <Loading />
  if (seen.status === 'missing') {
    return (
      <Notice
        kind="missing"
        title="This job has no log here"
        action={{ label: 'Look again', run: () => feed.poke() }}
      >
        Only tool jobs print one, once they have begun, and it stays on the machine of their worker. What
        happened to the job is under Events.
      </Notice>
    )
  }
  if (seen.status === 'failed' && seen.lines === 0) {
    return <ErrorNotice error={seen.error} retry={() => feed.poke()} />
  }
  return <LogView feed={feed} seen={seen} name={name} />
}
