import { isTerminal, type Machine, statesOf } from '../../core/machine.ts'
import { jobMachine } from '../../core/machines/job.ts'
import type { Find, JobRow } from '../tables/tables.ts'
import { type Clause, type FieldColumns, type Way, wantedOf, whereOf } from './clause.ts'
import type { Connection } from './connection.ts'
import { findRows, type Part, wayTo } from './find-rows.ts'
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

/** Fields that few jobs share: there is an index for each. */
const NARROW = ['job_id', 'doc_id', 'run_id', 'workstream_id'] as const

export function findJobs(db: Connection, query: Find): readonly JobRow[] {
  const others = () => whereOf(query.where, FIELDS, 'state')
  if (others() === null) return []
  const parts = partsOf(db, query, () => others() as Clause)
  const sql = `SELECT ${JOB_COLUMNS} FROM job WHERE rowid = ?`
  return findRows(db, query, parts).flatMap(({ row }) => jobRows(db, sql, row))
}

/** Open jobs are in one index, those that ended in another, by state and time. */
function partsOf(db: Connection, query: Find, others: () => Clause): readonly Part[] {
  const states = wantedOf(query.where, 'state')
  const whole = (way: Way): Part => {
    const clause = others()
    return live(states === undefined ? clause : clause.addAny('state', states), way)
  }
  const narrow = NARROW.map((field) => wantedOf(query.where, field)).find((wanted) => wanted !== undefined)
  if (narrow !== undefined) {
    const isOrdered = query.order === 'id' && query.tenant_id !== undefined && narrow.length === 1
    return [whole(isOrdered ? 'order' : 'filter')]
  }
  const ends = states === undefined ? ENDS : states.filter((state) => ENDS.includes(state))
  const open = states?.filter((state) => !ENDS.includes(state))
  const hasOpen = open === undefined || open.length > 0
  const opened = () => {
    const clause = others().add('ended_state IS NULL')
    return live(open === undefined ? clause : clause.addAny('state', open), 'order')
  }
  if (query.order === 'changed') {
    const each = ends.map((state) => ended(others().addAny('ended_state', [state]), 'order'))
    return hasOpen ? [...each, opened()] : each
  }
  if (ends.length === 0) return hasOpen ? [opened()] : []
  if (hasOpen || wayTo(db, 'job', query) === 'order') return [whole('order')]
  return [ended(others().addAny('ended_state', ends), 'filter')]
}

function live(clause: Clause, way: Way): Part {
  return { table: 'job', clause, columns: LIVE, way }
}

function ended(clause: Clause, way: Way): Part {
  return { table: 'job INDEXED BY job_ended', clause, columns: ENDED, way }
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
