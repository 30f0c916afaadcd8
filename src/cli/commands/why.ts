import { Argument } from 'commander'
import type { Why } from '../../core/job/why.ts'
import type { Cause } from '../../core/job/why-cause.ts'
import { fromIso } from '../../core/time.ts'
import { defineCommand } from '../define-command.ts'
import { safeText } from '../output/safe-text.ts'
import { stateStyle } from '../output/state-style.ts'
import type { Style, TextStream } from '../output/text-stream.ts'
import { durationText } from '../output/words.ts'
import { wrapTo } from '../output/wrap.ts'
import type { Session } from '../session.ts'
import { jobNotFound } from './jobs/not-found.ts'

const COMMAND = /^waybill /

export const why = defineCommand({
  name: 'why',
  summary: 'why a job does not move, and what would get it going',
  about:
    'Says what keeps a job, what has to happen first coming first: jobs it waits for, a delay or backoff and until ' +
    'when, a paused queue, a limit and who holds it, a worker that has it, a timer that nobody fired. For each there ' +
    'is the command that would get it moving, to be copied. It is told from what the scheduler itself goes by, ' +
    'changes nothing, and works while a worker runs.',
  arguments: [new Argument('<job...>', 'id of the job; several are told of one after the other')],
  examples: [
    ['why JOB', 'what keeps it?'],
    ['why JOB --json | jq -r ".causes[0].unblock.command"', 'the command that would help, for a script'],
  ],
  exits: [[3, 'there is no such job']],
  async run(session, { tenant }, [jobs]) {
    const ids = jobs as readonly string[]
    const ledger = await session.openToRead()
    for (const [i, job_id] of ids.entries()) {
      const answer = await ledger.why(job_id, tenant)
      if (answer === null) throw await jobNotFound(session, ledger, job_id)
      const told = { ...answer, causes: answer.causes.map((cause) => withLedger(session, cause)) }
      if (session.isJson) await session.json(told)
      else await session.out.write(`${i === 0 ? '' : '\n'}${answerText(session, told)}`)
    }
  },
})

/** The command has to work where it is read: for this ledger. */
function withLedger(session: Session, cause: Cause): Cause {
  const { unblock } = cause
  if (unblock === null) return cause
  return { ...cause, unblock: { ...unblock, command: session.hintOf(unblock.command.replace(COMMAND, '')) } }
}

function answerText({ out, clock }: Session, { job_id, state, step, causes, next_states }: Why): string {
  const heading = `${out.paint('bold', safeText(job_id))}  ${out.paint(stateStyle(state), state)}\n`
  const at = step === null ? '' : `  at step ${safeText(stepText(step))}\n`
  const legal = next_states.length === 0 ? 'nowhere: it has ended' : next_states.join(', ')
  const told = causes.map((cause) => causeText(out, cause, clock.now()))
  return `${heading}${at}\n${told.join('\n')}\n${labelled(out, 'may go to', legal)}`
}

function stepText({
  step_id,
  step_index,
  steps,
  state,
  attempt_no,
  attempts_left,
}: NonNullable<Why['step']>): string {
  const attempt = attempt_no === 0 ? 'no attempt yet' : `attempt ${attempt_no}`
  // Whoever runs it elsewhere may try as often as they like.
  const left = Number.isSafeInteger(attempts_left + 1) ? `, ${attempts_left} left` : ''
  return `${step_id} (${step_index + 1} of ${steps}), ${state}, ${attempt}${left}`
}

/** As wide as most names of causes are, so that what they say stands in one line. */
const NAMED = 10

function causeText(out: TextStream, { cause, message, until, unblock }: Cause, now: number): string {
  const lines = [labelled(out, cause, message, 'yellow')]
  if (until !== null) lines.push(labelled(out, 'until', `${until}, ${inText(fromIso(until) - now)}`))
  if (unblock !== null) {
    // A command is to be copied: it is never broken.
    const command = out.paint('cyan', safeText(unblock.command))
    lines.push(
      `  ${out.paint('dim', 'unblock'.padEnd(NAMED))}  ${command}\n`,
      labelled(out, '', unblock.effect),
    )
  }
  return lines.join('')
}

function labelled(out: TextStream, label: string, text: string, style: Style = 'dim'): string {
  const [first = '', ...more] = wrapTo(safeText(text), out.columns - NAMED - 4)
  const start = `  ${out.paint(style, label.padEnd(NAMED))}  ${first}\n`
  return start + more.map((line) => `${' '.repeat(NAMED + 4)}${line}\n`).join('')
}

function inText(ms: number): string {
  return ms >= 0 ? `in ${durationText(Math.ceil(ms / 1000))}` : `${durationText(Math.ceil(-ms / 1000))} ago`
}
