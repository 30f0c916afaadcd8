import type { RefusalCode } from '../core/refusal.ts'

/**
 * Exit codes of the command line: 1 found problems or failed, 2 usage, 3 not found, 4 conflict, 5 corrupt, 6 locked, 7 no
 * adapter for a tool.
 */
export interface ErrorRow {
  /** HTTP status. */
  readonly status: number
  /** Exit code of a command. */
  readonly exit: number
  readonly about: string
}

/** Every code there is. Codes are stable: programs match on them. */
export const ERROR_TABLE = {
  INVALID_STATE_TRANSITION: { status: 409, exit: 4, about: 'The machine has no such edge' },
  STALE_ETAG: { status: 412, exit: 4, about: 'The record changed since it was read' },
  NOT_FOUND: { status: 404, exit: 3, about: 'No such record for this tenant' },
  LEASE_MISMATCH: { status: 409, exit: 4, about: 'A callback of an attempt that does not hold the step' },
  NOT_CLAIMABLE: { status: 409, exit: 4, about: 'The job is not waiting for a worker' },
  NOTHING_TO_PUBLISH: { status: 409, exit: 4, about: 'The job has no directive to publish' },
  IN_FLIGHT_LIMIT: { status: 429, exit: 4, about: 'The tenant has as many open jobs as it may' },
  CONCURRENCY_LIMIT: { status: 429, exit: 4, about: 'A limit on running attempts is reached' },
  RATE_LIMIT: { status: 429, exit: 4, about: 'A limit on attempts begun within a while is used up' },
  TOO_MANY_WAITING: { status: 503, exit: 1, about: 'As many wait for work as may' },
  COUNT_CHANGED: { status: 409, exit: 4, about: 'More match a filter now than were expected' },
  QUEUE_PAUSED: { status: 409, exit: 4, about: 'The queue is paused' },
  IDEMPOTENCY_CONFLICT: { status: 409, exit: 4, about: 'The idempotency key belongs to another request' },
  JOB_EXISTS: { status: 409, exit: 4, about: 'The job id is taken' },
  DOC_ID_REQUIRED: { status: 400, exit: 2, about: 'Mode BURST needs a document' },
  DEPENDENCY_UNKNOWN: { status: 422, exit: 2, about: 'A job depends on one that is not known' },
  DEPENDENCY_CYCLE: { status: 422, exit: 2, about: 'Jobs wait for each other' },
  LIMIT_KEY_MISSING: { status: 422, exit: 2, about: 'A limit is kept by a value that the request lacks' },
  JOB_NOT_ENDED: { status: 409, exit: 4, about: 'The job is still open' },
  STEP_UNKNOWN: { status: 422, exit: 2, about: 'The job has no such step' },
  STEP_NOT_REACHED: { status: 409, exit: 4, about: 'A step before this one never succeeded' },
  NOT_EXTERNAL: { status: 409, exit: 4, about: 'The stage is not run by another scheduler' },
  STAGE_LIMIT: { status: 409, exit: 4, about: 'The run has reported as many stages as it may' },
  RUN_CLOSED: { status: 409, exit: 4, about: 'The run or workstream takes no more jobs' },
  RUN_EXISTS: { status: 409, exit: 4, about: 'The id of the run or workstream is taken' },
  TOKEN_EXISTS: { status: 409, exit: 4, about: 'The id of the token is taken' },
  BROKEN_RECORD: {
    status: 500,
    exit: 5,
    about: 'A record contradicts itself; the rules cannot go on from it',
  },
  INVALID_INPUT: { status: 422, exit: 2, about: 'A field is missing or wrong' },
  INVALID_TOPOLOGY: { status: 422, exit: 2, about: 'The stages and gates of a pipeline do not fit together' },
  UNKNOWN_REQUEST_TYPE: { status: 400, exit: 2, about: 'No protocol is registered for the request type' },
  UNKNOWN_ADAPTER: { status: 400, exit: 7, about: 'No adapter runs jobs of this tool' },
  UNKNOWN_ENGINE: { status: 400, exit: 2, about: 'No engine opens such a URL' },
  BAD_CURSOR: { status: 400, exit: 2, about: 'The cursor is not one this ledger gave out' },
  UNSUPPORTED: { status: 501, exit: 2, about: 'This engine does not do that' },
  OUTPUT_LOST: { status: 500, exit: 5, about: 'The file with a large output is gone or has changed' },
  JOB_FAILED: { status: 409, exit: 1, about: 'A job that was waited for did not succeed' },
  WAIT_OVER: { status: 504, exit: 1, about: 'What was waited for did not happen in time' },
  LEDGER_CLOSED: { status: 503, exit: 1, about: 'The ledger was closed' },
  LEDGER_LOCKED: { status: 423, exit: 6, about: 'Another process has the ledger open for writing' },
  LEDGER_BUSY: { status: 503, exit: 6, about: 'Other processes have been writing the ledger for too long' },
  LEDGER_READ_ONLY: { status: 409, exit: 4, about: 'The ledger was opened for reading only' },
  LEDGER_DAMAGED: { status: 500, exit: 5, about: 'Bytes that were safely on the disk have changed' },
  UNKNOWN_FORMAT: { status: 500, exit: 5, about: 'A file was written by a later version' },
  FILE_NOT_FOUND: { status: 404, exit: 3, about: 'There is no such file or folder' },
  NOT_A_LEDGER: { status: 400, exit: 2, about: 'The folder holds no ledger' },
  FILE_EXISTS: { status: 409, exit: 4, about: 'The file is there already, and is not overwritten' },
  NOT_EMPTY: { status: 409, exit: 4, about: 'The target of a copy holds another ledger' },
  HISTORY_GONE: { status: 410, exit: 3, about: 'The history of that time was removed' },
  DISK_FULL: { status: 507, exit: 1, about: 'There is no room on the disk; nothing was written' },
  WRITER_FAILED: { status: 500, exit: 1, about: 'The disk failed; the ledger must be opened again' },
  LOG_CHANGED: { status: 409, exit: 4, about: 'An old log that was taken over has changed since' },
  BAD_MESSAGE: { status: 400, exit: 2, about: 'A directive or callback lacks a field, or has a wrong one' },
  BAD_SIGNATURE: { status: 401, exit: 2, about: 'A message is not signed with a secret that is known here' },
  STALE_TIMESTAMP: { status: 401, exit: 2, about: 'A message was signed too long ago, or for the future' },
  UNKNOWN_PATH: { status: 404, exit: 2, about: 'Nothing answers at this path' },
  METHOD_NOT_ALLOWED: { status: 405, exit: 2, about: 'The path is there, and takes another method' },
  UNSUPPORTED_MEDIA: { status: 415, exit: 2, about: 'A body that is not JSON' },
  BODY_TOO_LARGE: { status: 413, exit: 2, about: 'A message is longer than is read' },
  UNAUTHENTICATED: { status: 401, exit: 4, about: 'Nobody is known by this token, or none was shown' },
  FORBIDDEN: { status: 403, exit: 4, about: 'The token is known, and is not for this' },
  WRONG_HOST: { status: 421, exit: 2, about: 'The server does not go by this name' },
  WRONG_ORIGIN: { status: 403, exit: 4, about: 'The request was made by a page of another site' },
  LOGIN_BLOCKED: { status: 429, exit: 4, about: 'Too many wrong tokens came from there' },
  NO_SERVER: { status: 503, exit: 1, about: 'No server of this ledger can be reached' },
  NO_HANDLER: { status: 422, exit: 2, about: 'The service does no steps of this type' },
  SERVICE_BUSY: { status: 503, exit: 1, about: 'The service has as much to do as it takes' },
  SERVICE_STOPPING: { status: 503, exit: 1, about: 'The service is about to end and takes nothing more' },
  MISSING_PACKAGE: { status: 501, exit: 2, about: 'A package that is needed for this is not installed' },
  LOGIN_REFUSED: { status: 503, exit: 1, about: 'The database does not let this user in' },
  DATABASE_MISSING: { status: 503, exit: 3, about: 'The server has no such database' },
  SERVER_UNAVAILABLE: { status: 503, exit: 1, about: 'The database server cannot be reached' },
  OUTCOME_UNKNOWN: { status: 503, exit: 1, about: 'A connection was lost while something was written' },
  SCHEMA_TOO_NEW: { status: 500, exit: 5, about: 'The tables are of a later version' },
  SCHEMA_TOO_OLD: {
    status: 500,
    exit: 1,
    about: 'The tables are of an earlier version and are to be migrated',
  },
  NOT_PERMITTED: { status: 503, exit: 1, about: 'The database user may not do this' },
  DATABASE_FAILED: { status: 500, exit: 1, about: 'The database failed; nothing was written' },
  INVALID_TOOL_JOB: {
    status: 422,
    exit: 2,
    about: 'A tool job lacks fields, or has wrong ones; all are named',
  },
  PATH_ESCAPES: { status: 422, exit: 2, about: 'A path of a tool job leads out of its repository' },
  TOOL_NOT_FOUND: { status: 422, exit: 3, about: 'The program of a tool job is not there, or no program' },
  TOOL_NOT_STARTED: { status: 500, exit: 1, about: 'The system did not start the program of a tool job' },
  INTERNAL_ERROR: { status: 500, exit: 1, about: 'Something failed that nobody foresaw; the log has it' },
  NODE_TOO_OLD: { status: 500, exit: 2, about: 'Waybill needs a newer Node' },
} as const satisfies { [code in RefusalCode]: ErrorRow } & { [code: string]: ErrorRow }

export type ErrorCode = keyof typeof ERROR_TABLE
