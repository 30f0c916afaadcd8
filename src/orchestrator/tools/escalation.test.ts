import { describe, expect, it } from 'vitest'
import { toolJob } from '../../../test/fixtures/tool-jobs.ts'
import { AdapterRegistry } from './adapter-registry.ts'
import { commandAdapter } from './adapters/command.ts'
import { escalatedJob, ladderOf } from './escalation.ts'
import type { ToolJob } from './tool-job.ts'

const ADAPTERS = new AdapterRegistry([
  {
    ...commandAdapter,
    tool: 'fixer',
    takesOver: { command: { exe: 'fix', args: ['it'] }, needsMessage: false },
  },
])

const aiderJob = (metadata: ToolJob['metadata'] = {}) =>
  toolJob({
    tool: 'aider',
    command: { exe: 'aider', args: ['--model', 'x'] },
    metadata: { message_file: 'task.md', ...metadata },
  })

const ladder = (metadata: ToolJob['metadata']) => ladderOf(aiderJob(metadata), ADAPTERS)

describe('the ladder of a job', () => {
  it.each([
    [{}, []],
    [{ retry_policy: 'none' }, []],
    [{ retry_policy: 'retry_same' }, []],
    [{ retry_policy: 'escalate_to_codex' }, ['codex', 'human']],
    [{ retry_policy: 'escalate_to_human' }, ['human']],
    [{ escalation: ['codex'] }, ['codex']],
    [{ retry_policy: 'escalate_to_fixer', escalation: ['fixer', 'codex'] }, ['fixer', 'codex']],
    [{ retry_policy: 'retry_same', escalation: ['human'] }, ['human']],
    [{ retry_policy: 'none', escalation: [] }, []],
  ])('of %j is %j', (metadata, rungs) => {
    expect(ladder(metadata)).toEqual(rungs)
  })

  it.each([
    [{ retry_policy: 'escalate_to_cdex' }, 'metadata.retry_policy', 'cdex is no tool that is known'],
    [{ retry_policy: 'escalate_to_' }, 'metadata.retry_policy', 'is no tool that is known'],
    [{ retry_policy: 'escalate_to_git' }, 'metadata.retry_policy', 'git cannot take over'],
    [{ retry_policy: 'escalate_to_aider' }, 'metadata.retry_policy', 'aider would get the job a second time'],
    [{ escalation: ['codex', 'codex'] }, 'metadata.escalation', 'codex would get the job a second time'],
    [{ escalation: ['human', 'codex'] }, 'metadata.escalation', 'human is not the last'],
    [{ escalation: 'codex' }, 'metadata.escalation', 'must be a list'],
    [{ escalation: Array(11).fill('codex') }, 'metadata.escalation', 'at most 10'],
    [{ retry_policy: 'none', escalation: ['codex'] }, 'metadata.escalation', 'retry_policy is none'],
    [
      { retry_policy: 'escalate_to_codex', escalation: ['human'] },
      'metadata.escalation',
      'begins with human',
    ],
    [{ retry_policy: 'escalate_to_codex', escalation: [] }, 'metadata.escalation', 'begins with nobody'],
  ])('of %j is refused', (metadata, field, message) => {
    expect(() => ladder(metadata)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field, message: expect.stringContaining(message) }),
    )
  })

  it('needs a message that another tool can read', () => {
    const job = toolJob({ metadata: { retry_policy: 'escalate_to_codex' } })
    expect(() => ladderOf(job, ADAPTERS)).toThrow(
      expect.objectContaining({ code: 'INVALID_INPUT', field: 'metadata.message_file' }),
    )
    expect(ladderOf(toolJob({ metadata: { retry_policy: 'escalate_to_fixer' } }), ADAPTERS)).toHaveLength(2)
  })
})

describe('a job that another tool takes over', () => {
  const first = aiderJob({
    retry_policy: 'escalate_to_codex',
    max_retries: 2,
    files_scope: ['a.py'],
    mine: 1,
  })
  const second = escalatedJob(
    { job: first, to: 'codex', reason: 'failed 3 times', new_job_id: 'job-2' },
    ADAPTERS,
  )
  const third = escalatedJob({ job: second, to: 'human', reason: 'timed out', new_job_id: 'job/3' }, ADAPTERS)

  it('A69: is the same work by another tool, linked to where it comes from', () => {
    expect(second).toEqual({
      job_id: 'job-2',
      run_id: 'run-1',
      workstream_id: 'ws-1',
      tool: 'codex',
      command: { exe: 'codex', args: [] },
      env: {},
      paths: {
        repo_root: '/repo',
        working_dir: '.',
        log_file: 'logs/job-1.job-2.log',
        error_report: 'logs/job-1.error.job-2.json',
      },
      metadata: {
        message_file: 'task.md',
        files_scope: ['a.py'],
        max_retries: 2,
        mine: 1,
        retry_policy: 'escalate_to_human',
        escalation: ['human'],
        original_job_id: 'job-1',
        escalated_from: 'job-1',
        escalated_from_tool: 'aider',
        escalation_reason: 'failed 3 times',
      },
    })
    expect(ladderOf(second, ADAPTERS)).toEqual(['human'])
  })

  it('waits for a person at last, and still knows the first of the chain', () => {
    expect(third).toMatchObject({
      tool: 'human',
      command: { exe: 'human', args: [] },
      paths: { log_file: 'logs/job-1.job%2F3.log', error_report: 'logs/job-1.error.job%2F3.json' },
      metadata: {
        retry_policy: 'none',
        escalation: [],
        original_job_id: 'job-1',
        escalated_from: 'job-2',
        escalated_from_tool: 'codex',
        escalation_reason: 'timed out',
      },
    })
    expect(ladderOf(third, ADAPTERS)).toEqual([])
  })

  it('may be handed to somebody who is not on the ladder, which then follows', () => {
    const job = escalatedJob({ job: first, to: 'fixer', reason: 'by hand', new_job_id: 'j' }, ADAPTERS)
    expect(job.command).toEqual({ exe: 'fix', args: ['it'] })
    expect(ladderOf(job, ADAPTERS)).toEqual(['codex', 'human'])
  })

  it('is never handed to a tool that cannot take it, or that nobody knows', () => {
    const to = (tool: string) => () =>
      escalatedJob({ job: first, to: tool, reason: '', new_job_id: 'j' }, ADAPTERS)
    expect(to('tests')).toThrow(expect.objectContaining({ code: 'INVALID_INPUT', field: 'to' }))
    expect(to('nobody')).toThrow(expect.objectContaining({ code: 'UNKNOWN_ADAPTER' }))
  })

  it('has files whose names stay short, however long its id is', () => {
    const job = escalatedJob({ job: first, to: 'codex', reason: '', new_job_id: 'ü'.repeat(500) }, ADAPTERS)
    expect(job.paths.log_file).toMatch(/^logs\/job-1\.[0-9a-f]{32}\.log$/)
  })
})
