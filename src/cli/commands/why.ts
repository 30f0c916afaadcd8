import { Argument } from 'commander'
import type { Why } from '../../core/job/why.ts'
import type { Cause } from '../../core/job/why-cause.ts'
import { fromIso } from '../../core/time.ts'
import { defineCommand } from '../define-command.ts'
import { safeText } from '../output/safe-text.ts'
import { countOf, durationText } from '../output/words.ts'
import type { Session } from '../session.ts'
import { jobNotFound } from './jobs/not-found.ts'
import { jobStyle } from './jobs/styles.ts'

const COMMAND = /^waybill /

export const why = defineCommand({
  name: 'why',
  summary: 'why a job does not move, and what would get it going',
  about:
    'Says what keeps a job, what has to happen first coming first: jobs it waits for, a delay or backoff and until ' +
    'when, a paused queue, a limit and who holds it, a worker that has it, a timer that nobody fired. For each there ' +
    'is the command that would get it moving, to be copied. It is told from what the scheduler itself goes by, ' +
    'changes nothing, and works while a worker runs.',
  arguments: [new Argument('<job>', 'id of the job')],
  examples: [
    ['why JOB', 'what keeps it?'],
    ['why JOB --json | jq -r ".causes[0].unblock.command"', 'the command that would help, for a script'],
  ],
  exits: [[3, 'there is no such job']],
  async run(session, { tenant }, [job]) {
    const job_id = job as string
    const ledger = await session.openToRead()
    const answer = await ledger.why(job_id, tenant)
    if (answer === null) throw await jobNotFound(session, ledger, job_id)
    const told = { ...answer, causes: answer.causes.map((cause) => withLedger(session, cause)) }
    if (session.isJson) return session.json(told)
    await session.out.write(answerText(session, told))
  },
})

/** The command has to work where it is read: for this ledger. */
function withLedger(session: Session, cause: Cause): Cause {
  const { unblock } = cause
  if (unblock === null) return cause
  return { ...cause, unblock: { ...unblock, command: session.hintOf(unblock.command.replace(COMMAND, '')) } }
}

function answerText({ out, clock }: Session, { job_id, state, step, causes, next_states }: Why): string {
  const heading = `${out.paint('bold', safeText(job_id))}  ${out.paint(jobStyle(state), state)}\n`
  const at = step === null ? '' : `  at step ${stepText(step)}\n`
  const legal = next_states.length === 0 ? 'nowhere: it has ended' : next_states.join(', ')
  const listed = causes.map((cause) => causeText({ out }, cause, clock.now()))
  return `${heading}${safeText(at.trimEnd())}${at === '' ? '' : '\n'}\n${listed.join('\n')}\n  ${out.paint('dim', 'may go to')}  ${legal}\n`
}

function stepText({
  step_id,
  step_index,
  steps,
  state,
  attempt_no,
  attempts_left,
}: NonNullable<Why['step']>) {
  const attempt = attempt_no === 0 ? 'no attempt yet' : `attempt ${attempt_no}`
  return `${step_id} (${step_index + 1} of ${steps}), ${state}, ${attempt}, ${countOf(attempts_left, 'attempt')} left`
}

function causeText(
  { out }: Pick<Session, 'out'>,
  { cause, message, until, unblock }: Cause,
  now: number,
): string {
  const lines = [`  ${out.paint('yellow', cause.padEnd(NAMED))}  ${safeText(message)}`]
  const add = (label: string, text: string) =>
    lines.push(`  ${out.paint('dim', label.padEnd(NAMED))}  ${safeText(text)}`)
  if (until !== null) add('until', `${until}, ${inText(fromIso(until) - now)}`)
  if (unblock !== null) {
    lines.push(
      `  ${out.paint('dim', 'unblock'.padEnd(NAMED))}  ${out.paint('cyan', safeText(unblock.command))}`,
    )
    add('', unblock.effect)
  }
  return `${lines.join('\n')}\n`
}

/** As wide as most names of causes are, so that what they say stands in one line. */
const NAMED = 10

function inText(ms: number): string {
  return ms >= 0 ? `in ${durationText(Math.ceil(ms / 1000))}` : `${durationText(Math.ceil(-ms / 1000))} ago`
}
