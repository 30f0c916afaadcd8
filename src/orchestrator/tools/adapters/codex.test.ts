import { describe, expect, it } from 'vitest'
import { jobOf, onlyCommand, placeAt } from '../../../../test/fixtures/tool-jobs.ts'
import { codexAdapter } from './codex.ts'

const PLACE = placeAt('/repo', { workingDir: '/repo/app', messageFile: '/repo/do this.md' })

const argsOf = (...args: readonly string[]) => onlyCommand(codexAdapter, jobOf('codex', ...args), PLACE).args

describe('the codex adapter', () => {
  it('runs it without a terminal, confined to the working directory, with the message on stdin', () => {
    expect(onlyCommand(codexAdapter, jobOf('codex', '--model', 'o3'), PLACE)).toEqual({
      exe: 'codex',
      args: [
        'exec',
        '--sandbox',
        'workspace-write',
        '--color',
        'never',
        '-C',
        '/repo/app',
        '--model',
        'o3',
        '-',
      ],
      stdinFile: '/repo/do this.md',
    })
  })

  it.each([
    ['--sandbox', 'read-only'],
    ['--sandbox=read-only'],
    ['-s', 'read-only'],
    ['--approve-for-me'],
    ['--dangerously-bypass-approvals-and-sandbox'],
  ])('leaves the sandbox to the job that says %j', (...args) => {
    expect(argsOf(...args)).toEqual(['exec', '--color', 'never', '-C', '/repo/app', ...args, '-'])
  })

  it('says nothing twice', () => {
    expect(argsOf('exec', '--color=always', '-')).toEqual([
      'exec',
      '--sandbox',
      'workspace-write',
      '-C',
      '/repo/app',
      '--color=always',
      '-',
    ])
  })

  it('takes a prompt among the arguments, and then nothing is on stdin', () => {
    const command = onlyCommand(codexAdapter, jobOf('codex', 'say hello'))
    expect(command.args.at(-1)).toBe('say hello')
    expect(command).not.toHaveProperty('stdinFile')
  })

  it('refuses a job without a message, and one that names another folder', () => {
    expect(() => onlyCommand(codexAdapter, jobOf('codex'))).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'metadata.message_file' }),
    )
    expect(() => argsOf('exec', '--cd=/etc')).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'command.args[1]' }),
    )
  })
})
