// The processes of a Linux system, from /proc. Reading is done in the process itself, in small pieces with turns for
// everybody else in between: the files are in memory, and asking another thread for each would take several times as long.
//
// Processes come and go while they are read. Whoever looks for descendants must not miss one, so names are listed again
// until there is none that was not looked at: then whoever came later has a parent that was seen alive. And one that is just
// being turned into another program shows no environment for a moment: it is looked at again.
import { readdirSync, readFileSync } from 'node:fs'
import type { ProcessRow } from './processes.ts'

/** So many are read in one go. */
const IN_ONE_GO = 64

/** Names are listed so often at most; a system that starts processes any faster is looked at again, as somebody was seen. */
const MOST_LISTS = 100

/** One without an environment is looked at again so often, after so long each: it may really have none. */
const LOOKS_AGAIN = 10
const LOOK_AGAIN_MS = 2

const HAS_TABLE = process.platform === 'linux'

/** Places in /proc/<pid>/stat, counted from the state, which follows the name in brackets. */
const STATE = 0
const PARENT = 1
const GROUP = 2
const SESSION = 3
const SINCE = 19

/** The parent of all threads of the kernel, which have no environment. */
const KERNEL = 2

export async function readProcessTable(since: number): Promise<readonly ProcessRow[] | null> {
  if (!HAS_TABLE) return null
  const rows: ProcessRow[] = []
  const unclear: number[] = []
  const looked = new Set<string>()
  for (let list = 0; list < MOST_LISTS; list++) {
    const fresh = readdirSync('/proc').filter((name) => /^\d/.test(name) && !looked.has(name))
    if (fresh.length === 0) break
    for (const name of fresh) {
      looked.add(name)
      if (looked.size % IN_ONE_GO === 0) await new Promise(setImmediate)
      const row = rowOf(Number(name), since)
      if (row === 'unclear') unclear.push(Number(name))
      else if (row !== null) rows.push(row)
    }
  }
  return unclear.length === 0 ? rows : [...rows, ...(await cleared(unclear, since))]
}

async function cleared(pids: readonly number[], since: number): Promise<readonly ProcessRow[]> {
  const rows: ProcessRow[] = []
  let unclear = pids
  for (let look = 1; unclear.length > 0; look++) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    const still: number[] = []
    for (const pid of unclear) {
      const row = rowOf(pid, since, look === LOOKS_AGAIN)
      if (row === 'unclear') still.push(pid)
      else if (row !== null) rows.push(row)
    }
    unclear = still
  }
  return rows
}

/** When a process began, in ticks since the system did; 0 when it cannot be told. */
export function sinceOf(pid: number): number {
  return Number(statOf(pid)?.[SINCE] ?? 0)
}

function rowOf(pid: number, since: number, isLastLook = false): ProcessRow | 'unclear' | null {
  const stat = statOf(pid)
  if (stat === null || Number(stat[SINCE]) < since) return null
  // One that is over and was not waited for: there is nothing left of it to end.
  if (stat[STATE] === 'Z' || stat[STATE] === 'X') return null
  const parent = Number(stat[PARENT])
  const variables = contentOf(`/proc/${pid}/environ`)
  if (variables === '' && parent !== KERNEL && pid !== KERNEL && !isLastLook) return 'unclear'
  const environment = `\0${variables ?? ''}`
  return {
    pid,
    parent,
    group: Number(stat[GROUP]),
    session: Number(stat[SESSION]),
    since: Number(stat[SINCE]),
    has: (entry) => environment.includes(`\0${entry}\0`),
  }
}

/** What follows the name, which may have brackets and spaces of its own. */
function statOf(pid: number): readonly string[] | null {
  const text = HAS_TABLE ? contentOf(`/proc/${pid}/stat`) : null
  return text === null ? null : text.slice(text.lastIndexOf(')') + 2).split(' ')
}

const NOT_OURS = new Set(['ENOENT', 'ESRCH', 'EACCES', 'EPERM'])

/** Null when the process is gone or belongs to somebody else. Any other failure must not pass for that. */
function contentOf(path: string): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if (NOT_OURS.has((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}
