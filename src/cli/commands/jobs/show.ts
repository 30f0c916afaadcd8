import { Argument, Option } from 'commander'
import type { JobAggregate } from '../../../core/aggregate.ts'
import { activeStep } from '../../../core/job/waiting.ts'
import { isTerminal, nextStates } from '../../../core/machine.ts'
import { jobMachine } from '../../../core/machines/job.ts'
import { shellWord } from '../../../core/shell-word.ts'
import { defineCommand } from '../../define-command.ts'
import { Table } from '../../output/table.ts'
import type { Session } from '../../session.ts'
import { type AttemptRow, attemptColumns, attemptsOf } from './attempts.ts'
import { jobNotFound } from './not-found.ts'
import { jobSheet, outboxColumns, outputText } from './sheet.ts'
import { writeJobHistory } from './write-history.ts'

interface Options {
  readonly history?: boolean
}

/** Attempts are told from so much of the history; a job rarely has more. */
const LOOKED_AT = 1000

export const jobsShow = defineCommand<Options>({
  name: 'show',
  summary: 'everything about one job',
  about:
    'Shows a job: its state and where it may go from there, the request, every attempt at every step with who, how ' +
    'long and what went wrong, directives that are still to be sent, and what steps came to. What keeps a job that ' +
    'does not move is said by: waybill why.',
  arguments: [new Argument('<id>', 'id of the job')],
  options: [new Option('--history', 'and everything that happened to it')],
  examples: [
    ['jobs show JOB', 'where it is, and how it got there'],
    ['jobs show JOB --history', 'and every state it went through'],
    ['jobs show JOB --json | jq ".steps[-1].output"', 'what came of it, for a program'],
  ],
  exits: [[3, 'there is no such job']],
  async run(session, { tenant, history }, [id]) {
    const job_id = id as string
    const ledger = await session.openToRead()
    const aggregate = await ledger.jobs.show(job_id, tenant)
    if (aggregate === null) throw await jobNotFound(session, ledger, job_id)
    const { job, steps, outbox } = aggregate
    const tenant_id = tenant ?? 'default'
    const records = await ledger.audit.query({ job_id, tenant_id, kind: 'step', limit: LOOKED_AT })
    const attempts = attemptsOf(steps, records.items)
    if (session.isJson) {
      const told =
        history === true ? { history: await Array.fromAsync(ledger.jobs.history(job_id, tenant)) } : null
      const next_states = [...nextStates(jobMachine, job.state)]
      return session.json({ ...job, steps, outbox, attempts, next_states, ...told })
    }
    await session.out.write(jobSheet(session, aggregate))
    await writeParts(session, aggregate, attempts)
    if (history === true) {
      await session.out.write(`\n${session.out.paint('bold', 'HISTORY')}\n`)
      await writeJobHistory(session, ledger, job_id, { limit: LOOKED_AT, all: true })
    }
    if (!isTerminal(jobMachine, job.state) && activeStep(steps) !== undefined) {
      await session.notes.hint(`What keeps it: ${session.hintOf(`why ${shellWord(job_id)}`)}`)
    }
  },
})

async function writeParts(
  { out, clock }: Session,
  { steps, outbox }: JobAggregate,
  attempts: readonly AttemptRow[],
): Promise<void> {
  await out.write(`\n${out.paint('bold', 'STEPS')}\n`)
  await new Table(out, attemptColumns(clock.now())).write(attempts)
  if (outbox.length > 0) {
    await out.write(`\n${out.paint('bold', 'STILL TO BE SENT')}\n`)
    await new Table(out, outboxColumns).write(outbox)
  }
  const outputs = steps.map((step) => outputText(out, step)).join('')
  if (outputs !== '') await out.write(`\n${out.paint('bold', 'OUTPUTS')}\n${outputs}`)
}
