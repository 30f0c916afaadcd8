// Jobs of Graphile Worker in every state, made by Graphile Worker itself.
import * as graphile18 from 'graphile-worker'
import * as graphile16 from 'graphile-worker-16'

type Graphile = Pick<typeof graphile18, 'run' | 'runOnce' | 'makeWorkerUtils' | 'Logger'>

/** By the number of its last migration. */
export const GRAPHILE: readonly (readonly [number, Graphile])[] = [
  [20, graphile18],
  [18, graphile16 as unknown as Graphile],
]

/** As the one that the scene is started with. */
export const CRONTAB = `# every night
30 2 * * * mail ?id=nightly&fill=2d&priority=-5&max=3 {"kind":"digest"}
*/10 * * * * sweep
0 4 * * 1 mail ?id=odd {kind: "not JSON"}
`

const HOUR_MS = 3_600_000

/** Somebody is still working when it comes back, until it is released. */
export async function fillGraphile(
  graphile: Graphile,
  place: { readonly url: string; readonly schema: string },
): Promise<{ release(): Promise<void> }> {
  const logger = new graphile.Logger(() => () => {})
  const shared = { connectionString: place.url, schema: place.schema, logger, noHandleSignals: true }
  const worker = await graphile.makeWorkerUtils(shared)
  await worker.migrate()
  const retried = await worker.addJob('mail', { to: 'retried' }, { maxAttempts: 4 })
  await worker.addJob('mail', { to: 'gone' }, { maxAttempts: 1 })
  await worker.addJob('mail', { to: 'sent' })
  await graphile.runOnce({
    ...shared,
    taskList: {
      mail: async (payload) => {
        if ((payload as { to: string }).to !== 'sent') throw new Error('there is no such address')
      },
    },
  })
  // Two seconds after the first attempt would be the next, and it is to wait.
  const later = new Date(Date.now() + HOUR_MS)
  await worker.rescheduleJobs([retried.id], { runAt: later })
  await worker.addJob('busy', { by: 'somebody' })
  const began = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  const runner = await graphile.run({
    ...shared,
    concurrency: 1,
    crontab: CRONTAB.replace('{kind: "not JSON"}', '{"kind":"odd"}'),
    taskList: {
      busy: () => {
        began.resolve()
        return released.promise
      },
    },
  })
  await began.promise
  await worker.addJob('mail', { to: 'ann' }, { jobKey: 'ann', flags: ['slow'] })
  await worker.addJob('mail', { to: 'bob' }, { priority: -10, queueName: 'one by one' })
  await worker.addJob('mail', { to: 'cy' }, { priority: 10, queueName: 'one by one' })
  await worker.addJob('mail', { to: 'later' }, { runAt: later, maxAttempts: 2 })
  await worker.release()
  return {
    release: async () => {
      released.resolve()
      await runner.stop()
    },
  }
}
