// Everything about the code that can be told without running it. All steps run at once; only a failing step
// shows its output.
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import manifest from '../package.json' with { type: 'json' }
import { type Outcome, ROOT, run, seconds } from './command.ts'

const STEP_TIMEOUT_MS = 120_000

type Step = { name: string; commands: readonly (readonly string[])[] }

const packed = mkdtempSync(join(tmpdir(), 'waybill-pack-'))
const tarball = join(packed, `${manifest.name}-${manifest.version}.tgz`)

/** What is compared with is installed by `npm run bench:peers` alone: without it there is nothing to check against. */
const PEERS_TYPES = existsSync(join(ROOT, 'bench/peers/node_modules'))
  ? [['tsc', '-p', 'bench/peers', '--noEmit']]
  : []

const STEPS: readonly Step[] = [
  { name: 'format and lint', commands: [['biome', 'check', '--error-on-warnings']] },
  {
    name: 'types',
    commands: [['tsc', '--noEmit'], ['tsc', '-p', 'ui', '--noEmit'], ...PEERS_TYPES],
  },
  { name: 'tidy', commands: [['node', 'scripts/tidy.ts']] },
  { name: 'generated docs', commands: [['node', 'scripts/diagrams.ts', '--check']] },
  { name: 'unused code', commands: [['knip', '--no-config-hints']] },
  {
    name: 'package exports',
    commands: [
      ['node', 'scripts/build.ts'],
      ['npm', 'pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', packed],
      ['publint', 'run', tarball, '--strict'],
      ['attw', tarball, '--profile', 'esm-only', '--no-definitely-typed'],
    ],
  },
]

/** Runs the commands of a step one after another and stops at the first that fails. */
async function runStep(step: Step): Promise<Outcome> {
  let ms = 0
  for (const command of step.commands) {
    const outcome = await run(command, { output: 'keep', timeoutMs: STEP_TIMEOUT_MS })
    ms += outcome.ms
    if (!outcome.ok) return { ...outcome, ms }
  }
  return { ok: true, output: '', ms }
}

async function report(step: Step): Promise<boolean> {
  const { ok, output, ms } = await runStep(step)
  console.log(`${ok ? 'ok    ' : 'FAILED'}  ${step.name.padEnd(16)} ${seconds(ms).padStart(7)}`)
  if (!ok) console.log(`\n${output.trimEnd()}\n`)
  return ok
}

try {
  const results = await Promise.all(STEPS.map(report))
  process.exitCode = results.every(Boolean) ? 0 : 1
} finally {
  rmSync(packed, { recursive: true, force: true })
}
