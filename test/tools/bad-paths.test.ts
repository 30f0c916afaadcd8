import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ToolScene } from './tool-scene.ts'

const scene = new ToolScene()
const { repo, elsewhere } = scene
let before: readonly string[] = []

// Everything that could be in the way, made once; no test may add to it.
beforeAll(() => {
  writeFileSync(join(elsewhere, 'secret.txt'), 'secret')
  mkdirSync(join(repo, 'sub/deep/.git'), { recursive: true })
  mkdirSync(join(repo, '.git/hooks'))
  writeFileSync(join(repo, 'file.txt'), 'file')
  writeFileSync(join(repo, 'message.md'), 'do it')
  const links = {
    'out-folder': elsewhere,
    'out-file': join(elsewhere, 'secret.txt'),
    'out-relative': '../elsewhere',
    'out-dangling': join(elsewhere, 'not-yet.log'),
    'out-twice': 'out-folder',
    'in-dangling': 'nowhere',
    'in-folder': 'sub',
    'in-file': 'file.txt',
    'in-git': '.git',
    up: '..',
    root: '/',
    loop: 'loop',
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    'sub/out': '../../elsewhere',
    proc: '/proc/self/cwd',
    null: '/dev/null',
  }
  for (const [name, target] of Object.entries(links)) symlinkSync(target, join(repo, name))
  symlinkSync(repo, join(scene.folder, 'repo-link'))
  symlinkSync('nowhere', join(scene.folder, 'dead-link'))
  execFileSync('mkfifo', [join(repo, 'fifo')])
  linkSync(join(elsewhere, 'secret.txt'), join(repo, 'hard-link'))
  before = scene.names()
})

afterAll(() => scene.remove())

/** Nothing was run, and nothing is there that was not before, inside or outside. */
function mustBeUntouched(): void {
  expect(scene.names()).toEqual(before)
  expect(readFileSync(join(elsewhere, 'secret.txt'), 'utf8')).toBe('secret')
  expect(readFileSync(join(repo, 'file.txt'), 'utf8')).toBe('file')
  expect(readlinkSync(join(repo, 'out-file'))).toBe(join(elsewhere, 'secret.txt'))
}

async function refusalOf(field: string, path: string): Promise<unknown> {
  const job = scene.job()
  const [part, name] = field.split('.') as ['paths' | 'metadata', string]
  const value = name === 'files_scope' ? ['ok.py', path] : path
  const thrown = await scene
    .attempt({ ...job, [part]: { ...job[part], [name]: value } })
    .catch((e: unknown) => e)
  mustBeUntouched()
  return thrown
}

/** Out of the repository, whatever the path is for. */
const OUT = [
  '..',
  '../elsewhere',
  '../elsewhere/x.log',
  './../elsewhere/x',
  'sub/../../elsewhere/x',
  'sub/../x.log',
  'in-folder/../x.log',
  'sub/..',
  '../repo/x.log',
  'sub\\..\\x',
  '/',
  '/etc',
  '/etc/passwd',
  '/dev/null',
  '/proc/self/environ',
  '//etc/passwd',
  join(elsewhere, 'x.log'),
  elsewhere,
  `${repo}-other/x.log`,
  `${repo}/../elsewhere/x.log`,
  join(repo, 'out-folder/x'),
  'out-folder',
  'out-folder/x.log',
  'out-folder/new/x.log',
  'out-file',
  'out-relative/x.log',
  'out-dangling',
  'out-dangling/x.log',
  'out-twice/x.log',
  'in-dangling',
  'in-dangling/x',
  'up',
  'up/elsewhere/x',
  'root/etc/passwd',
  'loop',
  'loop/x',
  'loop-a',
  'sub/out/x.log',
  'in-folder/out/x.log',
  'null',
  'file.txt/x',
  `${'x/'.repeat(10)}${'y'.repeat(300)}`,
]

const FIELDS = [
  'paths.working_dir',
  'paths.log_file',
  'paths.error_report',
  'metadata.message_file',
  'metadata.files_scope',
]

const shown = (field: string) => (field === 'metadata.files_scope' ? `${field}[1]` : field)

describe('a path that leads out of the repository is refused by the name of its field', () => {
  const cases = FIELDS.flatMap((field) => OUT.map((path) => [field, path] as const))
  it.each(cases)('%s: %s', async (field, path) => {
    expect(await refusalOf(field, path)).toMatchObject({
      name: 'PathEscapes',
      code: 'PATH_ESCAPES',
      exitCode: 2,
      field: shown(field),
    })
  })
})

const GITS = [
  '.git',
  '.git/hooks/pre-commit',
  '.GIT/config',
  './.git/x',
  'in-git/x',
  'sub/deep/.git/x',
  join(repo, '.git'),
]

describe("git's own folder is not for tools", () => {
  const cases = FIELDS.filter((field) => field !== 'metadata.message_file').flatMap((field) =>
    GITS.map((path) => [field, path] as const),
  )
  it.each(cases)('%s: %s', async (field, path) => {
    expect(await refusalOf(field, path)).toMatchObject({ code: 'PATH_ESCAPES', field: shown(field) })
  })
})

describe('what a job writes is a plain file', () => {
  const NOT_FILES = [
    '.',
    './',
    'sub',
    'sub/',
    'sub/.',
    'new/',
    repo,
    'in-file',
    'in-folder',
    'fifo',
    'out-folder/',
  ]
  const cases = ['paths.log_file', 'paths.error_report'].flatMap((field) =>
    NOT_FILES.map((path) => [field, path] as const),
  )
  it.each(cases)('%s: %s', async (field, path) => {
    expect(await refusalOf(field, path)).toMatchObject({ code: 'PATH_ESCAPES', field })
  })

  it('with one name only: by a second one something outside could be written', async () => {
    expect(await refusalOf('paths.log_file', 'hard-link')).toMatchObject({
      code: 'PATH_ESCAPES',
      field: 'paths.log_file',
    })
  })

  it.each(['l.log', './l.log', join(repo, 'l.log')])('and not twice the same: %s', async (path) => {
    expect(await refusalOf('paths.error_report', path)).toMatchObject({
      code: 'PATH_ESCAPES',
      field: 'paths.error_report',
    })
  })
})

describe('what has to be there is there', () => {
  it.each([
    ['paths.working_dir', 'nowhere-to-be'],
    ['paths.working_dir', 'sub/nowhere'],
    ['paths.working_dir', 'file.txt'],
    ['paths.working_dir', 'in-file'],
    ['paths.working_dir', 'fifo'],
    ['paths.working_dir', '-C'],
    ['paths.repo_root', 'no-repo'],
    ['paths.repo_root', 'repo/file.txt'],
    ['paths.repo_root', 'repo/loop'],
    ['paths.repo_root', 'dead-link'],
    ['paths.repo_root', '/dev/null'],
    ['paths.repo_root', '--git-dir=x'],
    ['metadata.message_file', 'no-message.md'],
    ['metadata.message_file', 'sub'],
    ['metadata.message_file', 'fifo'],
    ['metadata.message_file', '--help'],
  ])('%s: %s', async (field, path) => {
    expect(await refusalOf(field, path)).toMatchObject({ code: 'INVALID_INPUT', exitCode: 2, field })
  })
})

describe('what is inside is taken for what it really is', () => {
  const place = async (paths: object, metadata: object = {}) => {
    const other = new ToolScene()
    mkdirSync(join(other.repo, 'sub'))
    symlinkSync('sub', join(other.repo, 'link'))
    symlinkSync(other.repo, join(other.folder, 'repo-link'))
    writeFileSync(join(other.repo, 'm.md'), 'x')
    const job = other.job()
    const done = await other.attempt({
      ...job,
      paths: { ...job.paths, ...paths },
      metadata: { ...job.metadata, ...metadata },
    })
    const names = other.names()
    other.remove()
    const inside = (path: string) => path.replace(other.repo, '')
    return { ...done, names, inside }
  }

  it('folders by way of links that stay inside, and log folders that are made', async () => {
    const {
      place: where,
      done,
      names,
      inside,
    } = await place({
      working_dir: 'link',
      log_file: 'link/logs/a/x.log',
      error_report: '-rf',
    })
    expect(inside(where.workingDir)).toBe('/sub')
    expect(inside(where.logFile)).toBe('/sub/logs/a/x.log')
    expect(inside(where.errorReport)).toBe('/-rf')
    expect(done.status).toBe('completed')
    expect(names).toContain('repo/sub/logs/a/x.log')
  })

  it('a root that is a link, and names that look like options', async () => {
    const { place: where, inside } = await place(
      { repo_root: 'repo-link' },
      {
        message_file: 'm.md',
        files_scope: ['--yes', 'sub/new.py', '*.py', '.'],
      },
    )
    expect(inside(where.messageFile ?? '')).toBe('/m.md')
    expect(where.filesScope.map(inside)).toEqual(['/--yes', '/sub/new.py', '/*.py', ''])
  })
})
