import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { GitFacts } from '../../src/orchestrator/git/git-facts.ts'
import { gitRunner } from '../../src/orchestrator/git/git-runner.ts'
import { hashFile, markFile } from '../../src/world/file-mark.ts'
import { type Repository, repository } from './repository.ts'
import { folder } from './run-job.ts'

function factsOf(environment: NodeJS.ProcessEnv): GitFacts {
  return new GitFacts({ run: gitRunner(environment), files: { mark: markFile, hash: hashFile } })
}

function begun(): Repository & { readonly facts: GitFacts } {
  const repo = repository()
  for (const name of ['a', 'b', 'sub/c']) repo.write(name, `${name}\n`)
  repo.git('add', '.')
  repo.git('commit', '--quiet', '--message=first')
  return { ...repo, facts: factsOf(repo.environment) }
}

/** What a job that does this has touched. */
async function touchedBy(repo: ReturnType<typeof begun>, work: () => void, dir = repo.path) {
  const before = await repo.facts.stateOf(dir)
  work()
  return repo.facts.touchedFiles(dir, before)
}

describe('the commit of a folder', () => {
  it('is its HEAD, or null where there is none', async () => {
    using repo = begun()
    using empty = repository()
    using plain = folder('plain')
    const head = repo.git('rev-parse', 'HEAD').trim()
    expect(await repo.facts.commitOf(repo.path)).toBe(head)
    expect(await repo.facts.commitOf(join(repo.path, 'sub'))).toBe(head)
    expect(await repo.facts.commitOf(empty.path)).toBeNull()
    expect(await repo.facts.commitOf(plain.path)).toBeNull()
    expect(await repo.facts.commitOf(join(plain.path, 'nowhere'))).toBeNull()
  })

  it('is that of the folder, whatever the environment of the worker says', async () => {
    using repo = begun()
    using other = begun()
    other.git('commit', '--quiet', '--allow-empty', '--message=second')
    const facts = factsOf({ ...repo.environment, GIT_DIR: join(other.path, '.git') })
    expect(await facts.commitOf(repo.path)).toBe(repo.git('rev-parse', 'HEAD').trim())
  })
})

describe('the files that a job touched', () => {
  it('are those it committed and those it left changed, and no others', async () => {
    using repo = begun()
    repo.write('dirty before', 'x')
    const before = repo.git('rev-parse', 'HEAD').trim()
    const touched = await touchedBy(repo, () => {
      repo.write('a', 'changed and committed\n')
      repo.git('commit', '--quiet', '--all', '--message=second')
      repo.write('sub/c', 'changed\n')
      repo.write('sub/new', 'new\n')
    })
    expect(touched).toEqual({
      commit_before: before,
      commit_after: repo.git('rev-parse', 'HEAD').trim(),
      files: ['a', 'sub/c', 'sub/new'],
      truncated: false,
    })
  })

  it('are told from what was changed before by what is in them', async () => {
    using repo = begun()
    for (const name of ['a', 'b', 'sub/c', 'new', 'script', 'new/../gone']) repo.write(name, 'mine\n')
    symlinkSync('a', join(repo.path, 'link'))
    const { files } = await touchedBy(repo, () => {
      repo.write('a', 'theirs\n')
      // Written again as it was, staged, put back as it was committed, removed, made executable, pointed elsewhere.
      repo.write('b', 'mine\n')
      repo.git('add', 'new')
      repo.git('checkout', '--quiet', '--', 'sub/c')
      rmSync(join(repo.path, 'gone'))
      chmodSync(join(repo.path, 'script'), 0o755)
      rmSync(join(repo.path, 'link'))
      symlinkSync('b', join(repo.path, 'link'))
    })
    expect(files).toEqual(['a', 'gone', 'link', 'script', 'sub/c'])
  })

  it('are there under both names when they were renamed, committed or not', async () => {
    using repo = begun()
    const { files } = await touchedBy(repo, () => {
      repo.git('mv', 'a', 'z')
      repo.git('commit', '--quiet', '--message=renamed')
      renameSync(join(repo.path, 'b'), join(repo.path, 'y'))
    })
    expect(files).toEqual(['a', 'b', 'y', 'z'])
  })

  it('may have any name', async () => {
    using repo = begun()
    const odd = ['-x', ' leading', 'a "quoted" one', 'tab\there', 'two\nlines', 'ä/ö', '日本', '? q', '1 .M']
    const { files } = await touchedBy(repo, () => {
      for (const name of odd) repo.write(name, 'x')
      // Not UTF-8: shown as well as it can be.
      writeFileSync(Buffer.concat([Buffer.from(`${repo.path}/bad`), Buffer.from([0xff])]), 'x')
      repo.git('add', '--', '-x', 'ä', 'two\nlines')
      repo.git('commit', '--quiet', '--message=odd')
    })
    expect([...files].sort()).toEqual([...odd, 'bad\ufffd'].sort())
  })

  it('are not those it left alone, even if their names are not text', async () => {
    using repo = begun()
    const name = Buffer.concat([Buffer.from(`${repo.path}/bad`), Buffer.from([0xff])])
    writeFileSync(name, 'x')
    expect((await touchedBy(repo, () => {})).files).toEqual([])
    expect((await touchedBy(repo, () => writeFileSync(name, 'y'))).files).toEqual(['bad\ufffd'])
  })

  it('are named from the top also when the job works in a folder below, and whatever git is told to show', async () => {
    using repo = begun()
    repo.git('config', 'diff.relative', 'true')
    repo.git('config', 'status.relativePaths', 'true')
    repo.git('config', 'status.showUntrackedFiles', 'no')
    const work = () => {
      repo.write('a', '2')
      repo.git('commit', '--quiet', '--all', '--message=second')
      repo.write('sub/new', 'x')
    }
    expect((await touchedBy(repo, work, join(repo.path, 'sub'))).files).toEqual(['a', 'sub/new'])
  })

  it('are those of its own worktree', async () => {
    using repo = begun()
    repo.git('worktree', 'add', '--quiet', '-b', 'left', '.worktrees/left')
    const work = () => {
      repo.write('.worktrees/left/b', 'there\n')
      repo.write('b', 'here\n')
    }
    expect((await touchedBy(repo, work, join(repo.path, '.worktrees/left'))).files).toEqual(['b'])
    const inMain = await touchedBy(repo, () => repo.write('.worktrees/left/a', 'there\n'))
    expect(inMain.files).toEqual([])
  })

  it('are all there are in the first commit, and none outside a repository', async () => {
    using repo = repository()
    using plain = folder('plain')
    const facts = factsOf(repo.environment)
    repo.write('sub/a', 'x')
    const before = await facts.stateOf(repo.path)
    repo.git('add', '.')
    repo.git('commit', '--quiet', '--message=first')
    expect(await facts.touchedFiles(repo.path, before)).toMatchObject({
      commit_before: null,
      files: ['sub/a'],
    })
    expect(await facts.touchedFiles(plain.path, await facts.stateOf(plain.path))).toEqual({
      commit_before: null,
      commit_after: null,
      files: [],
      truncated: false,
    })
  })

  it('are all there are when the job made the repository', async () => {
    using repo = repository()
    const facts = factsOf(repo.environment)
    rmSync(join(repo.path, '.git'), { recursive: true })
    const before = await facts.stateOf(repo.path)
    repo.git('init', '--quiet')
    repo.write('a', 'x')
    expect((await facts.touchedFiles(repo.path, before)).files).toEqual(['a'])
  })

  it('leave out what is asked to be left out', async () => {
    using repo = begun()
    const before = await repo.facts.stateOf(repo.path)
    repo.write('logs/jöb.log', 'x')
    repo.write('logs/other', 'x')
    const except = [join(repo.path, 'logs/jöb.log')]
    expect((await repo.facts.touchedFiles(repo.path, before, except)).files).toEqual(['logs/other'])
  })

  it('are a thousand at most, and then it says so', async () => {
    using repo = begun()
    const touched = await touchedBy(repo, () => {
      for (let nth = 0; nth < 1001; nth++) repo.write(`many/${nth}`, 'x')
    })
    expect(touched.files).toHaveLength(1000)
    expect(touched.truncated).toBe(true)
  })

  it('may be more than are told when the commit before is gone', async () => {
    using repo = begun()
    const before = await repo.facts.stateOf(repo.path)
    const gone = { ...before, commit: 'f'.repeat(40) }
    repo.write('new', 'x')
    expect(await repo.facts.touchedFiles(repo.path, gone)).toMatchObject({ files: ['new'], truncated: true })
  })
})

it('reading facts runs nothing that a repository has configured, and writes nothing', async () => {
  using repo = begun()
  const marker = join(repo.path, '../ran')
  const script = join(repo.path, '../script')
  writeFileSync(script, `#!/bin/sh\necho "$0 $*" >> '${marker}'\ncat\n`)
  chmodSync(script, 0o755)
  repo.write('.gitattributes', '* filter=evil diff=evil\n')
  mkdirSync(join(repo.path, '../hooks'))
  for (const hook of ['post-index-change', 'fsmonitor-watchman', 'reference-transaction'])
    symlinkSync(script, join(repo.path, '../hooks', hook))
  const settings = [
    ['core.fsmonitor', script],
    ['core.hooksPath', join(repo.path, '../hooks')],
    ['core.pager', script],
    ['core.sshCommand', script],
    ['filter.evil.clean', script],
    ['filter.evil.process', script],
    ['filter.evil.required', 'true'],
    ['diff.external', script],
    ['diff.evil.command', script],
    ['diff.evil.textconv', script],
  ]
  const before = await repo.facts.stateOf(repo.path)
  for (const [name = '', value = ''] of settings) repo.git('config', name, value)
  repo.write('a', 'changed\n')
  // The same length and another time: git has to look inside to know.
  repo.write('b', 'b\n')
  const index = readFileSync(join(repo.path, '.git/index'))
  const state = await repo.facts.stateOf(repo.path)
  const { files } = await repo.facts.touchedFiles(repo.path, before)
  expect(files).toEqual(['a'])
  expect(state.changed?.size).toBe(2)
  expect(existsSync(marker)).toBe(false)
  expect(readFileSync(join(repo.path, '.git/index'))).toEqual(index)
  // With its settings in force, git does run them: the test can fail.
  expect(() => repo.git('status')).toThrow('evil')
  expect(existsSync(marker)).toBe(true)
})
