import { must } from '../../core/must.ts'
import { type Condition, MOST_COMPARISONS, type RowQuery, type Value } from './service.ts'

/** What the service is to look for, in its own words; undefined for everything, null when nothing can fit. */
export function filterOf(query: RowQuery): string | null | undefined {
  const { pk, pkFrom, pkBefore, rkFrom, rkBefore, where = [] } = query
  if (where.some((condition) => 'isOneOf' in condition && condition.isOneOf.length === 0)) return null
  const comparisons = [
    ...compared('PartitionKey', 'eq', pk),
    ...compared('PartitionKey', 'ge', pkFrom),
    ...compared('PartitionKey', 'lt', pkBefore),
    ...compared('RowKey', 'ge', rkFrom),
    ...compared('RowKey', 'lt', rkBefore),
    ...where.map(alternatives),
  ]
  const count = comparisons.reduce((sum, any) => sum + any.length, 0)
  must(count <= MOST_COMPARISONS, () => `a filter compares at most ${MOST_COMPARISONS} times, not ${count}`)
  if (count === 0) return undefined
  return comparisons.map((any) => (any.length === 1 ? any[0] : `(${any.join(' or ')})`)).join(' and ')
}

function compared(column: string, is: string, value: Value | undefined): string[][] {
  return value === undefined ? [] : [[`${column} ${is} ${literal(value)}`]]
}

function alternatives(condition: Condition): string[] {
  const { column } = condition
  if (!('isOneOf' in condition)) return [`${column} ${condition.is} ${literal(condition.value)}`]
  return condition.isOneOf.map((value) => `${column} eq ${literal(value)}`)
}

function literal(value: Value): string {
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`
  return typeof value === 'number' ? doubleText(value) : String(value)
}

const WITH_EXPONENT = /^(-?)(\d)(?:\.(\d+))?e([+-]\d+)$/

/** With a point, which makes it a double, and without an exponent, which the emulator does not know. */
function doubleText(value: number): string {
  const text = String(value)
  const parts = WITH_EXPONENT.exec(text)
  if (parts === null) return text.includes('.') ? text : `${text}.0`
  const [, sign, first, rest = '', exponent] = parts
  const digits = `${first}${rest}`
  // How many of the digits are before the point. Large numbers have an exponent only beyond the last digit.
  const whole = 1 + Number(exponent)
  return whole > 0 ? `${sign}${digits.padEnd(whole, '0')}.0` : `${sign}0.${'0'.repeat(-whole)}${digits}`
}
