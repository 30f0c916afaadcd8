// A cell of a radar in words, for those who do not see it and for those who want to know exactly.
import type { RadarCell } from '../../../src/core/radar/radar.ts'
import { count, many, percent } from '../format/numbers.ts'
import { age, span } from '../format/time.ts'

/** `parse of pdf-two-phase: 3 waiting, 1 running, oldest 2m, 1 stuck`. */
export function nameOfCell(row: string, cell: RadarCell, now: number): string {
  const { stage, waiting, running, retrying, oldest_since, stuck, passed, failed } = cell
  const parts = [
    waiting > 0 ? `${count(waiting)} waiting` : null,
    running > 0 ? `${count(running)} running` : null,
    retrying > 0 ? `${count(retrying)} retrying` : null,
    oldest_since === null ? null : `oldest ${age(oldest_since, now)}`,
    stuck > 0 ? `${count(stuck)} stuck` : null,
    failed > 0 ? `${percent(failed, passed + failed)} failed lately` : null,
  ].filter((part) => part !== null)
  return `${stage} of ${row}: ${parts.length === 0 ? 'nothing there' : parts.join(', ')}`
}

/** The numbers of a cell, a sentence for each thing there is to say. */
export function sentencesOf(cell: RadarCell, now: number, hours: number): readonly string[] {
  const { waiting, running, retrying, oldest_since, passed, failed } = cell
  const load = waiting + running + retrying
  const said = [load === 0 ? 'No job is at this stage.' : `${conditionsOf(cell)}.`]
  if (oldest_since !== null) said.push(`The oldest has been here for ${age(oldest_since, now)}.`)
  if (load > 0) said.push(stuckOf(cell))
  const ended = passed + failed
  const lately = hours === 1 ? 'the last hour' : `the last ${count(hours)} hours`
  if (ended === 0) said.push(`None that got here ended within ${lately}.`)
  else {
    const share =
      failed === 0 ? 'none failed here' : `${count(failed)} failed here (${percent(failed, ended)})`
    said.push(`Of ${many(ended, 'job')} that ended within ${lately}, ${share}.`)
  }
  return said
}

function conditionsOf({ waiting, running, retrying }: RadarCell): string {
  const parts = [
    waiting > 0 ? `${many(waiting, 'job')} ${waiting === 1 ? 'waits' : 'wait'}` : null,
    running > 0 ? `${many(running, 'job')} ${running === 1 ? 'runs' : 'run'}` : null,
    retrying > 0 ? `${many(retrying, 'job')} failed and will be tried again` : null,
  ].filter((part) => part !== null)
  const last = parts.pop() ?? ''
  return parts.length === 0 ? last : `${parts.join(', ')} and ${last}`
}

function stuckOf({ stuck, stuck_after_seconds }: RadarCell): string {
  const after = stuck_after_seconds === null ? '' : ` for longer than ${span(stuck_after_seconds * 1000)}`
  if (stuck === 0) return `None is stuck: none has been here${after === '' ? ' for too long' : after}.`
  return `${count(stuck)} ${stuck === 1 ? 'is' : 'are'} stuck: here${after === '' ? ' for too long' : after}.`
}
