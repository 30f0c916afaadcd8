// The processes of a Linux system, from /proc. Reading is done in the process itself, in small pieces with turns for
// everybody else in between: the files are in memory, and asking another thread for each would take several times as long.
import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessRow } from './processes.ts'

/** So many are read in one go. */
const IN_ONE_GO = 64

const HAS_TABLE = process.platform === 'linux'

/** Places in /proc/<pid>/stat, counted from the state, which follows the name in brackets. */
const STATE = 0
const PARENT = 1
const GROUP = 2
const SESSION = 3
const SINCE = 19

export async function readProcessTable(since: number): Promise<readonly ProcessRow[] | null> {
  if (!HAS_TABLE) return null
  const rows: ProcessRow[] = []
  const pids = readdirSync('/proc').filter((name) => /^\d/.test(name))
  for (const [index, pid] of pids.entries()) {
    if (index % IN_ONE_GO === IN_ONE_GO - 1) await new Promise(setImmediate)
    const row = rowOf(Number(pid), since)
    if (row !== null) rows.push(row)
  }
  return rows
}

/** When a process began, in ticks since the system did; 0 when it cannot be told. */
export function sinceOf(pid: number): number {
  return Number(statOf(pid)?.[SINCE] ?? 0)
}

function rowOf(pid: number, since: number): ProcessRow | null {
  const stat = statOf(pid)
  if (stat === null || Number(stat[SINCE]) < since) return null
  // One that is over and was not waited for: there is nothing left of it to end.
  if (stat[STATE] === 'Z' || stat[STATE] === 'X') return null
  const environment = `\0${contentOf(`/proc/${pid}/environ`)}`
  return {
    pid,
    parent: Number(stat[PARENT]),
    group: Number(stat[GROUP]),
    session: Number(stat[SESSION]),
    since: Number(stat[SINCE]),
    has: (entry) => environment.includes(`\0${entry}\0`),
  }
}

/** What follows the name, which may have brackets and spaces of its own. */
function statOf(pid: number): readonly string[] | null {
  const text = HAS_TABLE ? contentOf(`/proc/${pid}/stat`) : ''
  return text === '' ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

/** Nothing, when the process is gone or belongs to somebody else. */
function contentOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
