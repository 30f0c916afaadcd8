import type { JobName } from '../../../api/jobs.ts'
import type { LogFeed } from './log-feed.ts'

/** All of the log, as a file. */
export async function save(feed: LogFeed, { id }: JobName): Promise<void> {
  await feed.loadAll()
  const address = URL.createObjectURL(new Blob([...feed.buffer.texts()], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = address
  link.download = `${id.replace(/[^\w.-]+/g, '_')}.log`
  link.click()
  // The browser has to have begun with it.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}
