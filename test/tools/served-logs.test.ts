// What a server shows of the logs of tool jobs: all that a job printed, and nothing else of the machine, whatever the paths
// of a job say.
import { execFileSync } from 'node:child_process'
import { appendFileSync, linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LogPiece } from '../../src/orchestrator/logs/job-logs.ts'
import { LOG_MARK } from '../../src/orchestrator/process/log-mark.ts'
import type { OutputChunk } from '../../src/orchestrator/process/output-capture.ts'
import type { ToolJob } from '../../src/orchestrator/tools/tool-job.ts'
import { serve } from '../../src/server/serve.ts'
import { type Scene, scene } from './orchestrator-scene.ts'

class Reader {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  get(path: string): Promise<Response> {
    return fetch(`${this.#url}${path}`)
  }

  async piece(job_id: string, query = ''): Promise<LogPiece> {
    const response = await this.get(`/v1/jobs/${encodeURIComponent(job_id)}/logs${query}`)
    expect(response.status).toBe(200)
    return (await response.json()) as LogPiece
  }

  /** All of it, in pieces. */
  async whole(job_id: string, limit: number): Promise<string> {
    let text = ''
    for (let offset = 0; ; ) {
      const piece = await this.piece(job_id, `?offset=${offset}&limit=${limit}`)
      text += piece.text
      offset = piece.next_offset
      if (piece.is_complete) return text
    }
  }
}

async function served(given: Scene): Promise<Reader> {
  const server = await serve(given.store.ledger as never, { auth: false })
  onTestFinished(() => server.close())
  return new Reader(server.url)
}

function logOf({ repo }: Scene, job_id: string): string {
  return readFileSync(join(repo.path, `logs/${job_id}.log`), 'utf8')
}

/** Without the lines that say whose it is. */
function unmarked(log: string): string {
  return log
    .split('\n')
    .filter((line) => !line.startsWith(LOG_MARK))
    .join('\n')
}

describe('what a job printed', () => {
  it('comes back whole, in pieces of any size', async () => {
    const given = await scene()
    const print = 'for (let i = 0; i < 2000; i++) console.log("line", i, "é€𝄞", "x".repeat(i % 90))'
    await given.orchestrator.runJob(
      given.job('j1', { command: { exe: process.execPath, args: ['-e', print] } }),
    )
    const reader = await served(given)
    const expected = unmarked(logOf(given, 'j1'))
    expect(expected).toContain('line 1999 é€𝄞')
    for (const limit of [1009, 65_536, 1_048_576]) expect(await reader.whole('j1', limit)).toBe(expected)
    const first = await reader.piece('j1')
    expect(first).toMatchObject({ offset: 0, is_complete: false, size: Buffer.byteLength(expected) })
    expect(first.next_offset).toBeLessThanOrEqual(65_536)
    const tail = await reader.piece('j1', '?tail=100')
    expect(tail).toMatchObject({ next_offset: first.size, is_complete: true })
    expect(expected.endsWith(tail.text)).toBe(true)
    expect(tail.text).toContain('completed: exit code 0')
  })

  it('has all attempts, also those that follow one that was cut off, and no secrets', async () => {
    const given = await scene()
    mkdirSync(join(given.repo.path, 'logs'))
    writeFileSync(join(given.repo.path, 'logs/j1.log'), 'mine, and cut of')
    const line = 'echo password=hunter2; test -e done || { touch done; exit 1; }'
    const metadata = { retry_policy: 'retry_same', max_retries: 1, backoff: 'immediate' }
    await given.orchestrator.runJob(given.shell('j1', line, metadata))
    const reader = await served(given)
    const text = await reader.whole('j1', 200)
    expect(text.match(/attempt \d/g)).toEqual(['attempt 1', 'attempt 2'])
    expect(text.match(/^password=\[redacted\]$/gm)).toHaveLength(2)
    expect(text).not.toContain('mine')
    expect(text).not.toContain(LOG_MARK)
    const { size } = await reader.piece('j1')
    for (let offset = 0; offset < size; offset++) {
      expect((await reader.piece('j1', `?offset=${offset}&limit=12`)).text).not.toContain('unter')
    }
  })

  it('can be followed while it is printed', async () => {
    const printed = Promise.withResolvers<void>()
    const given = await scene({
      onOutput: ({ text }: OutputChunk) => text.includes('one') && printed.resolve(),
    })
    const wait = 'echo one; while ! test -e go; do sleep 0.02; done; echo two'
    const run = given.orchestrator.runJob(given.shell('j1', wait))
    const reader = await served(given)
    await printed.promise
    let piece: LogPiece
    // It is written as it comes, which is not at once.
    do piece = await reader.piece('j1')
    while (!piece.text.includes('one'))
    expect(piece).toMatchObject({ is_complete: false })
    writeFileSync(join(given.repo.path, 'go'), '')
    await run
    const rest = await reader.piece('j1', `?offset=${piece.next_offset}`)
    expect(rest.text).toMatch(/^two\n--- .* completed: exit code 0/)
    expect(rest.is_complete).toBe(true)
    expect(await reader.piece('j1', `?offset=${rest.next_offset}`)).toMatchObject({
      text: '',
      is_complete: true,
    })
  })

  it('is not mixed with what others have in the same file', async () => {
    const given = await scene()
    const paths = { ...given.job('x').paths, log_file: 'shared.log' }
    for (const id of ['j1', 'j2', 'j3']) {
      await given.orchestrator.runJob({
        ...given.shell(id, `echo of ${id}; printf -- '--- waybill log x'`),
        paths,
      })
    }
    const reader = await served(given)
    const text = await reader.whole('j2', 1000)
    expect(text).toMatch(/^--- .* attempt 1: .*\nof j2\n --- waybill log x\n--- .* completed: .*\n+$/)
  })

  it('what makes no sense is refused by the field', async () => {
    const given = await scene()
    await given.orchestrator.runJob(given.shell('j1', 'echo x'))
    const reader = await served(given)
    for (const [query, field] of [
      ['?offset=1000000', 'offset'],
      ['?offset=-1', 'offset'],
      ['?limit=0', 'limit'],
      ['?limit=1048577', 'limit'],
      ['?offset=0&tail=1', 'tail'],
      ['?file=x', 'file'],
    ]) {
      const response = await reader.get(`/v1/jobs/j1/logs${query}`)
      expect([response.status, ((await response.json()) as { field: string }).field], query).toEqual([
        422,
        field,
      ])
    }
  })
})

const SECRET = 'planted-secret-5b1f'

/** Files with the secret, and every way to get at them that comes to mind. */
function plant({ repo }: Scene): { readonly roots: readonly unknown[]; readonly files: readonly unknown[] } {
  const outside = join(repo.path, '..', 'outside')
  mkdirSync(join(repo.path, 'sub'), { recursive: true })
  mkdirSync(outside)
  const secret = join(outside, 'secret.txt')
  const log = `${SECRET}\n--- 2026-01-01T00:00:00.000Z attempt 1: ["x"]\n${SECRET}\n`
  for (const file of [secret, join(repo.path, 'secret.txt'), join(repo.path, '.git/secret.txt')])
    writeFileSync(file, log)
  linkSync(secret, join(repo.path, 'hard-link'))
  const links = {
    'file-link': secret,
    'folder-link': outside,
    up: '..',
    root: '/',
    'sub/out': outside,
    cwd: '/proc/self/cwd',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(repo.path, name))
  symlinkSync(repo.path, join(outside, 'repo-link'))
  execFileSync('mkfifo', [join(repo.path, 'fifo')])
  return {
    roots: [
      ...[repo.path, outside, '/', '//', `${repo.path}/`, `${repo.path}/sub/..`, `${repo.path}/folder-link`],
      ...[
        `${repo.path}/up/outside`,
        `${outside}/repo-link`,
        `${repo.path}/.git`,
        '.',
        '..',
        '',
        ' ',
        '~',
        '/proc/self/root',
      ],
      ...[`${repo.path}\0`, `file://${outside}`, secret, '/dev/fd', 7, null, [outside], { path: outside }],
    ],
    files: [
      ...[
        'secret.txt',
        './secret.txt',
        'sub/../secret.txt',
        '../outside/secret.txt',
        '..\\outside\\secret.txt',
      ],
      ...[secret, `/${secret}`, `/proc/self/root${secret}`, `/proc/self/cwd/secret.txt`, `file://${secret}`],
      ...[
        'file-link',
        'folder-link/secret.txt',
        'up/outside/secret.txt',
        `root${secret}`,
        'sub/out/secret.txt',
      ],
      ...[
        'hard-link',
        '.git/secret.txt',
        '.GIT/secret.txt',
        'fifo',
        '.',
        '',
        'secret.txt\0.log',
        'secret.txt/',
      ],
      ...[
        '%2e%2e/outside/secret.txt',
        '..%2foutside%2fsecret.txt',
        '．．/outside/secret.txt',
        'secret.txt\n',
        '/dev/stdin',
      ],
      ...['/proc/self/environ', '/etc/passwd', 0, null, ['secret.txt'], { file: 'secret.txt' }, '__proto__'],
    ],
  }
}

/** Everybody may submit, and say that they have begun. */
const PROTOCOL = {
  protocol_id: 'tool:tests.v1',
  request_type: 'tool:tests',
  steps: [{ step_id: 'tests', step_type: 'TOOL', service: 'tool:tests', delivery: 'pull' }],
} as const

describe('what a job did not print', () => {
  /** Submits a job with such a payload, and claims it, as whoever means harm can; false when that much is refused. */
  async function claimed({ store }: Scene, job_id: string, payload: unknown): Promise<boolean> {
    const { jobs } = store.ledger
    const request = { tenant_id: 'default', request_type: 'tool:tests', input_ref: 'i', output_ref: 'o' }
    const submitted = await jobs
      .submit({ ...request, job_id, payload, schema_version: 'v1' })
      .catch(() => null)
    if (submitted === null) return false
    const [work] = await jobs.claim({ queues: ['tool:tests'] })
    expect(work?.job.job_id).toBe(job_id)
    await jobs.result(work?.step as never, { status: 'SUCCEEDED', output: null })
    return true
  }

  it('is never shown, whatever the paths of a job say', async () => {
    const given = await scene()
    given.store.ledger.jobs.register(PROTOCOL)
    const { roots, files } = plant(given)
    const reader = await served(given)
    const pairs = roots.flatMap((repo_root) => files.map((log_file) => ({ repo_root, log_file })))
    expect(pairs.length).toBeGreaterThan(700)
    let asked = 0
    for (const [index, paths] of pairs.entries()) {
      const id = `h${index}`
      const job = given.job(id)
      if (!(await claimed(given, id, { ...job, paths: { ...job.paths, ...paths } }))) continue
      const response = await reader.get(`/v1/jobs/${id}/logs`)
      const text = await response.text()
      expect(text, JSON.stringify(paths)).not.toContain(SECRET)
      expect([response.status, JSON.parse(text).code], JSON.stringify(paths)).toEqual([404, 'NOT_FOUND'])
      asked++
    }
    expect(asked).toBeGreaterThan(600)
  })

  it('is not shown to whoever names the log of another job, or writes what a log looks like', async () => {
    const given = await scene()
    given.store.ledger.jobs.register(PROTOCOL)
    await given.orchestrator.runJob(given.shell('j1', `echo ${SECRET}`))
    const reader = await served(given)
    expect((await reader.piece('j1')).text).toContain(SECRET)
    const mark = /^--- waybill log (\S+)$/m.exec(logOf(given, 'j1'))?.[1] as string
    writeFileSync(join(given.repo.path, 'forged.log'), `${LOG_MARK}${mark}\n${SECRET}\n`)
    for (const log_file of ['logs/j1.log', 'forged.log']) {
      const paths = { ...given.job('x').paths, repo_root: given.repo.path, log_file }
      const id = `other of ${log_file}`
      expect(await claimed(given, id, { ...given.job(id), paths })).toBe(true)
      const response = await reader.get(`/v1/jobs/${encodeURIComponent(id)}/logs`)
      expect(response.status).toBe(404)
      expect(await response.text()).not.toContain(SECRET)
    }
  })

  it('has the same words for a job that is not there, one of another tenant, and one without a log', async () => {
    const given = await scene()
    given.store.ledger.jobs.register(PROTOCOL)
    await given.orchestrator.runJob(given.shell('j1', 'echo x'))
    const reader = await served(given)
    await claimed(given, 'j2', {})
    const request = {
      ...given.job('j3'),
      paths: { ...given.job('j3').paths, repo_root: given.repo.path },
    } as ToolJob
    await given.orchestrator.queueJob(request)
    appendFileSync(join(given.repo.path, 'logs/j3.log'), SECRET)
    const answers = []
    for (const path of ['j1/logs?tenant_id=other', 'j2/logs', 'j3/logs', 'none/logs']) {
      const response = await reader.get(`/v1/jobs/${path}`)
      const { status, code, field, next, detail } = (await response.json()) as Record<string, string>
      answers.push({ status, code, field, next, detail: detail?.replace(path.split('/')[0] as string, 'ID') })
    }
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1)
    expect(answers[0]).toMatchObject({
      status: 404,
      code: 'NOT_FOUND',
      detail: 'There is no log of job "ID" here',
    })
  })
})
