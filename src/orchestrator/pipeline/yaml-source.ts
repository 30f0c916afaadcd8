// YAML with its places. It is gone through node by node instead of being turned into values by the library, because the
// library looks for equal keys by comparing each with each, and takes minutes for texts that are made to be slow.
import { createRequire } from 'node:module'
import type { Document, Node } from 'yaml'
import {
  type ProblemPath,
  problem,
  quoted,
  type TopologyProblem,
} from '../../core/pipeline/topology-problem.ts'
import type { TextPlace } from './told-problems.ts'

/** Most values of one file, those that aliases repeat included. */
const MOST_NODES = 20_000

const MOST_ALIASES = 100

const DEEPEST = 50

/** More mistakes of syntax are mostly made by the first ones. */
const MOST_SYNTAX = 20

interface Offsets {
  readonly value: number
  /** Of the key it is under. */
  readonly key: number
}

export interface YamlSource {
  readonly value: unknown
  /** Nothing was left out of the value. */
  readonly isWhole: boolean
  readonly problems: readonly (TopologyProblem & { readonly offset: number })[]
  /** Offsets of what is at a path, by the path as JSON. */
  readonly offsets: ReadonlyMap<string, Offsets>
  placeAt(offset: number): TextPlace
}

type Yaml = typeof import('yaml')

let loaded: Yaml | undefined

/** Loaded when somebody first reads a file: it has seventy files of its own, and most programs have no topology. */
function yaml(): Yaml {
  loaded ??= createRequire(import.meta.url)('yaml') as Yaml
  return loaded
}

export function yamlSource(text: string): YamlSource {
  const { LineCounter, parseDocument } = yaml()
  const lines = new LineCounter()
  const document = parseDocument(text, {
    lineCounter: lines,
    uniqueKeys: false,
    resolveKnownTags: false,
    prettyErrors: false,
    strict: true,
    version: '1.2',
  })
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset)
    return { line: Math.max(line, 1), column: Math.max(col, 1) }
  }
  const problems = syntaxProblems(document)
  if (problems.length > 0) return { value: null, isWhole: false, problems, offsets: new Map(), placeAt }
  const reading = new YamlReading()
  const value = reading.read(document.contents as Node | null, [], 0)
  return { value, isWhole: !reading.isCut, problems: reading.problems, offsets: reading.offsets, placeAt }
}

type Placed = TopologyProblem & { readonly offset: number }

function syntaxProblems(document: Document.Parsed | Document): readonly Placed[] {
  const { errors, warnings, directives } = document
  const deep = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION')
  if (deep !== undefined) return [tooDeep(deep.pos[0])]
  const found = [...errors, ...warnings].slice(0, MOST_SYNTAX).map(({ code, message, pos }): Placed => {
    const said = code === 'MULTIPLE_DOCS' ? 'There is more than one document; a topology is one' : message
    return placed(problem('YAML_SYNTAX', [], said), pos[0])
  })
  if (directives?.yaml.explicit === true && directives.yaml.version !== '1.2') {
    found.push(placed(problem('YAML_SYNTAX', [], `It is YAML ${directives.yaml.version}; write 1.2`), 0))
  }
  return found
}

function tooDeep(offset: number): Placed {
  return placed(problem('TOO_DEEP', [], `Lists and maps are nested deeper than ${DEEPEST} levels`), offset)
}

function placed(found: TopologyProblem, offset: number): Placed {
  return { ...found, offset }
}

class YamlReading {
  readonly #yaml = yaml()
  readonly problems: Placed[] = []
  readonly offsets = new Map<string, Offsets>()
  readonly #anchors = new Map<string, Node>()
  /** Something was too much, and is left out. */
  isCut = false
  #nodes = 0
  #aliases = 0
  /** Anchors of nodes that are not read to their end: an alias of one would go round without end. */
  readonly #open = new Set<Node>()

  read(node: Node | null, path: ProblemPath, depth: number, key?: number): unknown {
    const offset = node?.range?.[0] ?? key ?? 0
    if (++this.#nodes > MOST_NODES) {
      this.#cut(placed(problem('TOO_LARGE', path, `It has more than ${MOST_NODES} values`), offset))
    }
    if (depth > DEEPEST) this.#cut(tooDeep(offset))
    if (this.isCut) return null
    this.offsets.set(placeKey(path), { value: offset, key: key ?? offset })
    if (this.#yaml.isAlias(node)) return this.#alias(node.source, offset, path, depth)
    if (node !== null && 'anchor' in node && node.anchor !== undefined) this.#anchors.set(node.anchor, node)
    return this.#inside(node, path, depth)
  }

  #inside(node: Node | null, path: ProblemPath, depth: number): unknown {
    if (node === null) return null
    this.#open.add(node)
    const { isMap, isScalar, isSeq } = this.#yaml
    try {
      if (isSeq(node)) {
        return node.items.map((item, i) => this.read(item as Node | null, [...path, i], depth + 1))
      }
      if (isMap(node)) return this.#map(node.items, path, depth)
      return isScalar(node) ? node.value : null
    } finally {
      this.#open.delete(node)
    }
  }

  #map(pairs: readonly unknown[], path: ProblemPath, depth: number): object {
    const { isPair, isScalar } = this.#yaml
    const object: { [key: string]: unknown } = {}
    for (const pair of pairs) {
      if (!isPair<Node | null, Node | null>(pair)) continue
      const offset = pair.key?.range?.[0] ?? pair.value?.range?.[0] ?? 0
      if (!isScalar(pair.key)) {
        this.#note(problem('WRONG_TYPE', path, 'A key must be plain text'), offset)
        continue
      }
      const key = typeof pair.key.value === 'string' ? pair.key.value : String(pair.key.source ?? '')
      if (Object.hasOwn(object, key)) {
        this.#note(problem('DUPLICATE_KEY', [...path, key], `${quoted(key)} is there twice`), offset)
        continue
      }
      const value = this.read(pair.value, [...path, key], depth + 1, offset)
      // A plain assignment to some names would reach behind the object.
      Object.defineProperty(object, key, { value, enumerable: true, writable: true, configurable: true })
    }
    return object
  }

  #alias(name: string, offset: number, path: ProblemPath, depth: number): unknown {
    const node = this.#anchors.get(name)
    if (node === undefined || this.#open.has(node)) {
      this.#note(problem('YAML_SYNTAX', path, `*${name} names nothing that comes before it`), offset)
      return null
    }
    if (++this.#aliases > MOST_ALIASES) {
      this.#cut(placed(problem('TOO_MANY', path, `It has more than ${MOST_ALIASES} aliases`), offset))
    }
    return this.isCut ? null : this.#inside(node, path, depth)
  }

  /** Nothing is read after it. */
  #cut(found: Placed): void {
    if (!this.isCut) this.problems.push(found)
    this.isCut = true
  }

  #note(found: TopologyProblem, offset: number): void {
    this.problems.push(placed(found, offset))
  }
}

export function placeKey(path: ProblemPath): string {
  return JSON.stringify(path)
}
