import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Repository, repository } from './repository.ts'

const COMPLETED = { exitCode: 0, status: 'completed' }

function begun(): Repository {
  const repo = repository()
  repo.write('a', 'one\n')
  repo.write('b', 'one\n')
  repo.git('add', '.')
  repo.git('commit', '--quiet', '--message=first')
  return repo
}

const changes = (repo: Repository, dir = '.') => repo.gitIn(dir, 'status', '--porcelain').trim().split('\n')

describe('git commit', () => {
  it('A73: commits everything, new and gone files too, with the name of the job', async () => {
    using repo = begun()
    repo.write('sub/new', 'new\n')
    repo.git('rm', '--quiet', '--cached', 'b')
    const { done, report } = await repo.job(['commit', '-m is how this message begins\n\nAnd more.'], 'sub')
    expect(done).toMatchObject(COMPLETED)
    expect(report).toEqual({
      git: { operation: 'commit', committed: true, commit: repo.git('rev-parse', 'HEAD').trim() },
    })
    expect(repo.git('log', '-1', '--format=%B').trim()).toBe(
      '-m is how this message begins\n\nAnd more.\n\nWaybill-Job: job-1',
    )
    expect(repo.git('log', '-1', '--format=%(trailers:key=Waybill-Job,valueonly)').trim()).toBe('job-1')
    expect(changes(repo)).toEqual([''])
  })

  it('begins the history of a repository that has none', async () => {
    using repo = repository()
    repo.write('a', 'one\n')
    expect((await repo.job(['commit', 'first'])).report).toMatchObject({ git: { committed: true } })
  })

  it('is completed when there is nothing to commit, and says so', async () => {
    using repo = begun()
    const head = repo.git('rev-parse', 'HEAD')
    const { done, report } = await repo.job(['commit', 'nothing'])
    expect(done).toMatchObject(COMPLETED)
    expect(report).toEqual({ git: { operation: 'commit', committed: false } })
    expect(repo.git('rev-parse', 'HEAD')).toBe(head)
  })

  it('does not commit the log that it is written to, nor worktrees inside', async () => {
    using repo = begun()
    repo.write('logs/job-1.log', 'being written')
    repo.write('logs/other.log', 'wanted')
    await repo.job(['worktree-add', '.worktrees/x', 'x', 'HEAD'])
    await repo.job(['commit', 'logs'])
    expect(repo.git('show', '--name-only', '--format=').trim()).toBe('logs/other.log')
  })

  it('commits only the paths that are given, whatever else is staged, and whatever they are called', async () => {
    using repo = begun()
    const odd = ['*', ':(top)x', 'with "quotes" and spaces', 'zwei\nZeilen', 'ä', './-dash']
    for (const name of [...odd, 'other']) repo.write(name, 'x')
    repo.git('add', 'other')
    repo.git('rm', '--quiet', '--cached', 'b')
    const { done } = await repo.job(['commit', 'odd', ...odd])
    expect(done).toMatchObject(COMPLETED)
    const committed = repo.git('show', '--name-only', '--format=', '-z').split('\0').filter(Boolean)
    expect(committed.sort()).toEqual(odd.map((name) => name.replace('./', '')).sort())
    expect(changes(repo)).toEqual(['D  b', 'A  other', '?? b'])
  })

  it('runs the hooks of the repository, as for everybody, and fails when they say no', async () => {
    using repo = begun()
    repo.write('.git/hooks/pre-commit', '#!/bin/sh\necho not like this\nexit 1\n')
    chmodSync(join(repo.path, '.git/hooks/pre-commit'), 0o755)
    repo.write('a', 'two\n')
    const { done, report } = await repo.job(['commit', 'two'])
    expect(done).toMatchObject({
      exitCode: 1,
      status: 'failed',
      tail: expect.stringContaining('not like this'),
    })
    expect(report).toEqual({ git: { operation: 'commit' } })
  })

  it('fails on a path that is not there, and commits nothing', async () => {
    using repo = begun()
    repo.write('a', 'two\n')
    expect((await repo.job(['commit', 'm', 'a', 'nowhere'])).done.status).toBe('failed')
    expect(repo.git('rev-list', '--count', 'HEAD').trim()).toBe('1')
  })
})

describe('branches and worktrees', () => {
  it('A73: makes a branch and goes there', async () => {
    using repo = begun()
    await repo.job(['branch', 'feature/one', 'HEAD'])
    expect((await repo.job(['switch', 'feature/one'])).done).toMatchObject(COMPLETED)
    expect(repo.git('branch', '--show-current').trim()).toBe('feature/one')
    expect((await repo.job(['branch', 'feature/one'])).done).toMatchObject({
      exitCode: 128,
      status: 'failed',
    })
    expect((await repo.job(['status'])).done.tail).toContain('# branch.head feature/one')
  })

  it('A73: makes and removes worktrees, and never one with work in it', async () => {
    using repo = begun()
    repo.git('branch', 'there')
    expect((await repo.job(['worktree-add', '.worktrees/there', 'there'])).done).toMatchObject(COMPLETED)
    expect((await repo.job(['worktree-add', '.worktrees/new', 'new', 'HEAD'])).done).toMatchObject(COMPLETED)
    repo.write('.worktrees/new/work', 'not committed')
    expect((await repo.job(['worktree-remove', '.worktrees/new'])).done.status).toBe('failed')
    expect(existsSync(join(repo.path, '.worktrees/new/work'))).toBe(true)
    expect((await repo.job(['worktree-remove', '.worktrees/there'])).done).toMatchObject(COMPLETED)
    expect(existsSync(join(repo.path, '.worktrees/there'))).toBe(false)
  })

  it('A73: jobs in two worktrees at the same time do not disturb each other', async () => {
    using repo = begun()
    const trees = ['left', 'right']
    for (const tree of trees) await repo.job(['worktree-add', `.worktrees/${tree}`, tree, 'HEAD'])
    await Promise.all(
      trees.map(async (tree) => {
        for (let nth = 0; nth < 8; nth++) {
          repo.write(`.worktrees/${tree}/a`, `${tree} ${nth}\n`)
          repo.write(`.worktrees/${tree}/${tree}-${nth}`, 'new\n')
          const { done } = await repo.job(
            ['commit', `${tree} ${nth}`],
            `.worktrees/${tree}`,
            `${tree}-${nth}`,
          )
          expect(done).toMatchObject(COMPLETED)
        }
      }),
    )
    for (const tree of trees) {
      const told = Array.from({ length: 8 }, (_, nth) => `${tree} ${7 - nth}`)
      expect(repo.git('log', '--format=%s', tree).trim().split('\n')).toEqual([...told, 'first'])
      const names = repo.git('diff', '--name-only', 'main', tree).trim().split('\n')
      expect(names).toEqual(['a', ...Array.from({ length: 8 }, (_, nth) => `${tree}-${nth}`)])
      expect(changes(repo, `.worktrees/${tree}`)).toEqual([''])
    }
    expect(readFileSync(join(repo.path, 'a'), 'utf8')).toBe('one\n')
    expect(repo.git('branch', '--show-current').trim()).toBe('main')
  })
})

describe('servers', () => {
  it('A65: never asks for a name or password: a server that wants one has it fail at once', async () => {
    using repo = begun()
    let asked = 0
    const server = createServer((_, response) => {
      asked++
      response.writeHead(401, { 'www-authenticate': 'Basic realm="none"' }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    try {
      const { port } = server.address() as AddressInfo
      // What it would ask with, were it allowed to: each would hang, and is not to be run.
      repo.git('config', 'core.askPass', 'sleep 1000; echo')
      repo.git('remote', 'add', 'origin', `http://127.0.0.1:${port}/repo.git`)
      const { done } = await repo.job(['fetch', 'origin'])
      expect(done).toMatchObject({ exitCode: 128, status: 'failed' })
      expect(done.tail).toContain('terminal prompts disabled')
      expect(asked).toBeGreaterThan(0)
      expect((await repo.job(['push', 'origin', 'main'])).done.status).toBe('failed')
    } finally {
      server.closeAllConnections()
      server.close()
    }
  })

  it.each(['https://127.0.0.1:1/repo.git', 'ssh://git@127.0.0.1:1/repo.git', 'ext::sh -c "touch made"'])(
    'A65: a remote at %s fails fast',
    async (url) => {
      using repo = begun()
      repo.git('remote', 'add', 'origin', url)
      expect((await repo.job(['fetch', 'origin'])).done).toMatchObject({ exitCode: 128, status: 'failed' })
      expect(existsSync(join(repo.path, 'made'))).toBe(false)
    },
  )

  it('fetches from and pushes to a repository that is there', async () => {
    using repo = begun()
    using other = repository()
    other.git('config', 'receive.denyCurrentBranch', 'ignore')
    repo.git('remote', 'add', 'origin', other.path)
    expect((await repo.job(['push', 'origin', 'main'])).done).toMatchObject(COMPLETED)
    expect(other.git('log', '--format=%s').trim()).toBe('first')
    expect((await repo.job(['fetch', 'origin'])).done).toMatchObject(COMPLETED)
  })
})
