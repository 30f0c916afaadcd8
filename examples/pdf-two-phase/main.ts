// PDFs in two phases, with a gate in between. Run it with:
//
//   npx node --conditions=waybill-source examples/pdf-two-phase/main.ts
//
// README.md beside it says what to look at.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  type JobFailed,
  type Ledger,
  LedgerStateManager,
  NonRetryable,
  openLedger,
  parseTopology,
  pipelineFrom,
} from 'waybill'

interface Pdf {
  readonly file: string
}

const NAMES = ['annual-report', 'handbook', 'minutes', 'scan-of-a-napkin'] as const

/** Of this one nobody ever builds the intermediate form. */
const FORGOTTEN = 'scan-of-a-napkin'

/** The file says 15 minutes, which is long for an example. */
const GATE_TIMEOUT_MS = 4000

const folder = await mkdtemp(join(tmpdir(), 'waybill-pdf-'))
// Whoever wants to look at the ledger afterwards says where it is to be.
const { LEDGER = join(folder, 'ledger') } = process.env

try {
  await writePdfs()
  const pdf = await makePipeline()
  await using ledger = await openLedger(LEDGER, { actor: 'example' })
  // One thing at a time: if a job that waits held the worker, nothing else would get done.
  await using _worker = ledger.work([pdf], { concurrency: 1, name: 'worker' })

  console.log('PHASE ONE')
  const jobs = []
  for (const name of NAMES) {
    const request = { job_id: `ingest-${name}`, doc_id: `pdf:${name}`, payload: { file: fileOf(name) } }
    jobs.push(await ledger.jobs.submit(pdf, { ...request, context: { asked_by: 'the example' } }))
  }
  await ledger.idle()
  await showGate(ledger)

  console.log('\nTHE INTERMEDIATE FORMS ARE BUILT ELSEWHERE')
  for (const name of NAMES) if (name !== FORGOTTEN) await buildIr(ledger, `pdf:${name}`)

  console.log('\nPHASE TWO')
  for (const job of jobs) {
    const ended = await job.result().catch((error: JobFailed) => error.details.error_code)
    console.log(`  ${job.job_id.padEnd(24)} ${JSON.stringify(ended)}`)
  }
  await showEntries(ledger)
} finally {
  await rm(folder, { recursive: true, force: true })
}

async function makePipeline() {
  const file = join(import.meta.dirname, 'pdf-two-phase.yaml')
  const topology = parseTopology(await readFile(file, 'utf8'), { file })
  const gates = topology.gates?.map((gate) => ({ ...gate, timeout_ms: GATE_TIMEOUT_MS }))
  return pipelineFrom<Pdf>(gates === undefined ? topology : { ...topology, gates }, {
    download: async ({ input }) => ({ bytes: (await readFile(input.file)).length }),
    parse: async ({ input, step }) => {
      // As it happens: the first try fails, the second does not.
      if (input.file.endsWith('minutes.pdf') && step.attempt_no === 1) throw new Error('the parser crashed')
      return pagesOf(await readFile(input.file, 'latin1'))
    },
    chunk: ({ previous }) => (previous as string[]).flatMap((page) => page.split('. ')),
    embed: ({ previous }) => (previous as string[]).map((chunk) => [chunk.length, chunk.split(' ').length]),
    index: ({ previous }) => ({ vectors: (previous as unknown[]).length }),
  })
}

/** Where the jobs are now, and that nobody is kept busy by them. */
async function showGate(ledger: Ledger): Promise<void> {
  for (const name of NAMES) {
    const why = await ledger.why(`ingest-${name}`)
    const document = await ledger.documents.getState(`pdf:${name}`)
    console.log(`  ${`ingest-${name}`.padEnd(24)} waits for: ${why?.causes[0]?.cause}; document: ${document}`)
  }
  const { queues } = await ledger.queues.loads()
  const running = queues.reduce((sum, { running }) => sum + running.count, 0)
  console.log(`  steps that a worker holds: ${running}`)
  const [cause] = (await ledger.why(`ingest-${FORGOTTEN}`))?.causes ?? []
  console.log(`  ${cause?.message}`)
}

/** What somebody else does, who knows documents and has never heard of jobs. */
async function buildIr(ledger: Ledger, doc_id: string): Promise<void> {
  for (const state of ['validating', 'validated', 'ir_building', 'ir_ready'] as const) {
    await ledger.documents.updateState(doc_id, state, { actor: 'ir-builder' })
  }
  console.log(`  ${doc_id.padEnd(24)} ir_ready`)
}

/** Entries as stage code sees them; each stage leaves four keys: `stage.parse.attempts` and so on. */
async function showEntries(ledger: Ledger): Promise<void> {
  const manager = new LedgerStateManager(ledger)
  for (const name of NAMES) {
    const entry = await manager.fetchEntry(`ingest-${name}`)
    if (entry === null) continue
    const { job_id, status, stage, error_reason, metadata } = entry
    console.log(`\n${job_id}: ${status} at ${stage}, document ${await stateOf(ledger, entry.doc_id)}`)
    if (error_reason !== null) console.log(`  ${error_reason.split(' (')[0]}`)
    const facts = Object.entries(metadata).filter(([key]) => key.startsWith('stage.'))
    for (const [of, keys] of Map.groupBy(facts, ([key]) => key.slice(0, key.lastIndexOf('.')))) {
      const told = keys.map(([key, value]) => `${key.slice(of.length)} ${value}`)
      console.log(`  ${of.padEnd(15)} ${told.join('  ')}`)
    }
  }
}

async function stateOf(ledger: Ledger, doc_id: string | null): Promise<string | null> {
  return doc_id === null ? null : await ledger.documents.getState(doc_id)
}

function fileOf(name: string): string {
  return join(folder, `${name}.pdf`)
}

/** Enough of a PDF to be taken for one. */
async function writePdfs(): Promise<void> {
  for (const [index, name] of NAMES.entries()) {
    const pages = Array.from(
      { length: index + 1 },
      (_, page) => `(Page ${page + 1} of ${name}. And more.) Tj`,
    )
    await writeFile(fileOf(name), `%PDF-1.4\n${pages.join('\n')}\n%%EOF\n`)
  }
}

function pagesOf(text: string): string[] {
  if (!text.startsWith('%PDF')) throw new NonRetryable('it is not a PDF', { code: 'NOT_A_PDF' })
  return [...text.matchAll(/^\((.*)\) Tj$/gm)].map(([, page = '']) => page)
}
