import { describe, expect, it } from 'vitest'
import { type Command, keyOf } from './command.ts'

/** With everything that any command may name. */
function about(type: string, more: object = {}): ReturnType<typeof keyOf> {
  const names = { doc_id: 'd', queue: 'q', schedule_id: 's', token_id: 'k', id: 'g', job_id: 'j' }
  return keyOf({ type, tenant_id: 't', ...names, ...more } as unknown as Command)
}

describe('what a command is about', () => {
  it.each([
    ['updateDocument', 'document', 'd'],
    ['steerQueue', 'queue', 'q'],
    ['putSchedule', 'schedule', 's'],
    ['moveSchedule', 'schedule', 's'],
    ['fireSchedule', 'schedule', 's'],
    ['mintToken', 'token', 'k'],
    ['revokeToken', 'token', 'k'],
    ['cancelJob', 'job', 'j'],
    ['advanceJob', 'job', 'j'],
  ])('%s is about a %s', (type, kind, id) => {
    expect(about(type)).toEqual({ kind, tenant_id: 't', id })
  })

  it.each(['createGroup', 'moveGroup', 'sealGroup', 'annotateGroup', 'followGroup'])(
    '%s is about a run or a workstream',
    (type) => {
      for (const kind of ['run', 'workstream'])
        expect(about(type, { kind })).toEqual({ kind, tenant_id: 't', id: 'g' })
    },
  )

  it('an import is about the first of its documents', () => {
    const past = [{ doc_id: 'first' }, { doc_id: 'second' }]
    expect(about('importDocuments', { past })).toEqual({ kind: 'document', tenant_id: 't', id: 'first' })
  })

  it('a job that is submitted says whether somebody made its id up just now', () => {
    expect(about('submitJob', { isFreshId: true })).toEqual({
      kind: 'job',
      tenant_id: 't',
      id: 'j',
      isFresh: true,
    })
  })
})
