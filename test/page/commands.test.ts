// Whatever a button does, a command does too; and what a command does is on the page without anybody asking for it.
import { expect, it } from 'vitest'
import { runHere } from '../e2e/cli-here.ts'
import { pdf, TENANT } from './scene.ts'
import { eventually, scenePage } from './scene-page.ts'

const on = scenePage()

const by = { tenant_id: TENANT, actor: 'maria' }

interface Both {
  readonly at: string
  readonly button: string | RegExp
  readonly command: string
  /** What is on the page afterwards. */
  readonly shows: string
}

const JOB = `/jobs/${TENANT}/j`
const title = (state: string) => `h1 [data-state="${state}"]`
const row = (name: string, state: string) => `tr:has-text("${name}") [data-state="${state}"]`

/** In this order: some go on from those before. */
const BOTH: readonly Both[] = [
  { at: JOB, button: 'Annotate…', command: 'jobs annotate j colour=blue', shows: title('QUEUED') },
  { at: JOB, button: 'Expedite…', command: 'jobs expedite j --priority high', shows: 'text=priority high' },
  { at: JOB, button: 'Cancel…', command: 'jobs cancel j', shows: title('CANCELLED') },
  { at: JOB, button: 'Run again…', command: 'jobs again j --id j-again', shows: 'text=Run again as' },
  {
    at: `/jobs?tenant=${TENANT}&request_type=pdf`,
    button: 'Cancel all that match…',
    command: 'jobs cancel --type pdf --state QUEUED --yes',
    shows: '[role="row"]:has-text("j-again") [data-state="CANCELLED"]',
  },
  {
    at: `/documents/${TENANT}/paper%3Astuck`,
    button: 'fetched',
    command: 'docs set paper:stuck fetched',
    shows: title('fetched'),
  },
  {
    at: `/workstreams/${TENANT}/ws-waiting`,
    button: 'Move to running',
    command: 'workstreams set ws-waiting running',
    shows: title('running'),
  },
  {
    at: `/workstreams/${TENANT}/ws-waiting`,
    button: 'Seal',
    command: 'workstreams seal ws-waiting',
    shows: 'text=Yes: no more jobs are to come',
  },
  {
    at: `/runs/${TENANT}/r`,
    button: 'Mark running',
    command: 'runs set r running',
    shows: title('running'),
  },
  { at: `/runs/${TENANT}/r`, button: 'Cancel its jobs', command: 'runs cancel r', shows: title('cancelled') },
  { at: '/queues', button: 'Pause ocr', command: 'queue pause ocr', shows: row('ocr', 'paused') },
  { at: '/queues', button: 'Resume ocr', command: 'queue resume ocr', shows: row('ocr', 'running') },
  {
    at: '/queues',
    button: 'Limits of ocr',
    command: 'queue limit ocr --concurrency 9',
    shows: 'text=0 of 9 at once',
  },
  {
    at: `/queues?tenant=${TENANT}`,
    button: 'Pause nightly',
    command: 'schedule pause nightly',
    shows: row('nightly', 'paused'),
  },
  {
    at: '/settings',
    button: 'Make a token',
    command: 'tokens create robot --role worker',
    shows: row('robot', 'active'),
  },
  { at: '/settings', button: 'Make a link', command: 'tokens link', shows: 'text=Let somebody in' },
  { at: '/settings', button: 'Compact', command: 'ledger compact', shows: 'text=Maintenance' },
  { at: '/settings', button: 'Check', command: 'ledger verify', shows: 'text=Maintenance' },
]

it.each(BOTH)('A71 the button $button has a command, $command', async ({ at, button, command, shows }) => {
  if (at === JOB && (await on.ledger.jobs.get('j', TENANT)) === null) await beginnings()
  await on.go(at)
  const pressed = on.page.getByRole('button', { name: button, exact: true })
  await eventually(() => pressed.getAttribute('aria-disabled')).toBeNull()
  const words = [...command.split(' '), '--ledger', on.world.folder]
  if (!/^(queue|tokens|ledger)/.test(command)) words.push('--tenant', TENANT)
  const { status, stderr } = await runHere(words)
  expect({ status, stderr: status === 0 ? '' : stderr }).toEqual({ status: 0, stderr: '' })
  await on.page.locator(shows).first().waitFor()
})

async function beginnings(): Promise<void> {
  await on.ledger.jobs.submit(pdf, { tenant_id: TENANT, job_id: 'j', payload: { of: 'commands' } })
  await on.ledger.runs.create({ run_id: 'r' }, by)
}
