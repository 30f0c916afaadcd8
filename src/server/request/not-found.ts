import { NotFound } from '../../errors/refusal-errors.ts'

type NamedKind = 'document' | 'run' | 'workstream' | 'queue' | 'schedule' | 'token'

/** Not there, or not the caller's: the answer is the same. */
function notFound(kind: NamedKind, id: string): NotFound {
  return new NotFound({
    code: 'NOT_FOUND',
    field: `${kind}_id`,
    message: `There is no ${kind} ${JSON.stringify(id)}`,
    next: 'Look at the list, and check the id and the tenant.',
    details: { [`${kind}_id`]: id },
  })
}

/** What is there, or the error that says that it is not. */
export function found<T>(record: T | null, kind: NamedKind, id: string): T {
  if (record === null) throw notFound(kind, id)
  return record
}
