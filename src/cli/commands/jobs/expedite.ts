import { Argument, Option } from 'commander'
import { PRIORITIES } from '../../../core/job/record.ts'
import { InvalidInput } from '../../../errors/input-errors.ts'
import type { ExpediteOptions } from '../../../ledger/steering.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import { stateStyle } from '../../output/state-style.ts'

type Obstacle = NonNullable<ExpediteOptions['ignore']>[number]

interface Options {
  readonly ignore?: readonly Obstacle[]
  readonly priority?: ExpediteOptions['priority']
  readonly reason?: string
}

const OBSTACLES: readonly Obstacle[] = ['dependencies', 'limits', 'gate', 'attempt']

export const jobsExpedite = defineCommand<Options>({
  name: 'expedite',
  summary: 'get on with a job now',
  about:
    'Gets on with a job: a delay or backoff ends now. What else it is not to wait for has to be named: the jobs it ' +
    'depends on, limits, or the attempt that is under way, which is given up and does not count. A job that has ended ' +
    'stays as it is. What keeps a job, and which of these would help, is said by: waybill why.',
  arguments: [new Argument('<id>', 'id of the job')],
  options: [
    new Option('--ignore <what>', 'what else not to wait for; several with commas or by repeating it')
      .choices(OBSTACLES)
      .argParser(obstacles),
    new Option('--priority <level>', 'and how urgent it is from now on').choices(PRIORITIES),
    new Option('--reason <text>', 'why, for the history'),
  ],
  writes: true,
  examples: [
    ['jobs expedite JOB', 'do not wait for the delay or backoff'],
    [
      'jobs expedite JOB --ignore dependencies --reason "source is lost"',
      'start without the jobs it waits for',
    ],
    ['jobs expedite JOB --ignore attempt', 'give up an attempt whose worker hangs'],
    ['jobs expedite JOB --priority critical', 'before work that is less urgent'],
  ],
  exits: [
    [3, 'there is no such job'],
    [6, 'another process has the ledger open for writing'],
  ],
  async run(session, { tenant, ignore, priority, reason }, [id]) {
    const { out, notes } = session
    const job_id = id as string
    const ledger = await session.openToChange()
    const job = await ledger.jobs.expedite(job_id, { tenant_id: tenant, ignore, priority, reason })
    const why = await ledger.why(job_id, tenant)
    if (session.isJson) return session.json(job)
    await out.line(`${safeText(job_id)}: ${out.paint(stateStyle(job.state), job.state)}`)
    const now = why?.causes[0]?.message
    if (now !== undefined) await notes.hint(`${now}.`)
  },
})

function obstacles(text: string, before: unknown): readonly Obstacle[] {
  const names = text.split(',').map((name) => name.trim())
  for (const name of names) {
    if (OBSTACLES.some((known) => known === name)) continue
    const next = `Use any of: ${OBSTACLES.join(', ')}.`
    throw new InvalidInput('ignore', `--ignore ${JSON.stringify(name)} is nothing to wait for`, next)
  }
  return [...(Array.isArray(before) ? (before as Obstacle[]) : []), ...(names as Obstacle[])]
}
