import type { Json } from '../../core/json.ts'
import { type Clause, type Condition, GATE_OPS, type GateOp } from '../../core/pipeline/gate.ts'
import { DEEPEST_CONDITION, tooDeepAt } from '../../core/pipeline/gate-problems.ts'
import type { Fields, Found, SourceReader } from './source-reader.ts'

const GROUPS = ['all', 'any'] as const

const KEYS = [...GROUPS, 'field', ...GATE_OPS, 'op', 'value'] as const

/** Undefined when it cannot be read. */
export function readCondition(reader: SourceReader, found: Found, depth = 0): Condition | undefined {
  const fields = reader.fields(found, 'A condition', KEYS)
  if (fields === undefined) return undefined
  const said = KEYS.filter((key) => fields.has(key))
  const group = GROUPS.find((key) => fields.has(key))
  if (group === undefined) return readClause(reader, fields)
  if (said.length > 1) {
    const other = said.find((key) => key !== group) as string
    const message = `A condition is all, any, or a field: ${group} and ${other} cannot be said at once`
    return reader.note('CONFLICTING_KEYS', [...fields.path, other], message)
  }
  if (depth >= DEEPEST_CONDITION) {
    reader.problems.push(tooDeepAt(fields.path))
    return undefined
  }
  return readGroup(reader, fields, group, depth)
}

function readGroup(
  reader: SourceReader,
  fields: Fields,
  group: 'all' | 'any',
  depth: number,
): Condition | undefined {
  const found = fields.optional(group)
  const parts = (found && reader.list(found))?.map((part) => readCondition(reader, part, depth + 1))
  if (parts === undefined || parts.includes(undefined)) return undefined
  return { [group]: parts } as unknown as Condition
}

function readClause(reader: SourceReader, fields: Fields): Clause | undefined {
  const named = fields.required('field')
  const field = named && reader.text(named)
  const said = fields.has('op') ? readOp(reader, fields) : readNamedOp(reader, fields)
  if (field === undefined || said === undefined) return undefined
  return { field, ...said }
}

type Said = { readonly op: GateOp; readonly value?: Json }

/** `op: equals` and `value: …` */
function readOp(reader: SourceReader, fields: Fields): Said | undefined {
  const named = fields.required('op')
  const op = named && reader.oneOf(named, GATE_OPS)
  for (const other of GATE_OPS) {
    if (fields.has(other)) {
      reader.note('CONFLICTING_KEYS', [...fields.path, other], `op and ${other} cannot be said at once`)
      return undefined
    }
  }
  const given = fields.optional('value')
  const value = given && reader.json(given)
  if (op === undefined || (given !== undefined && value === undefined)) return undefined
  return value === undefined ? { op } : { op, value }
}

/** `equals: …` */
function readNamedOp(reader: SourceReader, fields: Fields): Said | undefined {
  const [op, other] = GATE_OPS.filter((one) => fields.has(one))
  if (op === undefined) {
    const message = `It is not said what is asked of the field: one of ${GATE_OPS.join(', ')}`
    return reader.note('MISSING_KEY', [...fields.path, 'op'], message)
  }
  if (other !== undefined || fields.has('value')) {
    const twice = other ?? 'value'
    const message = `${op} and ${twice} cannot be said at once: make two conditions of them`
    return reader.note('CONFLICTING_KEYS', [...fields.path, twice], message)
  }
  const given = fields.optional(op)
  const value = given && reader.json(given)
  if (value === undefined) return undefined
  // What is always said is not kept.
  return (op === 'exists' || op === 'changed') && value === true ? { op } : { op, value }
}
