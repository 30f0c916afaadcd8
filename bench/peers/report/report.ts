// One run as data: what the tables, the page and the chart are made of, and what is written as JSON.
import { cpus, loadavg } from 'node:os'
import { isMet, median, type Row } from '../../harness.ts'
import type { System, WorkloadName } from '../catalogue.ts'
import type { Results } from '../results.ts'
import type { Plan } from '../run-rounds.ts'
import { checkTargets } from '../targets.ts'
import { COLUMNS } from './figures.ts'
import { versionsOf } from './versions.ts'

export interface ReportedFigure {
  readonly workload: WorkloadName
  readonly figure: string
  readonly unit: string
  readonly median: number
  readonly rounds: readonly number[]
}

export interface ReportedSystem {
  readonly name: string
  readonly title: string
  readonly versions: readonly string[]
  readonly settings: string
  readonly durable: string
  readonly history: string
  readonly figures: readonly ReportedFigure[]
  /** What was not measured, and why. */
  readonly missing: readonly {
    readonly workload: WorkloadName
    readonly why: string
    readonly failed: boolean
  }[]
}

export interface ReportedTarget extends Row {
  readonly of: string
  readonly workload: WorkloadName
  readonly met: boolean | null
}

export interface Report {
  readonly created_at: string
  readonly quick: boolean
  readonly seconds: number
  readonly node: string
  readonly cpu: string | null
  readonly cpus: number
  readonly load: number
  readonly rounds: number
  readonly history_jobs: number
  readonly systems: readonly ReportedSystem[]
  readonly targets: readonly ReportedTarget[]
}

export interface Run {
  readonly plan: Plan
  /** All that were asked for, also those whose server is missing. */
  readonly asked: readonly System[]
  readonly results: Results
  readonly isQuick: boolean
  readonly seconds: number
  /** By the name of the server: its version, or why there is none. */
  readonly servers: ReadonlyMap<string, { readonly version: string } | { readonly missing: string }>
}

export function reportOf(run: Run): Report {
  const [load = 0] = loadavg()
  return {
    created_at: new Date().toISOString(),
    quick: run.isQuick,
    seconds: run.seconds,
    node: process.versions.node,
    cpu: cpus()[0]?.model ?? null,
    cpus: cpus().length,
    load,
    rounds: run.plan.rounds,
    history_jobs: run.plan.historyJobs,
    systems: run.asked.map((system) => systemReport(system, run)),
    targets: checkTargets(run.results).map((row) => ({ ...row, met: isMet(row) })),
  }
}

function systemReport(system: System, { results, servers, plan }: Run): ReportedSystem {
  const { name, title, settings, durable, history } = system
  const server = system.server === null ? undefined : servers.get(system.server)
  const version = server !== undefined && 'version' in server ? [server.version] : []
  const figures = COLUMNS.flatMap(({ workload, figure, unit }) => {
    const rounds = results.rounds(name, workload, figure)
    return rounds === null ? [] : [{ workload, figure, unit, median: median(rounds), rounds }]
  })
  const missing = plan.workloads.flatMap((workload) => {
    const error = results.error(name, workload)
    if (error !== null) return [{ workload, why: error, failed: true }]
    const why = server !== undefined && 'missing' in server ? server.missing : system.leftOut[workload]
    return why === undefined ? [] : [{ workload, why, failed: false }]
  })
  return {
    name,
    title,
    versions: [...versionsOf(system), ...version],
    settings,
    durable,
    history,
    figures,
    missing,
  }
}

export function figureOf(
  system: ReportedSystem,
  workload: WorkloadName,
  figure: string,
): ReportedFigure | null {
  return system.figures.find((one) => one.workload === workload && one.figure === figure) ?? null
}

/** The limits are no systems: they are only there to be seen beside them. */
export function isLimit({ name }: { readonly name: string }): boolean {
  return name.startsWith('raw-')
}
