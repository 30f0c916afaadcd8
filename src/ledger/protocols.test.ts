import { describe, expect, it } from 'vitest'
import { protocols } from '../../examples/protocols/all.ts'
import { protocolOf, pulled } from '../../test/fixtures/job-commands.ts'
import { openTestLedger } from '../../test/fixtures/test-ledger.ts'
import { FileNotFound } from '../errors/file-errors.ts'
import { InvalidInput } from '../errors/input-errors.ts'
import { InvalidRequest } from '../errors/refusal-errors.ts'
import { MemoryDisk } from '../testing/memory-disk.ts'
import { virtualWorld } from '../testing/virtual-world.ts'

function request(request_type: string, payload: unknown) {
  return {
    tenant_id: 't1',
    request_type,
    input_ref: 'in',
    output_ref: 'out',
    payload,
    schema_version: 'v1',
  } as const
}

async function refusalOf(submit: Promise<unknown>): Promise<InvalidInput> {
  const error = await submit.then(
    () => new Error('it was accepted'),
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InvalidInput)
  return error as InvalidInput
}

describe('the payload of a request', () => {
  it('A3 A22 has to fit what the protocol says of each step; the field is named and nothing written', async () => {
    const ledger = await openTestLedger({ world: virtualWorld(), protocols })
    const wrong: readonly (readonly [string, unknown, string])[] = [
      ['OCR', { output_format: 'XML' }, 'payload.output_format'],
      ['EMBEDDING', { chunking: { max_tokens: 0 } }, 'payload.chunking.max_tokens'],
      ['EMBEDDING', { chunking: { overlap_tokens: -1 } }, 'payload.chunking.overlap_tokens'],
      ['EMBEDDING', { normalize: 'yes' }, 'payload.normalize'],
      ['SIS', { temperature: 2.1 }, 'payload.temperature'],
      ['SIS', { response_format: 'YAML' }, 'payload.response_format'],
      ['OCR->EMBEDDING', { steps: { embedding: { model: 7 } } }, 'payload.steps.embedding.model'],
      ['OCR', 'text', 'payload'],
    ]
    for (const [type, payload, field] of wrong) {
      const error = await refusalOf(ledger.jobs.submit(request(type, payload)))
      expect([type, error.field, error.status]).toEqual([type, field, 422])
    }
    expect((await ledger.stats()).records.job).toBe(0)
  })

  it('A22 is accepted for each of the six when it fits', async () => {
    const ledger = await openTestLedger({ world: virtualWorld(), protocols })
    const good = [
      ['OCR', { language_hint: 'de', page_range: '1-3', ocr_engine: 'tesseract', output_format: 'JSON' }],
      [
        'EMBEDDING',
        { model: 'm', chunking: { strategy: 's', max_tokens: 1, overlap_tokens: 0 }, normalize: true },
      ],
      ['SIS', { prompt_set: 'p', temperature: 0, max_tokens: 1, response_format: 'TEXT' }],
      ['OCR->EMBEDDING', {}],
      ['EMBEDDING->SIS', { steps: { sis: { temperature: 2 } } }],
      ['OCR->EMBEDDING->SIS', { steps: { ocr: {}, embedding: {}, sis: {} } }],
    ] as const
    for (const [type, payload] of good) await ledger.jobs.submit(request(type, payload))
    expect((await ledger.stats()).records.job).toBe(good.length)
  })
})

describe('a protocol', () => {
  it('is refused when its schema is none', async () => {
    const ledger = await openTestLedger({ world: virtualWorld() })
    const broken = pulled('first', { payload_schema: { type: 'nonsense' } })
    expect(() => ledger.jobs.register(protocolOf(broken))).toThrow('steps.0.payload_schema is no JSON Schema')
  })

  it('is refused when a limit goes by a name that is taken', async () => {
    const ledger = await openTestLedger({ world: virtualWorld() })
    for (const key of ['in-flight', 'queue:ocr', 'rate:api']) {
      expect(() => ledger.jobs.register(protocolOf(pulled('first', { limits: [{ key, max: 1 }] })))).toThrow(
        InvalidInput,
      )
    }
  })

  it('may keep a limit by a value of the request, which then has to be there', async () => {
    const step = pulled('first', { limits: [{ key: 'customer:{payload.customer.id}', max: 1 }] })
    const ledger = await openTestLedger({
      world: virtualWorld(),
      tenant_id: 't1',
      protocols: [protocolOf(step)],
    })
    const { job_id } = await ledger.jobs.submit(request('TEST', { customer: { id: 7 } }))
    expect((await ledger.jobs.show(job_id))?.steps[0]?.limits).toEqual([{ key: 'customer:7', max: 1 }])
    await expect(ledger.jobs.submit(request('TEST', { customer: {} }))).rejects.toMatchObject({
      name: InvalidRequest.name,
      field: 'payload.customer.id',
    })
  })
})

describe('a file of protocols', () => {
  async function withFile(text: string) {
    const disk = new MemoryDisk()
    const file = await disk.open('/protocols.json')
    await file.write(0, Buffer.from(text))
    return openTestLedger({ world: virtualWorld({ disk }), protocols: '/protocols.json' })
  }

  it('is read when the ledger is opened: a list, or an object that has one', async () => {
    for (const content of [[protocolOf(pulled('first'))], { protocols: [protocolOf(pulled('first'))] }]) {
      const ledger = await withFile(JSON.stringify(content))
      expect(ledger.jobs.protocols.map(({ request_type }) => request_type)).toEqual(['TEST'])
    }
  })

  it('is refused with its name when it is not there or not that', async () => {
    await expect(withFile('{')).rejects.toThrow('/protocols.json is not JSON')
    await expect(withFile('"text"')).rejects.toThrow('must be a list')
    const missing = openTestLedger({ world: virtualWorld(), protocols: '/nowhere.json' })
    await expect(missing).rejects.toThrow(FileNotFound)
  })
})
