import { mkdirSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { dirname, resolve } from 'node:path'
import { isMet } from '../../harness.ts'
import type { Results } from '../results.ts'
import type { Plan } from '../run-rounds.ts'
import { checkTargets } from '../targets.ts'
import { COLUMNS } from './figures.ts'
import { versionsOf } from './versions.ts'

interface Run {
  readonly plan: Plan
  readonly results: Results
  readonly isQuick: boolean
  readonly seconds: number
}

/** Every figure of every round. */
export function writeReport(file: string, { plan, results, isQuick, seconds }: Run): void {
  const [load = 0] = loadavg()
  const report = {
    created_at: new Date().toISOString(),
    quick: isQuick,
    seconds,
    node: process.versions.node,
    cpu: cpus()[0]?.model ?? null,
    cpus: cpus().length,
    load,
    rounds: plan.rounds,
    systems: plan.systems.map((system) => ({
      name: system.name,
      title: system.title,
      versions: versionsOf(system),
      settings: system.settings,
      durable: system.durable,
      history: system.history,
      figures: COLUMNS.flatMap(({ workload, figure, unit }) => {
        const rounds = results.rounds(system.name, workload, figure)
        return rounds === null ? [] : [{ workload, figure, unit, rounds }]
      }),
    })),
    targets: checkTargets(results).map((row) => ({ ...row, met: isMet(row) })),
  }
  mkdirSync(dirname(resolve(file)), { recursive: true })
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`)
}
