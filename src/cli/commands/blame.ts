import { dirname, relative, resolve, sep } from 'node:path'
import { Argument, Option } from 'commander'
import { isJsonObject } from '../../core/json.ts'
import { fromIso } from '../../core/time.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { NotFound } from '../../errors/refusal-errors.ts'
import type { JobStateStore } from '../../orchestrator/job-state-store.ts'
import type { FileChange, TestsAfter } from '../../orchestrator/provenance.ts'
import type { JobView } from '../../orchestrator/state-interface.ts'
import type { FileSystem } from '../../world/file-system.ts'
import { defineCommand } from '../define-command.ts'
import { type Field, fieldLines } from '../output/fields.ts'
import { safeText } from '../output/safe-text.ts'
import { sinceText, timeText } from '../output/words.ts'
import { testsText } from './run-job/outcome.ts'

interface Options {
  readonly repo?: string
}

const TESTS_FAILED = 1

export const blame = defineCommand<Options>({
  name: 'blame',
  summary: 'which job last changed a file, and did the tests pass',
  about:
    'Says which tool job last changed a file of a repository, which job committed that, and whether the tests passed ' +
    'that looked at it afterwards. It is told from what jobs noted when they ran: changes that people made are not in it.',
  arguments: [new Argument('<file>', 'the file; it need not be there any more')],
  options: [
    new Option(
      '--repo <dir>',
      'the repository, as jobs have it in paths.repo_root; that of the current folder unless told',
    ),
  ],
  examples: [
    ['blame src/parser.py', 'who was it?'],
    ['blame src/parser.py --repo ../app && git push', 'go on unless its tests failed'],
    ['blame src/parser.py --json | jq -r .job.job_id', 'the job, for a program'],
  ],
  exits: [
    [0, 'its tests passed, or none have looked at it yet'],
    [1, 'its tests failed'],
    [3, 'no job is known to have changed it'],
  ],
  async run(session, { repo }, [given]) {
    const { nodeFileSystem } = await import('../../world/node-file-system.ts')
    const { JobStateStore } = await import('../../orchestrator/job-state-store.ts')
    const place = await placeOf(given as string, repo, nodeFileSystem)
    const store = new JobStateStore(await session.openToRead())
    const change = await store.lastChange(place.file, { repo_root: place.root })
    if (change === null) throw await nothingKnown(store, place)
    if (change.tests?.passed === false) session.found(TESTS_FAILED)
    if (session.isJson) return session.json(change)
    const { out, clock } = session
    const fields = changeFields(change, clock.now())
    await out.write(`${out.paint('bold', safeText(change.file))}\n${fieldLines(out, fields)}`)
  },
})

interface Place {
  readonly root: string
  /** As git names it: from the top of the repository. */
  readonly file: string
}

async function placeOf(given: string, repo: string | undefined, files: FileSystem): Promise<Place> {
  const start = repo === undefined ? process.cwd() : resolve(repo)
  const real = await files.realPath(start)
  if (real === null) {
    throw new InvalidInput('repo', `There is no folder ${start}`, 'Give the folder of the repository.')
  }
  const top = (await topOf(real, files)) ?? real
  // Whoever names a repository names a file in it; else a file is where people are.
  const path = resolve(repo === undefined ? real : top, given)
  const file = relative(top, path).split(sep).join('/')
  if (file === '' || file.startsWith('../') || file === '..') {
    const next = 'Say which repository with --repo.'
    throw new InvalidInput('file', `${given} is not a file in ${top}`, next)
  }
  return { root: repo === undefined ? top : real, file }
}

/** The nearest folder around it that is a repository of git, or a worktree of one. */
async function topOf(folder: string, files: FileSystem): Promise<string | null> {
  for (let at = folder; ; at = dirname(at)) {
    if ((await files.kindOf(resolve(at, '.git'))) !== null) return at
    if (dirname(at) === at) return null
  }
}

async function nothingKnown(store: JobStateStore, { file, root }: Place): Promise<NotFound> {
  const elsewhere = await store.lastChange(file)
  const other = elsewhere === null ? null : await rootOf(store, elsewhere.job.job_id)
  return new NotFound({
    code: 'NOT_FOUND',
    field: 'file',
    message: `No job is known to have changed ${file} in ${root}`,
    next:
      other === null
        ? 'Only tool jobs note what they change: see waybill jobs list.'
        : `One has in another repository: --repo ${other}`,
    details: { file, repo_root: root },
  })
}

async function rootOf(store: JobStateStore, job_id: string): Promise<string | null> {
  const { payload = null } = (await store.ledger.jobs.get(job_id)) ?? {}
  const paths = isJsonObject(payload) ? payload.paths : null
  return isJsonObject(paths) ? String(paths.repo_root) : null
}

function changeFields(change: FileChange, now: number): readonly Field[] {
  const { job, committed_by, tests, commit_before, commit_after } = change
  return [
    ['changed by', job.job_id, jobText(job, now)],
    ['committed by', committed_by?.job_id ?? null, committed_by === null ? '' : jobText(committed_by, now)],
    ['commit', commitText(commit_before, commit_after)],
    tests === null ? ['tests', 'none have looked at it yet'] : testField(tests, now),
    ['workstream', job.workstream_id],
    ['run', job.run_id],
  ]
}

function testField({ job, passed, totals }: TestsAfter, now: number): Field {
  const counts = testsText(totals ?? undefined)
  const said = `${passed ? 'passed' : 'failed'}${counts === null ? '' : ` (${counts})`}`
  return ['tests', said, `${job.job_id}, ${agoText(job, now)}`, passed ? 'green' : 'red']
}

function jobText(job: JobView, now: number): string {
  return `${job.tool}, ${job.status}, ${agoText(job, now)}`
}

function agoText({ completed_at }: JobView, now: number): string {
  if (completed_at === null) return 'not ended yet'
  return `${timeText(fromIso(completed_at))}, ${sinceText(completed_at, now)} ago`
}

function commitText(before: string | null, after: string | null): string | null {
  if (after === null) return null
  const short = (commit: string) => commit.slice(0, 12)
  return before === null || before === after ? short(after) : `${short(before)} → ${short(after)}`
}
