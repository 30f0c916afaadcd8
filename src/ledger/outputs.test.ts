import { describe, expect, it } from 'vitest'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { liveLedger, requestOf } from '../../test/fixtures/live-ledger.ts'
import { copyLedger } from '../copy-ledger.ts'
import { OutputLost } from '../errors/file-errors.ts'
import { openLedger } from '../open-ledger.ts'
import { MemoryDisk } from '../testing/memory-disk.ts'
import { virtualWorld } from '../testing/virtual-world.ts'
import { Outputs } from './outputs.ts'

const FOLDER = '/ledger/outputs'

async function overwrite(disk: MemoryDisk, path: string, text: string): Promise<void> {
  const file = await disk.open(path)
  await file.truncate(0)
  await file.write(0, Buffer.from(text))
}

describe('outputs', () => {
  it('keeps what is small with its step, whatever it is', async () => {
    const outputs = new Outputs(new MemoryDisk(), FOLDER, 100)
    for (const small of [null, 1, 'x'.repeat(90), [1, 2, 3], { a: { b: true } }]) {
      expect(await outputs.keep(small)).toBeNull()
    }
  })

  it('puts what is large into a file, once, and reads it back', async () => {
    const disk = new MemoryDisk()
    const outputs = new Outputs(disk, FOLDER, 100)
    for (const large of [
      'x'.repeat(101),
      Array.from({ length: 20 }, (_, i) => i),
      { ['k'.repeat(120)]: null },
    ]) {
      const file = await outputs.keep(large)
      expect(await outputs.keep(large)).toEqual(file)
      expect(file === null ? null : await outputs.read(file)).toEqual(large)
    }
    expect(await disk.list(FOLDER)).toHaveLength(3)
  })

  it('says so when the file is gone or has changed', async () => {
    const disk = new MemoryDisk()
    const outputs = new Outputs(disk, FOLDER, 10)
    const file = await outputs.keep('something long enough')
    if (file === null) throw new Error('it is long')
    await overwrite(disk, `${FOLDER}/${file.file}`, '"something else enough"')
    await expect(outputs.read(file)).rejects.toThrow(OutputLost)
    await disk.remove(`${FOLDER}/${file.file}`)
    await expect(outputs.read(file)).rejects.toThrow('it is not there')
  })
})

describe('a step with a large output', () => {
  it('hands it on to the next step, and the job to whoever waits', async () => {
    const { ledger, world } = await liveLedger([pulled('first'), pulled('second')], {
      outputFolder: FOLDER,
      outputLimitBytes: 1000,
    })
    const long = 'x'.repeat(5000)
    ledger.work({ 'first-service': () => ({ long }), 'second-service': ({ previous }) => previous })
    const job = await ledger.jobs.submit(requestOf())
    const result = job.result()
    await world.advanceBy(1)
    expect(await result).toEqual({ long })
    const steps = (await ledger.jobs.show(job.job_id))?.steps ?? []
    expect(steps.map(({ output }) => output)).toEqual([null, null])
    expect(await ledger.jobs.output(steps[0] as (typeof steps)[0])).toEqual({ long })
    // The same twice is one file.
    expect(await world.disk.list(FOLDER)).toHaveLength(1)
  })

  it('keeps it with the step in a ledger that has no folder', async () => {
    const { ledger, world } = await liveLedger([pulled('first')])
    ledger.work({ 'first-service': () => 'x'.repeat(1_000_000) })
    const { job_id } = await ledger.jobs.submit(requestOf())
    await world.advanceBy(1)
    const [step] = (await ledger.jobs.show(job_id))?.steps ?? []
    expect([step?.output_file, String(step?.output).length]).toEqual([null, 1_000_000])
  })
})

describe('copying a ledger', () => {
  it('takes large outputs along', async () => {
    const world = virtualWorld()
    const options = {
      world,
      protocols: [protocolOf(pulled('first'))],
      tenant_id: 't1',
      outputLimitBytes: 100,
    }
    const output = 'x'.repeat(500)
    const from = await openLedger('/from', options)
    const { job_id } = await from.jobs.submit(requestOf())
    const [work] = await from.jobs.claim({ queues: ['first-service'] })
    if (work === undefined) throw new Error('there is work')
    await from.jobs.result(work.step, { status: 'SUCCEEDED', output })
    await from.close()
    await copyLedger('/from', '/to', { world })
    await copyLedger('/from', '/to', { world })
    await using to = await openLedger('/to', options)
    expect(await to.jobs.wait(job_id)).toBe(output)
  })
})
