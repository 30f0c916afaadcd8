// Queues of BullMQ with jobs in every state, made by BullMQ itself.
import type * as Bullmq from 'bullmq'
import type { RedisServer } from './redis-server.ts'

export type BullmqModule = Pick<typeof Bullmq, 'Queue' | 'Worker' | 'FlowProducer'>

const HOUR_MS = 3_600_000

/** Takes the next job, as a worker would, and holds it. */
type Take = () => Promise<Bullmq.Job>

const TOKEN = 'scene'

export async function fillBullmq(bullmq: BullmqModule, server: RedisServer, prefix: string): Promise<void> {
  const options = { connection: server.connection, prefix }
  const opened: { close(): Promise<void> }[] = []
  const queueOf = (name: string) => {
    const queue = new bullmq.Queue(name, options)
    const worker = new bullmq.Worker(name, null, { ...options, autorun: false })
    opened.push(worker, queue)
    const take: Take = async () => {
      const job = await worker.getNextJob(TOKEN, { block: false })
      if (job === undefined) throw new Error(`there is no job in ${name}`)
      return job
    }
    return { queue, take }
  }
  const mail = queueOf('mail')
  await mailJobs(mail.queue, mail.take)
  const video = queueOf('video')
  const flows = new bullmq.FlowProducer(options)
  opened.push(flows)
  await flows.add({
    name: 'join',
    queueName: 'video',
    data: { film: 1 },
    children: [
      { name: 'cut', queueName: 'video', data: { scene: 1 } },
      { name: 'cut', queueName: 'video', data: { scene: 2 } },
      { name: 'tell', queueName: 'mail', data: { to: 'crew' } },
    ],
  })
  const first = await video.take()
  await first.moveToCompleted({ cut: 1 }, TOKEN, false)
  const busy = queueOf('busy')
  await busy.queue.add('hold', { by: 'somebody' })
  await busy.take()
  for (const each of opened) await each.close()
}

async function mailJobs(queue: Bullmq.Queue, take: Take): Promise<void> {
  await queue.add(
    'welcome',
    { to: 'retried' },
    { attempts: 4, backoff: { type: 'exponential', delay: HOUR_MS } },
  )
  const retried = await take()
  await retried.moveToFailed(new Error('the server is busy'), TOKEN, false)
  await queue.add('welcome', { to: 'sent' })
  const sent = await take()
  await sent.moveToCompleted({ sent: 1 }, TOKEN, false)
  await queue.add('welcome', { to: 'lost' })
  const lost = await take()
  await lost.moveToFailed(new Error('there is no such address'), TOKEN, false)
  await queue.add('welcome', { to: 'ann' })
  await queue.add('welcome', { to: 'bob', steps: { run: 'not a step of ours' } })
  await queue.add('welcome', { to: 'cy' }, { attempts: 3, backoff: { type: 'mine', delay: 1 } })
  await queue.add('newsletter', { to: 'all' }, { priority: 5 })
  await queue.add('welcome', { to: 'later' }, { delay: HOUR_MS, attempts: 3, backoff: 1000 })
  const digest = { name: 'digest', data: { kind: 'digest' }, opts: { attempts: 2 } }
  await queue.upsertJobScheduler('nightly', { pattern: '30 2 * * *', tz: 'Europe/Berlin' }, digest)
  await queue.upsertJobScheduler('often', { every: 15 * 60_000, startDate: Date.now() + HOUR_MS }, digest)
  await queue.upsertJobScheduler('odd', { every: 7 * 60_000, startDate: Date.now() + HOUR_MS }, digest)
}

export async function manyJobs(bullmq: BullmqModule, server: RedisServer, count: number): Promise<void> {
  const queue = new bullmq.Queue('many', { connection: server.connection })
  await queue.addBulk(Array.from({ length: count }, (_, n) => ({ name: 'count', data: { n } })))
  await queue.close()
}
