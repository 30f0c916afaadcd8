import type { StepResult } from '../core/job/commands.ts'
import { checkedResult } from './checked-result.ts'
import { frozenCopy } from './frozen-copy.ts'
import type { Redact } from './redact.ts'

export function parseResult(result: StepResult, redact: Redact): StepResult {
  return plainResult(result) ?? checkedResult(result, redact)
}

/** Most attempts succeed, and say what came of it and nothing else: being checked by the schema takes five times as long. */
function plainResult(result: unknown): StepResult | null {
  if (typeof result !== 'object' || result === null) return null
  if (Object.getPrototypeOf(result) !== Object.prototype) return null
  for (const field in result) if (field !== 'status' && field !== 'output') return null
  const { status, output } = result as { readonly status: unknown; readonly output?: unknown }
  if (status !== 'SUCCEEDED') return null
  const copy = frozenCopy(output ?? null)
  return copy === undefined ? null : { status, output: copy }
}
