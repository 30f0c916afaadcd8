// `npm start`: two tenants' PDFs on their way through download, OCR, parsing and embedding, with everything that goes
// wrong on such a day. The ledger is a real one, in ./ledger-demo; time is simulated: what takes nine minutes there
// takes seconds here, and goes the same way every time. The day ends a minute ago, and then the ledger goes on by the real
// clock (live/), with a page to watch it, until Ctrl-C.
import { rmSync } from 'node:fs'
import { openLedger } from 'waybill'
import { virtualWorld } from 'waybill/testing'
import { endings } from './demo/endings.ts'
import { jobHistory } from './demo/job-history.ts'
import { UNLUCKY } from './demo/library.ts'
import { onDisk } from './demo/on-disk.ts'
import { count, duration, heading, paint } from './demo/paint.ts'
import { play } from './demo/play.ts'
import { Progress } from './demo/progress.ts'
import { serveUntilStopped } from './demo/serve-until-stopped.ts'
import { countsByState, refusals, slowestSteps, whatWentWrong } from './demo/summary.ts'

const TOTAL = 900

const FOLDER = './ledger-demo'

/** More than the day takes, so that it is over by now; in whole seconds, as everything happens at whole ticks. */
const BEGAN_SECONDS_AGO = 600

const world = virtualWorld({ startMs: (Math.floor(Date.now() / 1000) - BEGAN_SECONDS_AGO) * 1000 })
// Everything is simulated but the disk. Ids have a time in them, and waits are drawn from ids: with those of a world whose time
// stands still, everything goes the same way whenever it is played.
const { disk: _, ...rest } = world
const simulation = { ...rest, ids: virtualWorld().ids }
rmSync(FOLDER, { recursive: true, force: true })
const ledger = await openLedger(FOLDER, { world: simulation, inFlightLimit: 60 })

console.log(
  `\n  ${paint('bold', 'Waybill')} moves ${TOTAL} PDFs of two tenants: in ${FOLDER}, in simulated time\n`,
)
const progress = new Progress(ledger, world, TOTAL)
const began = { real: performance.now(), simulated: world.clock.now() }
const { refused, duplicates } = await play(ledger, world, (total) => progress.look(total))
const seconds = (performance.now() - began.real) / 1000
progress.stop()

const { audit_records } = await ledger.stats()
const simulated = duration((world.clock.now() - began.simulated) / 1000)
// In another thread, while this one goes on reading.
const compacting = ledger.compact()
const findings = await ledger.check()
console.log(`
  Done in ${paint('bold', simulated)} of simulated time, which took ${duration(seconds)}.
  ${paint('bold', count(audit_records))} state changes, each with who, when and why: ${count(Math.round(audit_records / seconds))} a second.
  ${duplicates} requests came twice and made one job each; ${findings.length === 0 ? 'records and history agree' : 'RECORDS AND HISTORY DISAGREE'}.`)

const tenant = UNLUCKY.split(':')[0] ?? ''
const steps = await Array.fromAsync(ledger.audit.records({ kind: 'step' }))
const report = [
  await countsByState(ledger, 'document', 'DOCUMENTS'),
  await countsByState(ledger, 'job', 'JOBS'),
  slowestSteps(steps),
  whatWentWrong(steps),
  await endings(ledger),
  refusals(refused),
  await jobHistory(ledger, {
    job_id: `ingest-${UNLUCKY.replace(':', '-')}`,
    tenant_id: tenant,
    beganMs: began.simulated,
  }),
]
await compacting
await ledger.close()
const closed = performance.now()
const again = await openLedger(FOLDER, { world: simulation })
report.push([...onDisk(FOLDER, performance.now() - closed)])
await again.close()
for (const line of report.flat()) console.log(line)

console.log(`${heading('TRY NEXT')}
    npm test                    ${paint('dim', 'everything that is promised, put to the test')}
    examples/quick-start.ts     ${paint('dim', 'the smallest example there is')}
    examples/demo/library.ts    ${paint('dim', 'fateOf decides what goes wrong here: add to it')}
    examples/demo/live/         ${paint('dim', 'what goes on behind the page, from now on')}
    docs/state-machines.md      ${paint('dim', 'every state and every edge')}`)
await serveUntilStopped(FOLDER)
