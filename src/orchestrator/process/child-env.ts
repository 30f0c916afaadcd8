import { isAbsolute } from 'node:path'

/** What a tool gets of the worker's own environment. Everything else may be a secret. */
const PASSED = new Set(['HOME', 'LANG', 'LANGUAGE', 'TZ', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL'])
const PASSED_BEGINNING = 'LC_'

/** Where programs are when the worker was not told. */
const USUAL_PATH = '/usr/local/bin:/usr/bin:/bin'

export const JOB_ENV = 'WAYBILL_JOB_ID'
const ATTEMPT_ENV = 'WAYBILL_ATTEMPT'
export const LEDGER_ENV = 'WAYBILL_LEDGER_MARK'

interface Variables {
  readonly [name: string]: string | undefined
}

export interface ChildEnvParts {
  /** The worker's own environment. */
  readonly own: Variables
  /** Names of others that the tool gets of it: those that its adapter names. */
  readonly passEnv?: readonly string[]
  /** The job's. */
  readonly job: Variables
  /** The adapter's, laid over the job's. */
  readonly prepared?: Variables | undefined
  readonly jobId: string
  readonly attempt: number
  /** What tells this ledger from others on the same machine. */
  readonly ledger: string
}

/** The whole environment of a tool: nothing is in it that is not named here. */
export function childEnv(parts: ChildEnvParts): Record<string, string> {
  const { own, passEnv = [], job, prepared = {}, jobId, attempt, ledger } = parts
  const passed = Object.keys(own).filter(
    (name) => PASSED.has(name) || name.startsWith(PASSED_BEGINNING) || passEnv.includes(name),
  )
  const all: Variables = {
    // No program is to draw on a terminal that is not there.
    TERM: 'dumb',
    ...Object.fromEntries(passed.map((name) => [name, own[name]])),
    PATH: plainPath(own.PATH ?? USUAL_PATH),
    ...job,
    ...prepared,
    [JOB_ENV]: jobId,
    [ATTEMPT_ENV]: String(attempt),
    [LEDGER_ENV]: ledger,
  }
  const given = Object.entries(all).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return Object.fromEntries(given)
}

/** Only absolute folders: an empty or relative one is wherever the tool happens to be, which is in somebody's files. */
function plainPath(path: string): string {
  const folders = path.split(':').filter((folder) => isAbsolute(folder))
  return folders.length > 0 ? folders.join(':') : USUAL_PATH
}
