// The table of error codes, with the class that carries each.
import type { RefusalCode } from '../../src/core/refusal.ts'
import * as fileErrors from '../../src/errors/file-errors.ts'
import * as httpErrors from '../../src/errors/http-errors.ts'
import * as importErrors from '../../src/errors/import-errors.ts'
import * as inputErrors from '../../src/errors/input-errors.ts'
import * as journalErrors from '../../src/errors/journal-errors.ts'
import * as messageErrors from '../../src/errors/message-errors.ts'
import * as postgresErrors from '../../src/errors/postgres-errors.ts'
import * as refusalErrors from '../../src/errors/refusal-errors.ts'
import * as sizeErrors from '../../src/errors/size-errors.ts'
import * as sqliteErrors from '../../src/errors/sqlite-errors.ts'
import * as streamErrors from '../../src/errors/stream-errors.ts'
import { ERROR_TABLE, type ErrorCode } from '../../src/errors/table.ts'
import * as toolErrors from '../../src/errors/tool-errors.ts'
import * as topologyErrors from '../../src/errors/topology-errors.ts'
import { markdownTable } from './markdown-table.ts'

export function errorCodesRegion(): string {
  const rows = (Object.keys(ERROR_TABLE) as ErrorCode[]).map((code) => {
    const { status, exit, about } = ERROR_TABLE[code]
    return [`\`${code}\``, `\`${classOf(code)}\``, String(status), String(exit), about]
  })
  return markdownTable(['Code', 'Class', 'HTTP status', 'Exit code', 'Meaning'], rows)
}

/** Errors about input are named after their one code; several refusals may share a class. */
function classOf(code: ErrorCode): string {
  const name = code.replace(
    /_?([A-Z])([A-Z]*)/g,
    (_, first: string, rest: string) => first + rest.toLowerCase(),
  )
  const named = [
    fileErrors,
    httpErrors,
    importErrors,
    inputErrors,
    journalErrors,
    messageErrors,
    postgresErrors,
    refusalErrors,
    sizeErrors,
    sqliteErrors,
    streamErrors,
    toolErrors,
    topologyErrors,
  ]
  if (named.some((errors) => Object.hasOwn(errors, name))) return name
  // The Node version is checked before any class can be loaded.
  if (code === 'NODE_TOO_OLD') return 'Error'
  if (code === 'WAIT_OVER') return 'WaybillError'
  return refusalErrors.errorOf({ code: code as RefusalCode, message: '', next: '', details: {} }).name
}
