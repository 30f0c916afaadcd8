import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'

interface Told {
  readonly message: string
  readonly details?: JsonObject
}

const FEWEST = 2

/** An error that names several mistakes: the sentence before them, and a line for each; else its message alone. */
export function problemLines({ message, details = {} }: Told): readonly string[] {
  const { problems } = details
  if (!Array.isArray(problems) || problems.length < FEWEST) return [message.replaceAll('\n', ' ')]
  const [headline] = /^.*?(?:mistakes|problems):/s.exec(message) ?? [message]
  return [headline, ...problems.map((problem: Json) => `  ${isJsonObject(problem) ? lineOf(problem) : ''}`)]
}

function lineOf({ field, line, column, message }: JsonObject): string {
  if (typeof line === 'number') return `${line}:${column}  ${message}`
  return typeof field === 'string' && field !== '' ? `${field} ${message}` : String(message)
}
