import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../core/json.ts'
import { jsonCheck } from '../../ledger/json-schema.ts'
import { MemoryDisk } from '../../testing/memory-disk.ts'
import { nodeDisk } from '../../world/node-disk.ts'
import { readToolJob } from './read-tool-job.ts'
import { parseToolJob } from './tool-job.ts'

const SCHEMAS = new URL('../../../schemas/', import.meta.url)
const EXAMPLE = new URL('aider-job.example.json', SCHEMAS).pathname

const example = (): JsonObject => JSON.parse(readFileSync(EXAMPLE, 'utf8'))

async function diskWith(content: string | Uint8Array): Promise<MemoryDisk> {
  const disk = new MemoryDisk()
  const file = await disk.open('job.json')
  await file.write(0, typeof content === 'string' ? Buffer.from(content) : content)
  return disk
}

describe('a tool job', () => {
  it('is the example that is shipped', async () => {
    expect(await readToolJob(EXAMPLE, nodeDisk)).toEqual(example())
  })

  it('is a frozen copy that nobody else holds', () => {
    const given = example()
    const job = parseToolJob(given)
    expect(job).not.toBe(given)
    expect(Object.isFrozen(job.command.args)).toBe(true)
    expect(Object.isFrozen(job.metadata)).toBe(true)
  })

  it('is checked as it was copied: what answers differently the second time gets nowhere', () => {
    let asked = 0
    const sly = {
      ...example(),
      get tool() {
        asked++
        return asked === 1 ? 'aider' : '--evil'
      },
    }
    expect(() => parseToolJob(sly)).toThrow('tool must be a name')
  })

  it('needs neither a run nor metadata, and keeps what it does not know in its metadata', () => {
    const { run_id: _, metadata: __, ...rest } = example()
    expect(parseToolJob(rest)).toEqual(rest)
    const own = { ...rest, metadata: { own: [1, { deep: null }] } }
    expect(parseToolJob(own)).toEqual(own)
  })
})

describe('the schema that is shipped', () => {
  const check = jsonCheck(
    'schema',
    JSON.parse(readFileSync(new URL('tool-job.schema.json', SCHEMAS), 'utf8')),
  )
  const withEnv = (name: string): JsonObject => ({ ...example(), env: { [name]: 'x' } })

  it('takes the example', () => {
    expect(check(example())).toBeNull()
  })

  it.each(['A', 'GIT_AUTHOR_NAME', 'PYTHONUNBUFFERED', 'PATHS', 'MY_PATH', 'CI'])(
    'and we take %s',
    (name) => {
      expect(check(withEnv(name))).toBeNull()
      expect(parseToolJob(withEnv(name)).env).toEqual({ [name]: 'x' })
    },
  )

  it.each(['PATH', 'LD_PRELOAD', 'GIT_DIR', 'WAYBILL_X', '1A', 'A-B', ''])('and we refuse %s', (name) => {
    expect(check(withEnv(name))).not.toBeNull()
    expect(() => parseToolJob(withEnv(name))).toThrow('env.')
  })

  it.each([
    { job_id: 'a\nb' },
    { job_id: ' ' },
    { tool: 'a b' },
    { more: 1 },
    { command: { exe: 'x' } },
    { metadata: { retry_policy: 'often' } },
    { metadata: { timeout_seconds: 0 } },
    { metadata: { max_retries: 1.5 } },
  ])('and we refuse %o', (fields) => {
    const job = { ...example(), ...fields } as JsonObject
    expect(check(job)).not.toBeNull()
    expect(() => parseToolJob(job)).toThrow()
  })
})

describe('a job file', () => {
  it('has to be there', async () => {
    await expect(readToolJob('job.json', new MemoryDisk())).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
      exitCode: 3,
    })
  })

  it.each([
    ['', 'job.json is empty'],
    ['{"a": }', 'job.json:1:7 is not JSON: it has no value where one must be'],
    ['{\n  "job_id": "x",\n}', 'job.json:3:1 is not JSON: it has no name in quotes where one must be'],
    ['{"env": {"A": "1",\n "A": "2"}}', 'job.json:2:2 is not JSON: it has the field "A" twice'],
    [new Uint8Array([0x7b, 0xff, 0x7d]), 'job.json is not text in UTF-8'],
    ['\ufeff{}', 'job.json:1:1 is not JSON'],
    [`{"job_id": "${'x'.repeat(1024 * 1024)}"}`, 'job.json is larger than 1048576 bytes'],
  ])('is refused by its place: %#', async (content, message) => {
    const failure = readToolJob('job.json', await diskWith(content))
    await expect(failure).rejects.toMatchObject({ code: 'INVALID_TOOL_JOB', exitCode: 2 })
    await expect(failure).rejects.toThrow(message)
  })

  it('is refused when it is a folder', async () => {
    await expect(readToolJob(SCHEMAS.pathname, nodeDisk)).rejects.toMatchObject({ code: 'INVALID_TOOL_JOB' })
  })

  it('has all its mistakes named', async () => {
    const disk = await diskWith('{"tool": 1, "__proto__": {"a": 1}, "env": {"PATH": "x"}}')
    const error = await readToolJob('job.json', disk).catch((thrown: unknown) => thrown)
    const { details } = error as { details: { problems: { field: string }[] } }
    expect(details.problems.map(({ field }) => field).sort()).toEqual(
      ['__proto__', 'command', 'env.PATH', 'job_id', 'paths', 'tool', 'workstream_id'].sort(),
    )
  })
})
