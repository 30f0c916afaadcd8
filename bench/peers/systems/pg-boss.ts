import { PgBoss } from 'pg-boss'
import { Countdown, type Opened, type Payload, type Place, type Sort, type WorkOptions } from '../system.ts'

const STEPS: { readonly [sort in Sort]: readonly string[] } = {
  one: ['only'],
  three: ['first', 'second', 'third'],
}

/** Jobs of one fetch, and fetches at once. */
const BATCH = 1000
const WORKERS = 2

/** As often as it may: nobody is notified of a job whose parents are done. */
const POLL_SECONDS = 0.5

export async function open({ postgres }: Place): Promise<Opened> {
  const boss = new PgBoss({
    connectionString: postgres ?? '',
    useListenNotify: true,
    max: 10,
    // How often it looks for jobs whose parents are done; 5 unless told otherwise, and never less than 1.
    flowIntervalSeconds: 1,
  })
  boss.on('error', console.error)
  await boss.start()
  for (const name of [...STEPS.one, ...STEPS.three]) {
    if ((await boss.getQueue(name)) === null) await boss.createQueue(name, { notify: true })
  }
  return {
    submit: (payload, sort) => (sort === 'one' ? boss.send('only', payload) : boss.flow(flowOf(payload))),
    submitMany: (payloads) =>
      boss.insert(
        'only',
        payloads.map((data) => ({ data })),
      ),
    work: (options) => work(boss, options),
    close: () => boss.stop({ graceful: false }),
  }
}

async function work(boss: PgBoss, { sort, count, onStart }: WorkOptions) {
  const countdown = new Countdown(count)
  const names = STEPS[sort]
  for (const name of names) {
    const isLast = name === names.at(-1)
    await boss.work<Payload>(
      name,
      {
        batchSize: BATCH,
        localConcurrency: WORKERS,
        pollingIntervalSeconds: POLL_SECONDS,
        notifyPollingIntervalSeconds: POLL_SECONDS,
        burstWhenBatchFull: true,
      },
      async (jobs) => {
        if (!isLast) return
        for (const { data } of jobs) onStart(data)
        countdown.tick(jobs.length)
      },
    )
  }
  // A worker that is stopped writes first that what it has in hand is done.
  const stop = async () => {
    await Promise.all(names.map((name) => boss.offWork(name)))
  }
  return { done: countdown.done.then(stop), stop: async () => {} }
}

function flowOf(data: Payload) {
  return STEPS.three.map((name, nth) => ({
    ref: name,
    name,
    data,
    ...(nth === 0 ? {} : { dependsOn: [STEPS.three[nth - 1] ?? ''] }),
  }))
}
