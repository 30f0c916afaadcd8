// A pipeline whose OCR is done by a service in another process, which is killed in the middle of its work. Run it with:
//
//   npx node --conditions=waybill-source examples/ocr-service/main.ts           # service.ts
//   npx node --conditions=waybill-source examples/ocr-service/main.ts python    # service.py
//
// README.md beside it says what to look at.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { httpPublisher, type Ledger, Output, openLedger, pipeline, START, serveCallbacks } from 'waybill'

const [language = 'node'] = process.argv.slice(2)
const JOB = 'read-letter'

// One for each direction. Both sides know both; nobody else does.
const directiveSecret = `whsec_${randomBytes(32).toString('base64')}`
const callbackSecret = `whsec_${randomBytes(32).toString('base64')}`

const letters = pipeline<{ page_range: string }>('letters', 'v1')
  // What it says of where the scan is, is where the service finds it.
  .stage('fetch', () => new Output({ bytes: 4096 }, 's3://scans/letter.pdf'))
  // A service that falls silent has until the timeout. The type of the step is the name of the stage.
  .stage('OCR', {
    delivery: 'push',
    service: 'ocr',
    dependsOn: ['fetch'],
    attempts: 3,
    timeout: '4s',
    backoff: { kind: 'linear', base: '100ms', cap: '1s' },
  })
  .stage('store', { dependsOn: ['OCR'] }, ({ previous }) => ({ stored: previous }))

let service = await startService()
console.log('the service is up')
try {
  await example()
} finally {
  await kill(service.child)
}

async function example(): Promise<void> {
  await using ledger = await openLedger(process.env.LEDGER ?? 'memory:', { actor: 'example' })
  await using callbacks = await serveCallbacks(ledger.jobs, { secrets: callbackSecret })
  await using _worker = ledger.work([letters], { name: 'worker' })
  // Asked each time: the second service listens somewhere else.
  const publisher = httpPublisher({ url: () => service.url, secret: directiveSecret })
  await using _dispatcher = ledger.dispatch({ ocr: publisher })

  const job = await ledger.jobs.submit(letters, {
    job_id: JOB,
    payload: { page_range: '1-1000' },
    callback_urls: callbacks.callback_urls,
  })
  await untilStep(ledger, 'OCR', 'IN_PROGRESS')
  console.log('the service has begun, and is killed')
  await kill(service.child)

  await forge(callbacks.callback_urls.result)

  service = await startService()
  console.log('another service is up; it knows nothing of the first')
  console.log('the job came to', await job.result())
  await showHistory(ledger)
}

async function startService(): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const [program, ...args] =
    language === 'python'
      ? ['python3', join(import.meta.dirname, 'service.py')]
      : [process.execPath, '--conditions=waybill-source', join(import.meta.dirname, 'service.ts')]
  const env = {
    ...process.env,
    WAYBILL_SECRET: directiveSecret,
    WAYBILL_CALLBACK_SECRET: callbackSecret,
    PORT: '0',
  }
  const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  const [line] = (await Promise.race([once(lines, 'line'), once(child, 'exit')])) as [unknown]
  const url = /^listening on (\S+)$/.exec(String(line))?.[1]
  if (url === undefined) throw new Error(`${program} did not start: ${line}`)
  return { child, url }
}

/** At once, as when the power goes: it can say nothing any more. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGKILL')
  await exited
}

async function untilStep(ledger: Ledger, step_id: string, state: string): Promise<void> {
  for await (const { kind, metadata, new_state } of ledger.events({ after: START }))
    if (kind === 'step' && metadata.step_id === step_id && new_state === state) return
}

/** Somebody without the secret says how it ended. */
async function forge(url: string): Promise<void> {
  const body = JSON.stringify({ jobId: JOB, stepId: 'OCR', status: 'SUCCEEDED', output: 'made up' })
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  const { code } = (await answer.json()) as { code: string }
  console.log(`somebody reports a result without a signature: ${answer.status} ${code}`)
}

async function showHistory(ledger: Ledger): Promise<void> {
  for await (const { kind, metadata, new_state, error_type } of ledger.jobs.history(JOB)) {
    if (kind !== 'step' || metadata.step_id !== 'OCR') continue
    const error = error_type === null ? '' : ` ${error_type}`
    console.log(`  OCR, attempt ${metadata.attempt_no}: ${new_state}${error}`)
  }
}
