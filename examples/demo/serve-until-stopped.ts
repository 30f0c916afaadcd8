import { goLive } from './live/go-live.ts'
import { heading, paint } from './paint.ts'

/** Lets people look around while the work goes on, until they have seen enough. */
export async function serveUntilStopped(folder: string): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve())
  })
  await using live = await goLive(folder)
  console.log(`${heading('LOOK AROUND')}
    ${paint('bold', live.link)}
    ${paint('dim', 'The link opens the page once. Ctrl-C ends it.')}
`)
  await stopped
}
