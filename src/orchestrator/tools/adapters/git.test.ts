import { describe, expect, it } from 'vitest'
import { finished, jobOf, placeAt, toolJob } from '../../../../test/fixtures/tool-jobs.ts'
import { commandsOf } from '../adapter.ts'
import { gitAdapter } from './git.ts'

const PLACE = placeAt('/repo', { workingDir: '/repo/app' })

/** Without what is the same for every command. */
const argvs = (...args: readonly string[]) =>
  commandsOf(gitAdapter, jobOf('git', ...args), PLACE).map((command) => {
    expect(command.args.slice(0, 2)).toEqual(['--no-pager', '-c'])
    expect(command.env).toMatchObject({ GIT_TERMINAL_PROMPT: '0', GIT_ASKPASS: '', GIT_EDITOR: 'true' })
    return command.args.slice(command.args.indexOf('protocol.ext.allow=never') + 1)
  })

const refused = (field: string) => expect.objectContaining({ code: 'INVALID_INPUT', field })

describe('the git adapter', () => {
  it('adds everything but what the job writes itself and worktrees, and commits it with the name of the job', () => {
    const [add, diff, commit, log] = commandsOf(gitAdapter, jobOf('git', 'commit', '--all of it'), PLACE)
    expect(add?.args.slice(-7)).toEqual([
      'add',
      '--all',
      '--',
      ':(top)',
      ':(top,exclude,glob)**/logs/job-1.log',
      ':(top,exclude,glob)**/logs/job-1.error.json',
      ':(top,exclude,glob)**/.worktrees/**',
    ])
    expect(diff).toMatchObject({ goesOnAt: [1], endsAt: [0] })
    expect(commit?.args.slice(-4)).toEqual([
      'commit',
      '--quiet',
      '--message=--all of it',
      '--trailer=Waybill-Job: job-1',
    ])
    expect(log?.args.at(-1)).toBe('--format=committed %H')
  })

  it('adds and commits only the paths that are given, as they are written', () => {
    const paths = ['/repo/app/:(top)a*', '/repo/b']
    expect(argvs('commit', 'm', ':(top)a*', '../b')).toEqual([
      ['--literal-pathspecs', 'add', '--all', '--', ...paths],
      ['--literal-pathspecs', 'diff', '--cached', '--quiet', '--no-ext-diff', '--', ...paths],
      [
        '--literal-pathspecs',
        'commit',
        '--quiet',
        '--message=m',
        '--trailer=Waybill-Job: job-1',
        '--only',
        '--',
        ...paths,
      ],
      ['log', '--max-count=1', '--no-show-signature', '--format=committed %H'],
    ])
  })

  it.each([
    [
      ['branch', 'feature/ä'],
      ['branch', '--end-of-options', 'feature/ä'],
    ],
    [
      ['branch', 'b', 'HEAD~2'],
      ['branch', '--end-of-options', 'b', 'HEAD~2'],
    ],
    [
      ['switch', 'b'],
      ['switch', '--end-of-options', 'b'],
    ],
    [
      ['worktree-add', '.worktrees/b', 'b'],
      ['worktree', 'add', '--', '/repo/app/.worktrees/b', 'b'],
    ],
    [
      ['worktree-add', '../beside', 'b', 'origin/main'],
      ['worktree', 'add', '-b', 'b', '--', '/repo/beside', 'origin/main'],
    ],
    [
      ['worktree-remove', '.worktrees/b'],
      ['worktree', 'remove', '--', '/repo/app/.worktrees/b'],
    ],
    [['status'], ['status', '--porcelain=v2', '--branch']],
    [
      ['fetch', 'origin'],
      ['fetch', '--end-of-options', 'origin'],
    ],
    [
      ['push', 'origin', 'b'],
      ['push', '--end-of-options', 'origin', 'refs/heads/b:refs/heads/b'],
    ],
  ])('%j', (args, argv) => {
    expect(argvs(...args)).toEqual([argv])
  })

  it.each([
    [[], 'command.args[0]'],
    [['--exec-path=/tmp'], 'command.args[0]'],
    [['rebase', 'main'], 'command.args[0]'],
    [['commit'], 'command.args[1]'],
    [['commit', ' \n'], 'command.args[1]'],
    [['commit', 'm', '--amend'], 'command.args[2]'],
    [['commit', 'm', 'a', '../../etc/passwd'], 'command.args[3]'],
    [['commit', 'm', '/etc/passwd'], 'command.args[2]'],
    [['commit', 'm', ''], 'command.args[2]'],
    [['branch', '--force'], 'command.args[1]'],
    [['branch', 'a..b'], 'command.args[1]'],
    [['branch', 'b', '-f'], 'command.args[2]'],
    [['branch', 'b', 'HEAD', 'more'], 'command.args[3]'],
    [['switch', '-c'], 'command.args[1]'],
    [['switch', 'HEAD'], 'command.args[1]'],
    [['worktree-add', '--detach', 'b'], 'command.args[1]'],
    [['worktree-add', '.worktrees/b', '-x', 'HEAD'], 'command.args[2]'],
    [['worktree-add', 'inside', 'b'], 'command.args[1]'],
    [['worktree-add', '.', 'b'], 'command.args[1]'],
    [['worktree-remove', '--force'], 'command.args[1]'],
    [['status', '--ignored'], 'command.args[1]'],
    [['fetch', '--upload-pack=touch /tmp/x'], 'command.args[1]'],
    [['fetch', 'ext::sh -c x'], 'command.args[1]'],
    [['push', 'https://example.org/r.git', 'b'], 'command.args[1]'],
    [['push', 'origin', '--force'], 'command.args[2]'],
  ])('A65: refuses %j, naming %s', (args, field) => {
    expect(() => argvs(...args)).toThrow(refused(field))
  })

  it('refuses more paths than a command line holds', () => {
    expect(() => argvs('commit', 'm', ...Array<string>(1001).fill('a'))).toThrow(
      refused('command.args[1002]'),
    )
  })

  it('refuses an environment that has git work elsewhere', () => {
    const job = toolJob({ env: { GIT_DIR: '/other/.git' }, command: { exe: 'git', args: ['status'] } })
    expect(() => gitAdapter.prepare(job, PLACE)).toThrow(refused('env.GIT_DIR'))
  })

  it('names what it knows when asked for something else', () => {
    expect(() => argvs('rebase')).toThrow(
      expect.objectContaining({ next: expect.stringContaining('commit <message> [paths…]; branch <name>') }),
    )
  })

  it('leaves the way to a server to the job that says one', () => {
    const GIT_SSH_COMMAND = 'ssh -i key'
    const job = toolJob({ env: { GIT_SSH_COMMAND }, command: { exe: 'git', args: ['fetch', 'origin'] } })
    expect(commandsOf(gitAdapter, job, PLACE)[0]?.env).not.toHaveProperty('GIT_SSH_COMMAND')
  })

  it('reports what was committed, or that nothing was', () => {
    const sha = 'a'.repeat(40)
    const commit = jobOf('git', 'commit', 'm')
    const reported = (printed: string) => gitAdapter.report?.(commit, finished(printed))
    expect(reported(`a hook says hello\ncommitted ${sha}\n`)).toEqual({
      git: { operation: 'commit', committed: true, commit: sha },
    })
    expect(reported('')).toEqual({ git: { operation: 'commit', committed: false } })
    expect(reported(`committed ${sha}\nsays the hook`)).toMatchObject({ git: { committed: false } })
    expect(gitAdapter.report?.(commit, finished('', { exitCode: 128, status: 'failed' }))).toEqual({
      git: { operation: 'commit' },
    })
    expect(gitAdapter.report?.(jobOf('git', 'status'), finished(''))).toEqual({
      git: { operation: 'status' },
    })
  })
})
