import { isTerminal, type Machine, statesOf } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import type { Find, JobRow } from '../tables/tables.ts'
import { type Clause, type FieldColumns, wantedOf, whereOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { findRows, type Part } from './find-rows.ts'
import { JOB_COLUMNS, jobRows } from './load.ts'

const FIELDS: FieldColumns = {
  state: 'state',
  request_type: 'request_type',
  protocol_id: 'protocol_id',
  run_id: 'run_id',
  workstream_id: 'workstream_id',
  doc_id: 'doc_id',
  job_id: 'job_id',
}

const LIVE = { at: 'changed_at', id: 'job_id' }
const ENDED = { at: 'ended_at', id: 'job_id' }

const ENDS: readonly string[] = statesOf(jobMachine).filter((state) => isTerminal(jobMachine, state))

export function findJobs(db: Connection, query: Find): readonly JobRow[] {
  const others = () => whereOf(query.where, FIELDS, 'state')
  if (others() === null) return []
  const parts = partsOf(query, () => others() as Clause)
  const sql = `SELECT ${JOB_COLUMNS} FROM job WHERE rowid = ?`
  return findRows(db, query, parts).flatMap(({ row }) => jobRows(db, sql, row))
}

/** Open jobs are in one index, those that ended in another, by state and time. */
function partsOf(query: Find, others: () => Clause): readonly Part[] {
  const states = wantedOf(query.where, 'state')
  const ends = states === undefined ? ENDS : states.filter((state) => ENDS.includes(state))
  const open = states?.filter((state) => !ENDS.includes(state))
  const ended = (some: readonly string[]): Part => ({
    table: 'job',
    clause: others().addAny('ended_state', some),
    columns: ENDED,
  })
  const live = (): Part => {
    const clause = others().add('ended_state IS NULL')
    return { table: 'job', clause: open === undefined ? clause : clause.addAny('state', open), columns: LIVE }
  }
  const hasOpen = open === undefined || open.length > 0
  if (query.order === 'changed') {
    const each = ends.map((state) => ended([state]))
    return hasOpen ? [...each, live()] : each
  }
  if (ends.length === 0 && hasOpen) return [live()]
  if (!hasOpen) return ends.length === 0 ? [] : [ended(ends)]
  const clause = others()
  return [
    { table: 'job', clause: states === undefined ? clause : clause.addAny('state', states), columns: LIVE },
  ]
}

/** Whether all states asked for are ones in which work goes on. */
export function asksOnlyOpen(query: Find, machine: Machine<string>): boolean {
  const states = wantedOf(query.where, 'state')
  return states?.every((state) => isOpenState(machine, state)) ?? false
}

/** Whether all states asked for are ones in which nothing goes on any more. */
export function asksOnlyEnded(query: Find, machine: Machine<string>): boolean {
  const states = wantedOf(query.where, 'state')
  return states?.every((state) => !isOpenState(machine, state)) ?? false
}

function isOpenState(machine: Machine<string>, state: string): boolean {
  return Object.hasOwn(machine.states, state) && !isTerminal(machine, state)
}
