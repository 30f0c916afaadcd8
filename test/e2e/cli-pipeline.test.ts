// Topologies in YAML and pipelines in modules, through the command line.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { runHere } from './cli-here.ts'
import { Shell } from './cli-run.ts'
import { ROOT } from './scratch.ts'

const shell = new Shell()

afterAll(() => shell[Symbol.dispose]())

const TOPOLOGY = `name: pdf-two-phase
version: v2
policies:
  patient: { attempts: 5, timeout: 2m }
gates:
  - name: approval
    when: { field: metadata.approved, equals: true }
    timeout: 24h
phases: [reading, printing]
stages:
  - name: print
    phase: printing
    depends_on: [parse]
    gate: approval
    policy: gpu-bound
  - name: parse
    phase: reading
    depends_on: [download]
  - name: download
    phase: reading
    policy: patient
`

const STAGES = `export const stages = {
  download: async () => ({ bytes: 12 }),
  parse: async ({ previous }) => ({ parsed: previous }),
  print: async ({ previous }) => ({ printed: previous }),
}`

const FILE = shell.path('pdf.yaml')

beforeAll(() => {
  writeFileSync(FILE, TOPOLOGY)
  writeFileSync(shell.path('stages.mjs'), STAGES)
})

it('A55: check names every problem with its line and stage', async () => {
  const bad = TOPOLOGY.replace('[parse]', '[prase]').replace('gpu-bound', 'gpu')
  writeFileSync(shell.path('bad.yaml'), bad)
  const told = await runHere(['pipeline', 'check', shell.path('bad.yaml')])
  expect(told).toMatchObject({ status: 1, stderr: '2 problems.\n' })
  expect(told.stdout).toMatch(/bad\.yaml:13:18 {2}.*"prase".* Did you mean parse\? {2}\(stage print\)\n/)
  expect(told.stdout).toMatch(/bad\.yaml:15:13 {2}.*"gpu".* {2}\(stage print\)\n$/)
  const json = await runHere(['pipeline', 'check', shell.path('bad.yaml'), '--json'])
  expect(JSON.parse(json.stdout)).toMatchObject({
    ok: false,
    problems: [
      { code: 'UNKNOWN_DEPENDENCY', line: 13, stage: 'print' },
      { code: 'UNKNOWN_POLICY', line: 15 },
    ],
  })
  const worker = await runHere(['worker', shell.path('stages.mjs'), '--topology', shell.path('bad.yaml')])
  expect(worker).toMatchObject({ status: 2, stdout: '' })
  expect(worker.stderr).toMatch(
    /^error: .*bad\.yaml has 2 problems:\n {2}13:18 {2}.*\n {2}15:13 {2}.*\nnext: /,
  )
})

it('check tells what is no YAML, and no file, from what has problems', async () => {
  writeFileSync(shell.path('no.yaml'), 'stages: [')
  expect(await runHere(['pipeline', 'check', shell.path('no.yaml')])).toMatchObject({ status: 2 })
  expect(await runHere(['pipeline', 'check', shell.path('none.yaml')])).toMatchObject({ status: 3 })
})

it('check lists the stages in the order in which they are run', async () => {
  const { status, stdout, stderr } = await runHere(['pipeline', 'check', FILE])
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  expect(stdout).toMatch(
    /^pdf-two-phase v2: 3 stages\nSTAGE.*\ndownload +reading +patient +5 +2m +- .*\nparse +reading +default +3 +30s .*\nprint +printing +gpu-bound +1 +1m +approval +parse .*\n\nGATES\n {2}approval {2}until metadata\.approved equals true, for 1d at most\n$/,
  )
  const told = JSON.parse((await runHere(['pipeline', 'check', FILE, '--json'])).stdout)
  expect(told).toMatchObject({ ok: true, problems: [], stages: [{ stage: 'download' }, {}, {}] })
})

it('A54: a topology and its stages run end to end: parked at a gate, and on when what it waits for comes true', async () => {
  const ledger = ['--ledger', shell.path('ledger')]
  await runHere(['init', shell.path('ledger')])
  const run = (...args: readonly string[]) => runHere([...args, ...ledger])
  const topology = ['--topology', FILE]
  const request = ['pdf-two-phase', '--input', 'a.pdf', '--output', 'a.json', '--id', 'p1']
  expect(await run('submit', ...request)).toMatchObject({ status: 2 })
  expect(await run('submit', ...request, ...topology)).toMatchObject({ status: 0, stdout: 'p1\n' })
  const work = () => run('worker', shell.path('stages.mjs'), ...topology, '--until-idle')
  expect(await work()).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^2 done\. Something is due/m),
  })
  const why = await run('why', 'p1')
  expect(why.stdout).toContain('It stands at gate approval before print, until metadata.approved equals true')
  const shown = await run('jobs', 'show', 'p1')
  expect(shown.stdout).toMatch(
    /^ {2}gate +approval {2}opens when metadata\.approved equals true, until 20\S+ at the latest$/m,
  )
  expect(shown.stdout).toMatch(/^ {2}pipeline +pdf-two-phase$/m)
  expect(await run('jobs', 'annotate', 'p1', 'approved=true')).toMatchObject({ status: 0 })
  expect(await work()).toMatchObject({ status: 0, stderr: expect.stringMatching(/^1 done\.$/m) })
  const { state, steps } = JSON.parse((await run('jobs', 'show', 'p1', '--json')).stdout)
  expect(state).toBe('SUCCEEDED')
  expect(steps[2].output).toEqual({ printed: { parsed: { bytes: 12 } } })
})

it('a worker takes pipelines from its module, and says what does not fit', async () => {
  const library = pathToFileURL(join(ROOT, 'src/index.ts')).href
  const module = `import { pipeline } from ${JSON.stringify(library)}
export const pipelines = [pipeline('greet', 'v1').stage('say', async ({ input }) => ({ said: input.name }))]
export const protocols = []`
  writeFileSync(shell.path('pipelines.mjs'), module)
  const ledger = shell.path('modules')
  await runHere(['init', ledger])
  const run = (...args: readonly string[]) => runHere([...args, '--ledger', ledger])
  writeFileSync(shell.path('greet.yaml'), 'name: greet\nversion: v1\nstages:\n  - name: say\n')
  const payload = ['--payload', '{"name": "ann"}']
  const greet = ['greet', '--topology', shell.path('greet.yaml'), '--input', 'a', '--output', 'b', ...payload]
  const { stdout: id } = await run('submit', ...greet)
  const worked = await run('worker', shell.path('pipelines.mjs'), '--until-idle')
  expect(worked).toMatchObject({
    status: 0,
    stderr: expect.stringContaining('works on greet/say and keeps time'),
  })
  const { steps } = JSON.parse((await run('jobs', 'show', id.trim(), '--json')).stdout)
  expect(steps[0].output).toEqual({ said: 'ann' })

  writeFileSync(shell.path('wrong.mjs'), 'export const pipelines = [{}]')
  const wrong = await run('worker', shell.path('wrong.mjs'))
  expect(wrong).toMatchObject({ status: 2 })
  expect(wrong.stderr).toContain('the export pipelines[0] is not a pipeline')
  const alone = await run('worker', '--topology', FILE)
  expect(alone).toMatchObject({ status: 2 })
  expect(alone.stderr).toContain('there is no module')
  const missing = await run('worker', shell.path('pipelines.mjs'), '--topology', FILE)
  expect(missing.stderr).toContain('pipelines.mjs exports no stages')
})
