import { durationMs } from '../../core/duration.ts'
import type { Json } from '../../core/json.ts'
import { FORBIDDEN_NAMES } from '../../core/names.ts'
import {
  type Meant,
  type Problem,
  type ProblemCode,
  type ProblemPath,
  problem,
  quoted,
} from '../../core/pipeline/topology-problem.ts'
import { InvalidInput } from '../../errors/input-errors.ts'
import { frozenJson } from '../../ledger/check-input.ts'

/** Longest list that is gone through. */
const LONGEST_LIST = 1000

/** A value, and where it was found. */
export interface Found {
  readonly value: unknown
  readonly path: ProblemPath
}

/**
 * Reads what somebody wrote and notes everything that is not as it should be, instead of ending at the first. What
 * cannot be read is undefined, and has been noted.
 */
export class SourceReader {
  readonly problems: Problem[] = []

  note(code: ProblemCode, path: ProblemPath, message: string, meant?: Meant): undefined {
    this.problems.push(problem(code, path, message, meant))
  }

  /** An object with none but these fields. */
  fields(found: Found, what: string, known: readonly string[]): Fields | undefined {
    const { value, path } = found
    if (!isPlainObject(value)) return this.#wrongType(found, `${what} must be a map`)
    for (const key of Object.keys(value)) {
      if (known.includes(key)) continue
      const at = [...path, key]
      if (FORBIDDEN_NAMES.has(key)) this.note('FORBIDDEN_KEY', at, `${key} is not allowed as a name`)
      else this.note('UNKNOWN_KEY', at, `${what} has no ${quoted(key)}`, { named: key, known })
    }
    return new Fields(this, value, path)
  }

  /** An object with names of the writer's own. */
  entries(found: Found, what: string): readonly (readonly [name: string, Found])[] {
    const { value, path } = found
    if (!isPlainObject(value)) {
      this.#wrongType(found, `${what} must be a map`)
      return []
    }
    return Object.entries(value).flatMap(([name, item]) => {
      const at = [...path, name]
      if (!FORBIDDEN_NAMES.has(name)) return [[name, { value: item, path: at }] as const]
      this.note('FORBIDDEN_KEY', at, `${name} is not allowed as a name`)
      return []
    })
  }

  list(found: Found): readonly Found[] | undefined {
    const { value, path } = found
    if (!Array.isArray(value)) return this.#wrongType(found, `${nameOf(path)} must be a list`)
    if (value.length > LONGEST_LIST) {
      return this.note('TOO_MANY', path, `${nameOf(path)} has ${value.length} entries, which nobody needs`)
    }
    // Not map: a hole in a list is a value that is missing.
    return Array.from(value, (item: unknown, i) => ({ value: item, path: [...path, i] }))
  }

  text(found: Found): string | undefined {
    const { value, path } = found
    if (typeof value === 'string') return value
    const quotes = typeof value === 'number' || typeof value === 'boolean' ? ': put it in quotes' : ''
    return this.#wrongType(found, `${nameOf(path)} must be text`, quotes)
  }

  number(found: Found): number | undefined {
    const { value, path } = found
    if (typeof value === 'number' && Number.isFinite(value)) return value
    return this.#wrongType(found, `${nameOf(path)} must be a number`)
  }

  /** Milliseconds. */
  duration(found: Found): number | undefined {
    const { value, path } = found
    if (typeof value !== 'number' && typeof value !== 'string') {
      return this.#wrongType(found, `${nameOf(path)} must be a span of time: 30s, 5m, or milliseconds`)
    }
    const ms = durationMs(value)
    if (ms !== null) return ms
    const message = `${nameOf(path)} is ${quoted(value)}, which is no span of time: write 30s, 5m or 1h 30m`
    return this.note('BAD_DURATION', path, message)
  }

  oneOf<T extends string>(found: Found, known: readonly T[]): T | undefined {
    const text = this.text(found)
    if (text === undefined || known.some((one) => one === text)) return text as T | undefined
    const message = `${nameOf(found.path)} is ${quoted(text)}; it must be one of ${known.join(', ')}`
    return this.note('WRONG_VALUE', found.path, message, { named: text, known })
  }

  /** Anything that JSON can hold. */
  json({ value, path }: Found): Json | undefined {
    try {
      return frozenJson(nameOf(path), value)
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error
      return this.note('WRONG_VALUE', path, error.message)
    }
  }

  #wrongType({ value, path }: Found, must: string, hint = ''): undefined {
    return this.note('WRONG_TYPE', path, `${must}, not ${kindOf(value)}${hint}`)
  }
}

/** The fields of one object. */
export class Fields {
  readonly #reader: SourceReader
  readonly #of: { readonly [key: string]: unknown }
  readonly path: ProblemPath

  constructor(reader: SourceReader, of: { readonly [key: string]: unknown }, path: ProblemPath) {
    this.#reader = reader
    this.#of = of
    this.path = path
  }

  has(key: string): boolean {
    return Object.hasOwn(this.#of, key) && this.#of[key] !== undefined
  }

  /** A field that goes by any of these names, if it is there; under two names at once it is a mistake. */
  optional(...names: readonly string[]): Found | undefined {
    const [key, other] = names.filter((name) => this.has(name))
    if (key === undefined) return undefined
    if (other !== undefined) {
      this.#reader.note(
        'CONFLICTING_KEYS',
        [...this.path, other],
        `${other} and ${key} say the same: give one`,
      )
    }
    return { value: this.#of[key], path: [...this.path, key] }
  }

  required(...names: readonly string[]): Found | undefined {
    const found = this.optional(...names)
    if (found !== undefined) return found
    const [name = ''] = names
    return this.#reader.note('MISSING_KEY', [...this.path, name], `${name} is missing`)
  }
}

function isPlainObject(value: unknown): value is { readonly [key: string]: unknown } {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

function nameOf(path: ProblemPath): string {
  const last = path.at(-1)
  if (last === undefined) return 'It'
  return typeof last === 'number' ? `${path.at(-2)}[${last}]` : last
}

function kindOf(value: unknown): string {
  if (value === null) return 'nothing'
  if (Array.isArray(value)) return 'a list'
  switch (typeof value) {
    case 'string':
      return `the text ${quoted(value)}`
    case 'number':
      return `the number ${value}`
    case 'boolean':
      return String(value)
    case 'object':
      return isPlainObject(value) ? 'a map' : 'an object of a class'
    case 'undefined':
      return 'nothing'
    default:
      return `a ${typeof value}`
  }
}
