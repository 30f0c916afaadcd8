import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { JobStateStore, Orchestrator } from 'waybill'
import { percentile, type Row, rowOf, timed } from '../harness.ts'
import { withFreshLedger } from '../jobs/fresh-ledger.ts'
import type { Bench } from '../suite/bench.ts'
import { frames, withPage } from './browser.ts'

const FRAMES = 300
const PX_PER_FRAME = 240

const LINES = '[role="region"][aria-label="Log"]'

/** Short ones: what is kept of one attempt is bounded. Every tenth is in colour. */
const PRINTS = `
  const lines = Number(process.argv[1])
  let text = ''
  for (let i = 0; i < lines; i++) {
    text += (i % 10 === 0 ? '\\x1b[3mA\\x1b[m' : '') + i.toString(36) + '\\n'
    if (text.length > 65536) { process.stdout.write(text); text = '' }
  }
  process.stdout.write(text)
`

export async function longLog(bench: Bench): Promise<readonly Row[]> {
  const lines = bench.isQuick ? 100_000 : 1_000_000
  return withFreshLedger({ folder: bench.folder, engine: 'journal' }, async (ledger) => {
    bench.progress('printing')
    const root = join(bench.folder, 'repo')
    mkdirSync(root)
    const store = new JobStateStore(ledger as ConstructorParameters<typeof JobStateStore>[0])
    await new Orchestrator({ store, base: root }).runJob({
      job_id: 'prints',
      workstream_id: 'log',
      tool: 'command',
      command: { exe: process.execPath, args: ['-e', PRINTS, String(lines)] },
      env: {},
      paths: { repo_root: root, working_dir: '.', log_file: 'l.log', error_report: 'e.json' },
    })
    return withPage(ledger, async (page, url) => {
      const shown = await timed(async () => {
        await page.goto(`${url}/jobs/default/prints?tab=logs`)
        await page.locator(LINES).waitFor()
      })
      bench.progress('loading all of it')
      const loaded = await timed(async () => {
        // A shorter one is loaded whole at once.
        if (!bench.isQuick) await page.getByRole('button', { name: /load all/i }).click()
        await page
          .getByText(new RegExp(`${lines.toLocaleString('en').slice(0, -3)}\\d{3} lines`))
          .waitFor({ timeout: 120_000 })
      })
      bench.progress('scrolling')
      const took = await frames(page, LINES, FRAMES, PX_PER_FRAME)
      const what = `${lines.toLocaleString('en')} lines`
      return [
        rowOf(`${what}: the end of it is shown after`, 'ms', [shown]),
        rowOf(`${what}: all of it is loaded after`, 'ms', [loaded]),
        rowOf(`${what}: frame, p95`, 'ms', [percentile(took, 0.95)], { atMost: 50 }),
        rowOf(`${what}: longest frame`, 'ms', [Math.max(...took)]),
      ]
    })
  })
}
