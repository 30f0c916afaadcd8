import { Argument } from 'commander'
import { describe } from '../../../core/pipeline/gate.ts'
import { DEFAULT_POLICY_NAME, type ResiliencePolicy } from '../../../core/pipeline/policy.ts'
import { orderedStages } from '../../../core/pipeline/stage-order.ts'
import { policyNamed, type Topology } from '../../../core/pipeline/topology.ts'
import { queueOf } from '../../../core/pipeline/topology-protocol.ts'
import { InvalidTopology } from '../../../errors/topology-errors.ts'
import { defineCommand } from '../../define-command.ts'
import { safeText } from '../../output/safe-text.ts'
import { type Column, NEEDED, Table } from '../../output/table.ts'
import { countOf, durationText } from '../../output/words.ts'
import type { Session } from '../../session.ts'

/** One stage, as it would be run. */
interface StageRow {
  readonly stage: string
  readonly phase: string | null
  readonly depends_on: readonly string[]
  readonly policy: string
  readonly max_attempts: number
  readonly timeout_ms: number
  readonly gate: string | null
  readonly delivery: string
  readonly queue: string
}

const PROBLEMS = 1
const NO_YAML = 2

export const pipelineCheck = defineCommand({
  name: 'check',
  summary: 'what is wrong with the topology in a file, or how it would be run',
  about:
    'Looks at a topology in YAML without running it: every problem is named with its line and the stage it is about. ' +
    'When there is none, the stages are listed in the order in which a job goes through them, with the phase of each, ' +
    'how it is tried again, and the gate before it. It needs no ledger.',
  arguments: [new Argument('<file>', 'the topology, in YAML or JSON')],
  examples: [
    ['pipeline check pdf.yaml', 'look it over'],
    [
      'pipeline check pdf.yaml --json | jq -r ".problems[] | [.line, .message] | @tsv"',
      'for an editor, or a check before a commit',
    ],
    ['worker stages.ts --topology pdf.yaml', 'then run it'],
  ],
  exits: [
    [0, 'nothing is wrong'],
    [1, 'it has problems'],
    [2, 'it is not YAML at all'],
    [3, 'there is no such file'],
  ],
  async run(session, _options, [file]) {
    const { readTopology } = await import('../../../orchestrator/pipeline/topology-file.ts')
    const { realWorld } = await import('../../../world/world.ts')
    try {
      await tellStages(session, await readTopology(file as string, realWorld.disk))
    } catch (error) {
      if (!(error instanceof InvalidTopology)) throw error
      await tellProblems(session, file as string, error)
    }
  },
})

async function tellProblems(session: Session, file: string, { problems }: InvalidTopology): Promise<void> {
  const { out, notes } = session
  session.found(problems.some(({ code }) => code === 'YAML_SYNTAX') ? NO_YAML : PROBLEMS)
  if (session.isJson) return session.json({ file, ok: false, problems })
  for (const { line, column, stage, message } of problems) {
    const place = out.paint('bold', `${safeText(file)}:${line}:${column}`)
    const where = stage === null ? '' : out.paint('dim', `  (stage ${safeText(stage)})`)
    await out.line(`${place}  ${safeText(message)}${where}`)
  }
  await notes.hint(`${countOf(problems.length, 'problem')}.`)
}

async function tellStages(session: Session, topology: Topology): Promise<void> {
  const { out } = session
  const { name, version, gates = [] } = topology
  const stages = orderedStages(topology).map((stage): StageRow => {
    const policy = policyNamed(topology, stage.policy) as ResiliencePolicy
    return {
      stage: stage.name,
      phase: stage.phase ?? null,
      depends_on: stage.depends_on ?? [],
      policy: stage.policy ?? DEFAULT_POLICY_NAME,
      max_attempts: policy.max_attempts,
      timeout_ms: policy.timeout_ms,
      gate: stage.gate ?? null,
      delivery: stage.delivery ?? 'pull',
      queue: queueOf(topology, stage),
    }
  })
  if (session.isJson) return session.json({ name, version, ok: true, stages, gates, problems: [] })
  await out.line(
    `${out.paint('bold', safeText(name))} ${safeText(version)}: ${countOf(stages.length, 'stage')}`,
  )
  await new Table(out, COLUMNS).write(stages)
  if (gates.length === 0) return
  await out.write(`\n${out.paint('bold', 'GATES')}\n`)
  for (const gate of gates) {
    const ends = gate.timeout_ms === undefined ? '' : `, for ${durationText(gate.timeout_ms / 1000)} at most`
    const goes = gate.resume === undefined ? '' : `, then on with ${gate.resume}`
    await out.line(`  ${safeText(gate.name)}  ${safeText(`until ${describe(gate)}${ends}${goes}`)}`)
  }
}

const COLUMNS: readonly Column<StageRow>[] = [
  { title: 'STAGE', value: ({ stage }) => stage, least: 10, worth: NEEDED },
  { title: 'PHASE', value: ({ phase }) => phase, worth: 6 },
  { title: 'POLICY', value: ({ policy }) => policy, least: 13, worth: 5 },
  { title: 'TRIES', value: ({ max_attempts }) => max_attempts, align: 'right', least: 5, worth: 3 },
  {
    title: 'TIMEOUT',
    value: ({ timeout_ms }) => durationText(timeout_ms / 1000),
    align: 'right',
    least: 7,
    worth: 3,
  },
  { title: 'GATE', value: ({ gate }) => gate, least: 14, worth: 6 },
  { title: 'AFTER', value: ({ depends_on }) => depends_on.join(', '), worth: 4 },
  { title: 'DONE BY', value: ({ delivery }) => (delivery === 'pull' ? 'workers' : delivery), worth: 2 },
  { title: 'QUEUE', value: ({ queue }) => queue, least: 20, worth: 1 },
]
