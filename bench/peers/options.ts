import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../../scripts/command.ts'
import { SYSTEMS, type System, type WorkloadName } from './catalogue.ts'
import { COLUMNS } from './report/figures.ts'

const WORKLOADS = [...new Set(COLUMNS.map(({ workload }) => workload))]

export const HELP = `Measures Waybill and other systems that take and do jobs, in turns, in the same run: docs/benchmarks.md

  npm run bench:peers                              everything, below 25 minutes
  npm run bench:peers -- --quick                   smaller and fewer rounds, below 4 minutes
  npm run bench:peers -- --only waybill,bullmq     only systems whose names begin so
  npm run bench:peers -- --workload drain,both     only these workloads
  npm run bench:peers -- --rounds 5                so many rounds
  npm run bench:peers -- --seconds 20              each measurement for so long, without a pause
  npm run bench:peers -- --json report.json        where the figures of every round are written
  npm run bench:peers -- --docs                    also writes them into docs/benchmarks.md and its chart
  npm run bench:peers -- --from report.json        measures nothing: shows what was measured then (also with --docs)

Systems:    ${SYSTEMS.map(({ name }) => name).join(', ')}
Workloads:  ${WORKLOADS.join(', ')}`

export interface Options {
  readonly asked: readonly System[]
  readonly workloads: readonly WorkloadName[]
  readonly isQuick: boolean
  readonly rounds: number | null
  /** Null: as long as it takes to see. */
  readonly seconds: number | null
  readonly json: string
  readonly isForDocs: boolean
  /** An older report to show instead. */
  readonly from: string | null
}

/** Null: whoever asked wants to be told how to. */
export function optionsOf(args: readonly string[]): Options | null {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      workload: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'string', default: join(ROOT, '.reports', 'bench-peers.json') },
      docs: { type: 'boolean', default: false },
      from: { type: 'string' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const asked = SYSTEMS.filter(({ name }) => isAsked(name, values.only))
  const workloads = WORKLOADS.filter((name) => isAsked(name, values.workload))
  const rounds = countOf(values.rounds)
  const seconds = countOf(values.seconds)
  const isCount = (number: number | null) => number === null || number >= 1
  const isSense = asked.length > 0 && workloads.length > 0 && isCount(rounds) && isCount(seconds)
  if (values.help || !isSense) return null
  return {
    asked,
    workloads,
    isQuick: values.quick,
    rounds,
    seconds,
    json: values.json,
    isForDocs: values.docs,
    from: values.from ?? null,
  }
}

function countOf(text: string | undefined): number | null {
  return text === undefined ? null : Number(text)
}

/** By the beginning of the name. */
function isAsked(name: string, filter: string | undefined): boolean {
  return filter === undefined || filter.split(',').some((part) => name.startsWith(part.trim()))
}
