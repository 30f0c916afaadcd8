import { describe, expect, it } from 'vitest'
import { jobOf, onlyCommand, placeAt, toolJob } from '../../../../test/fixtures/tool-jobs.ts'
import { aiderAdapter } from './aider.ts'

const PLACE = placeAt('/repo', {
  messageFile: '/repo/do this.md',
  filesScope: ['/repo/a.py', '/repo/-b c.py'],
})

describe('the aider adapter', () => {
  it('runs it unattended, with the message and the files of the job before its own arguments', () => {
    expect(onlyCommand(aiderAdapter, jobOf('aider', '--model', 'gpt-4o'), PLACE)).toEqual({
      exe: 'aider',
      args: [
        '--yes-always',
        '--no-pretty',
        '--no-stream',
        '--no-check-update',
        '--no-show-release-notes',
        '--no-analytics',
        '--message-file',
        '/repo/do this.md',
        '--file',
        '/repo/a.py',
        '--file',
        '/repo/-b c.py',
        '--model',
        'gpt-4o',
      ],
      env: { PYTHONUNBUFFERED: '1' },
    })
  })

  it('says nothing twice or against the job', () => {
    const job = jobOf('aider', '--yes', '--pretty', '--stream', '--analytics-disable', '--message=do it')
    expect(onlyCommand(aiderAdapter, job, placeAt('/repo', { messageFile: '/repo/m' })).args).toEqual([
      '--no-check-update',
      '--no-show-release-notes',
      ...job.command.args,
    ])
  })

  it('takes nothing after -- for an option', () => {
    const { args } = onlyCommand(aiderAdapter, jobOf('aider', '--', '--message'), PLACE)
    expect(args).toContain('--message-file')
  })

  it('refuses a job without a message, which would wait for one, unless it needs none', () => {
    expect(() => onlyCommand(aiderAdapter, jobOf('aider', 'a.py'))).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'metadata.message_file' }),
    )
    expect(onlyCommand(aiderAdapter, jobOf('aider', '--lint')).args.at(-1)).toBe('--lint')
  })

  it('leaves the environment that a job sets itself alone', () => {
    const job = toolJob({ env: { PYTHONUNBUFFERED: '' }, command: { exe: 'aider', args: ['--version'] } })
    expect(onlyCommand(aiderAdapter, job).env).toEqual({})
  })
})
