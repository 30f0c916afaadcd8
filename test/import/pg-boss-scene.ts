// Queues of pg-boss with jobs in every state, made by pg-boss itself. What differs between its versions is few.
import { PgBoss as PgBoss12 } from 'pg-boss'
import PgBoss10 from 'pg-boss-10'
import PgBoss11 from 'pg-boss-11'

/** What is used of it, by all versions. */
interface Boss {
  on(event: 'error', listener: (error: Error) => void): unknown
  start(): Promise<unknown>
  stop(options?: object): Promise<void>
  createQueue(name: string, options?: object): Promise<void>
  send(name: string, data: object, options?: object): Promise<string | null>
  insert(name: string, jobs: readonly object[]): Promise<unknown>
  fetch(name: string): Promise<readonly { readonly id: string }[]>
  complete(name: string, id: string, data?: object): Promise<unknown>
  fail(name: string, id: string, data?: object): Promise<unknown>
  cancel(name: string, id: string): Promise<unknown>
  schedule(name: string, cron: string, data?: object, options?: object): Promise<void>
}

type Options = { connectionString: string; schema: string; supervise: boolean; schedule: boolean }

/** By the number of the version of its tables. */
export const PG_BOSS: readonly (readonly [number, (options: Options) => Boss])[] = [
  [43, (options) => new PgBoss12(options) as unknown as Boss],
  [26, (options) => new PgBoss11(options) as unknown as Boss],
  [24, (options) => new PgBoss10(options) as unknown as Boss],
]

export async function withBoss(
  make: (options: Options) => Boss,
  place: { readonly url: string; readonly schema: string },
  work: (boss: Boss) => Promise<void>,
): Promise<void> {
  const boss = make({ connectionString: place.url, schema: place.schema, supervise: false, schedule: false })
  boss.on('error', () => {})
  await boss.start()
  try {
    await work(boss)
  } finally {
    await boss.stop({ graceful: false, wait: true, close: true })
  }
}

export async function fillPgBoss(boss: Boss): Promise<void> {
  for (const name of ['mail', 'lost', 'busy', 'rest']) await boss.createQueue(name)
  const next = async (name: string) => {
    const [job] = await boss.fetch(name)
    if (job === undefined) throw new Error(`there is no job in ${name}`)
    return job.id
  }
  await boss.send('mail', { to: 'retried' }, { retryLimit: 3, retryDelay: 3600, retryBackoff: true })
  await boss.fail('mail', await next('mail'), { message: 'the server is busy' })
  await boss.send('mail', { to: 'sent' })
  await boss.complete('mail', await next('mail'), { sent: 1 })
  await boss.send('mail', { to: 'gone' }, { retryLimit: 0 })
  await boss.fail('mail', await next('mail'), { message: 'there is no such address' })
  const cancelled = await boss.send('mail', { to: 'nobody' })
  await boss.cancel('mail', cancelled as string)
  await boss.send('mail', { to: 'ann' }, { expireInSeconds: 90 })
  await boss.send('mail', { to: 'bob' }, { priority: 10, singletonKey: 'bob', deadLetter: 'lost' })
  await boss.send(
    'mail',
    { to: 'later' },
    { startAfter: 3600, retryLimit: 2, retryDelay: 5, retryBackoff: false },
  )
  await boss.send('rest', { n: 1 })
  await boss.send('busy', { by: 'somebody' })
  await next('busy')
  await boss.schedule('mail', '30 2 * * *', { kind: 'digest' }, { tz: 'Europe/Berlin' })
}
