import { GATE_OPS } from '../../core/pipeline/gate.ts'
import type { Topology } from '../../core/pipeline/topology.ts'
import {
  type ProblemCode,
  type ProblemPath,
  problem,
  type TopologyProblem,
} from '../../core/pipeline/topology-problem.ts'
import { FileNotFound } from '../../errors/file-errors.ts'
import { frozenJson } from '../../ledger/check-input.ts'
import type { Disk } from '../../world/disk.ts'
import { isConsequence } from './consequence.ts'
import { stageAt, topologyFrom } from './read-topology.ts'
import { invalidTopology, type TextPlace } from './told-problems.ts'
import { placeKey, type YamlSource, yamlSource } from './yaml-source.ts'

/** Largest file that is read. */
const LARGEST_BYTES = 1024 * 1024

export interface ParseTopologyOptions {
  /** Said in messages. */
  readonly file?: string | undefined
}

/** A topology from text: YAML, of which JSON is a part. Everything that is wrong with it is in one error. */
export function parseTopology(text: string, { file }: ParseTopologyOptions = {}): Topology {
  if (Buffer.byteLength(text) > LARGEST_BYTES) throw tooLarge(file)
  const source = yamlSource(text)
  const ofText = source.problems.map((found) => ({ ...found, ...stageAt(source.value, found.path) }))
  const offsets = new Map<TopologyProblem, number>(ofText.map((found) => [found, found.offset]))
  // Where the text itself is broken, the rest would only follow from it.
  const read = source.isWhole ? topologyFrom(source.value) : null
  const own = ofText.filter(({ path }) => path.length > 0)
  const rest = read?.problems.filter((found) => !isConsequence(own, found)) ?? []
  const all = [...ofText, ...rest]
  if (read !== null && all.length === 0) return frozenJson('topology', read.topology) as unknown as Topology
  throw invalidTopology(all, {
    file,
    placeOf: (found) => source.placeAt(offsets.get(found) ?? offsetOf(source, found)),
  })
}

/** A topology from a file. */
export async function readTopology(file: string, disk: Disk): Promise<Topology> {
  const reader = await disk.openToRead(file)
  if (reader === null) throw new FileNotFound(file, 'Give a file of YAML with a topology.')
  try {
    const size = await reader.size()
    if (size > LARGEST_BYTES) throw tooLarge(file)
    return parseTopology(textOf(await reader.read(0, size), file), { file })
  } finally {
    await reader.close()
  }
}

function textOf(bytes: Uint8Array, file: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw whole('YAML_SYNTAX', 'It is not text in UTF-8', file)
  }
}

function tooLarge(file: string | undefined) {
  return whole('TOO_LARGE', `It is larger than ${LARGEST_BYTES} bytes`, file)
}

/** Of the file as a whole. */
function whole(code: ProblemCode, message: string, file: string | undefined) {
  const placeOf = (): TextPlace => ({ line: 1, column: 1 })
  return invalidTopology([problem(code, [], message)], { file, placeOf })
}

/** What a field of the data may be called in the text. */
const SPELLINGS: ReadonlyMap<string | number, readonly string[]> = new Map<string, readonly string[]>([
  ['max_attempts', ['attempts']],
  ['timeout_ms', ['timeout']],
  ['baseMs', ['base']],
  ['capMs', ['cap']],
  ['delaysMs', ['delays']],
  ['recovery_ms', ['recovery']],
  ['max', ['calls']],
  ['per_ms', ['per']],
  ['value', GATE_OPS],
])

/** It is the name that is wrong, not what is under it. */
const OF_KEYS: ReadonlySet<ProblemCode> = new Set<ProblemCode>([
  'UNKNOWN_KEY',
  'FORBIDDEN_KEY',
  'CONFLICTING_KEYS',
])

/** Of the place itself, or of the nearest thing around it that there is. */
function offsetOf({ offsets }: YamlSource, { code, path }: TopologyProblem): number {
  let at: ProblemPath = []
  for (const part of path) {
    const next = [part, ...(SPELLINGS.get(part) ?? [])].map((name) => [...at, name])
    const there = next.find((candidate) => offsets.has(placeKey(candidate)))
    if (there === undefined) break
    at = there
  }
  const found = offsets.get(placeKey(at)) ?? { key: 0, value: 0 }
  const isKey = OF_KEYS.has(code) || (code === 'BAD_NAME' && path[0] === 'policies')
  return isKey && at.length === path.length ? found.key : found.value
}
