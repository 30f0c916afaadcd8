import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { requestOf } from '../../test/fixtures/live-ledger.ts'
import { openLedger } from '../open-ledger.ts'
import type { LiveLedger } from '../runtime/live-ledger.ts'
import { MemoryDisk } from '../testing/memory-disk.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import type { DiskFile } from '../world/disk.ts'
import { type HttpServer, type ServeOptions, serve } from './serve.ts'

const RENDER = {
  protocol_id: 'render.v1',
  request_type: 'RENDER',
  steps: [
    {
      step_id: 'render',
      step_type: 'RENDER',
      service: 'renderer',
      delivery: 'pull',
      policy: { lease_ms: 1000, max_attempts: 2 },
    },
  ],
} as const

const REQUEST = requestOf({ tenant_id: 'default', request_type: 'RENDER' })

const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const one of open.splice(0).reverse()) await one.close()
})

async function served(ledger: LiveLedger, options: ServeOptions = {}): Promise<HttpServer> {
  open.push(ledger)
  const server = await serve(ledger, options)
  open.push(server)
  return server
}

describe('serving a ledger', () => {
  it('keeps its time: the lease of a worker elsewhere ends', async () => {
    const world = virtualWorld()
    const ledger = await openLedger('memory:', { world, protocols: [RENDER] })
    await served(ledger)
    const { job_id } = await ledger.jobs.submit(REQUEST)
    await ledger.jobs.claim({ queues: ['renderer'], worker: 'elsewhere' })
    await world.advanceBy(1001)
    expect(await ledger.jobs.show(job_id)).toMatchObject({ steps: [{ last_error_code: 'LEASE_EXPIRED' }] })
  })

  it('goes by the name of its public address', async () => {
    const ledger = await openLedger('memory:')
    const server = await served(ledger, { publicUrl: 'https://waybill.example:8443' })
    expect(server.url).toBe('https://waybill.example:8443')
    expect(server.link()).toMatch(/^https:\/\/waybill\.example:8443\/login#[\w-]{43}$/)
  })

  it.each(['waybill.example', 'https://waybill.example/', 'https://waybill.example/path', 'ftp//x'])(
    'refuses the public address %s',
    async (publicUrl) => {
      await using ledger = await openLedger('memory:')
      await expect(serve(ledger, { publicUrl })).rejects.toMatchObject({ field: 'publicUrl' })
    },
  )

  it('without tokens it is for this machine only', async () => {
    await using ledger = await openLedger('memory:')
    for (const host of ['0.0.0.0', '::', '192.168.0.1', 'example.com']) {
      await expect(serve(ledger, { auth: false, host })).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        field: 'auth',
      })
    }
    await using server = await serve(ledger, { auth: false, host: 'localhost' })
    expect((await fetch(`${server.url}/v1/jobs`)).status).toBe(200)
  })

  it('where it cannot listen it leaves nothing behind', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as AddressInfo
    const world = virtualWorld()
    await using ledger = await openLedger('memory:', { world })
    await expect(serve(ledger, { port, world })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    // Nobody looks after tokens any more, and the ledger is as good as before.
    await ledger.tokens.mint({ name: 'a', role: 'viewer', tenants: ['t1'] })
    await using server = await serve(ledger)
    expect((await fetch(`${server.url}/readyz`)).status).toBe(200)
    await new Promise((resolve) => other.close(resolve))
  })

  it('/readyz tells the truth when the disk has failed', async () => {
    const disk = new FailingDisk()
    const ledger = await openLedger('./ledger', { world: { ...virtualWorld(), disk } })
    const server = await served(ledger)
    const ready = () => fetch(`${server.url}/readyz`)
    expect((await ready()).status).toBe(200)
    disk.isBroken = true
    await expect(ledger.documents.updateState('doc:1', 'fetching')).rejects.toMatchObject({
      code: 'WRITER_FAILED',
    })
    const answer = await ready()
    expect(answer.status).toBe(503)
    expect(await answer.json()).toEqual({
      status: 'not ready',
      reason: 'The disk failed; the ledger must be opened again',
    })
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200)
  })

  it('a request continues the trace that it is part of, unless it names another', async () => {
    const ledger = await openLedger('memory:', { protocols: [RENDER] })
    const { url } = await served(ledger, { auth: false })
    const trace = (digit: string) => `00-${digit.repeat(32)}-${digit.repeat(16)}-01`
    const submit = async (traceparent: string, more: object = {}) => {
      const headers = { 'content-type': 'application/json', traceparent }
      const body = JSON.stringify({ ...REQUEST, payload: { traceparent }, ...more })
      const answer = await fetch(`${url}/v1/commands`, { method: 'POST', headers, body })
      const { jobId } = (await answer.json()) as { jobId: string }
      return (await ledger.jobs.get(jobId))?.traceparent
    }
    expect(await submit(trace('a'))).toBe(trace('a'))
    expect(await submit(trace('b'), { traceparent: trace('c') })).toBe(trace('c'))
    expect(await submit('nonsense')).toBeNull()
  })
})

class FailingDisk extends MemoryDisk {
  isBroken = false

  override async open(path: string): Promise<DiskFile> {
    const file = await super.open(path)
    const write = file.writeThrough.bind(file)
    file.writeThrough = (position, bytes) =>
      this.isBroken ? Promise.reject(new Error('EIO: the disk is gone')) : write(position, bytes)
    return file
  }
}
