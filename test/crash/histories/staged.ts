import { MINUTE_MS } from '../../../src/core/time.ts'
import {
  annotate,
  failure,
  moveDocument,
  onJob,
  report,
  reportStage,
  SUCCESS,
  stageDone,
  submitJob,
} from '../../../src/testing/conformance/commands.ts'
import {
  createGroup,
  eventOf,
  followGroup,
  sealGroup,
} from '../../../src/testing/conformance/group-commands.ts'
import {
  DOCUMENT_GATED,
  GATED,
  MOVING,
  OPEN_ENDED,
  PULLED,
  PUSHED,
} from '../../../src/testing/conformance/protocols.ts'
import type { Life } from '../life.ts'
import type { ScriptedHistory } from './scripted-history.ts'

/**
 * What others have a say in: stages that are reported as they come, jobs at gates, one that two others take over from, a
 * document that moves with its steps, a run and its workstreams; one snapshot with all of it under way, and one after it.
 */
export const staged: ScriptedHistory = {
  name: 'staged',
  journal: { snapshotSchedule: null, keepSnapshots: 2 },
  async play(life) {
    await life.open()
    await begin(life)
    await life.maintain()
    await goOn(life)
    await life.reopen()
    await end(life)
    await life.maintain()
    await late(life)
    await life.close()
  },
}

const RUNGS = [
  { protocol: { ...PULLED, request_type: 'OTHER' }, payload: { by: 'other' }, priority: 1 },
  { protocol: PUSHED, payload: null, priority: 0 },
] as const

async function begin(life: Life): Promise<void> {
  await life.together([
    submitJob('stages', { protocol: OPEN_ENDED, run_id: 'r', workstream_id: 'w', doc_key: 'isbn:1' }),
    submitJob('ladder', { run_id: 'r', rungs: RUNGS }),
    submitJob('gated', { protocol: GATED }),
    submitJob('waiting', { protocol: DOCUMENT_GATED, doc_id: 'd' }),
    submitJob('after', { depends_on: ['ladder'] }),
  ])
  await life.do(reportStage('stages', { what: 'prepared', pipeline_name: 'pdf', metadata: { pages: 3 } }))
  await life.do(reportStage('stages', stageDone('chunk')))
  await life.sweep('due')
}

/** A snapshot has it by now, and only what changed comes after. */
async function goOn(life: Life): Promise<void> {
  await life.together([
    reportStage('stages', { what: 'started', stage: 'embed' }),
    reportStage('stages', { what: 'retried', stage: 'embed', error: null }),
    annotate('gated', { go: true, who: 'ada' }),
  ])
  const { step } = await life.do(onJob('claimStep', 'ladder'))
  await life.do(report(step, failure('NON_RETRYABLE')))
  await life.sweep('signalled')
  await life.do(submitJob('moving', { protocol: MOVING, doc_id: 'd' }))
  const moving = await life.do(onJob('claimStep', 'moving'))
  await life.batch([
    report(moving.step, SUCCESS),
    moveDocument('d', 'parsing'),
    moveDocument('d', 'parsed'),
    createGroup('workstream', 'v', { run_id: 'r' }),
  ])
}

async function end(life: Life): Promise<void> {
  await life.sweep('signalled')
  await life.do(reportStage('stages', stageDone('embed')))
  const { step } = await life.do(onJob('claimStep', 'ladder~2'))
  await life.batch([report(step, failure('NON_RETRYABLE')), sealGroup('run', 'r')])
  await life.refusal(submitJob('too-late', { run_id: 'r' }))
  await life.do(reportStage('stages', { what: 'completed', metadata: {} }))
  await life.do(onJob('cancelJob', 'ladder~3'))
}

/** What rests is only in the snapshot. */
async function late(life: Life): Promise<void> {
  await life.together([
    followGroup('run', 'r', { sealed: true, cancelled: true }),
    eventOf('run', 'r', 'told'),
    annotate('stages', {}, { event: { event_type: 'late', payload: {} } }),
    submitJob('same', { doc_key: 'isbn:1' }),
  ])
  await life.pass(MINUTE_MS)
  await life.sweep('due')
}
