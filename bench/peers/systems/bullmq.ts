import { FlowProducer, Queue, Worker } from 'bullmq'
import { Countdown, type Opened, type Payload, type Place } from '../system.ts'

const QUEUE = 'jobs'

/** Handlers at once, of one worker. */
const CONCURRENCY = 50

/** As deep as there are steps: a parent begins when its children are done. */
const STEPS = ['third', 'second', 'first'] as const

export async function open({ redisPort }: Place): Promise<Opened> {
  const connection = { host: '127.0.0.1', port: redisPort ?? 0, maxRetriesPerRequest: null }
  const queue = new Queue<Payload>(QUEUE, { connection })
  await queue.waitUntilReady()
  const flows = new FlowProducer({ connection })
  await flows.waitUntilReady()
  return {
    submit: (payload, sort) => (sort === 'one' ? queue.add('only', payload) : flows.add(flowOf(payload))),
    submitMany: (payloads) => queue.addBulk(payloads.map((data) => ({ name: 'only', data }))),
    work: async ({ count, onStart }) => {
      const countdown = new Countdown(count)
      const worker = new Worker<Payload>(
        QUEUE,
        async ({ name, data }) => {
          if (isLast(name)) onStart(data)
          return null
        },
        { connection, concurrency: CONCURRENCY },
      )
      worker.on('completed', ({ name }) => {
        if (isLast(name)) countdown.tick()
      })
      worker.on('error', console.error)
      await worker.waitUntilReady()
      return { done: countdown.done, stop: () => worker.close() }
    },
    close: async () => {
      await flows.close()
      await queue.close()
    },
  }
}

function isLast(name: string): boolean {
  return name === 'only' || name === STEPS[0]
}

function flowOf(data: Payload, depth = 0): Parameters<FlowProducer['add']>[0] {
  const name = STEPS[depth] ?? ''
  const isDeepest = depth === STEPS.length - 1
  return { name, queueName: QUEUE, data, ...(isDeepest ? {} : { children: [flowOf(data, depth + 1)] }) }
}
