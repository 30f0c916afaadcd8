import { createServer } from 'node:http2'
import * as restate from '@restatedev/restate-sdk'
import * as clients from '@restatedev/restate-sdk-clients'
import { Countdown, type Opened, type Payload, type Place } from '../system.ts'

let onJob = (_payload: Payload): void => {}

const jobs = restate.service({
  name: 'jobs',
  handlers: {
    one: async (_context: restate.Context, payload: Payload) => onJob(payload),
    three: async (context: restate.Context, payload: Payload) => {
      await context.run('first', () => null)
      await context.run('second', () => null)
      await context.run('third', () => null)
      onJob(payload)
    },
  },
})

/** Longer than anything here takes. */
const LATER = { hours: 1 }

/** The server calls this process over HTTP/2, as soon as something is submitted: so that waits while nobody works. */
export async function open({ restate: ports }: Place): Promise<Opened> {
  if (ports === null) throw new Error('Restate needs its server')
  const server = createServer(restate.createEndpointHandler({ services: [jobs], logger: () => {} }))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await register(ports.admin, port)
  const ingress = clients.connect({ url: `http://127.0.0.1:${ports.ingress}` })
  const send = ingress.serviceSendClient<typeof jobs>({ name: 'jobs' })
  let isWorking = false
  return {
    submit: (payload, sort) => {
      const options = clients.rpc.sendOpts<Payload>(isWorking ? {} : { delay: LATER })
      return sort === 'one' ? send.one(payload, options) : send.three(payload, options)
    },
    submitMany: null,
    work: async ({ count, onStart }) => {
      const countdown = new Countdown(count)
      onJob = (payload) => {
        onStart(payload)
        countdown.tick()
      }
      isWorking = true
      return {
        done: countdown.done,
        stop: async () => {
          isWorking = false
        },
      }
    },
    close: async () => void server.close(),
  }
}

async function register(admin: number, port: number): Promise<void> {
  const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://127.0.0.1:${port}`, force: true }),
  })
  if (!answer.ok) throw new Error(`Restate refused the deployment: ${await answer.text()}`)
}
