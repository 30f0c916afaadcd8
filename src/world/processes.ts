import type { Readable } from 'node:stream'

/** Other processes: starting them, seeing them, ending them. */
export interface Processes {
  /** The process that asks. */
  readonly pid: number
  /**
   * Starts a program, never by way of a shell, as the leader of a session and a group of its own. Should the process that
   * asks end in whatever way, the program and all that carry its mark end too. Rejects when the system does not start it.
   */
  start(command: StartedCommand): Promise<StartedProcess>
  /** All processes that are alive and began at `since` or later, as far as the system shows; null where it shows none. */
  table(since: number): Promise<readonly ProcessRow[] | null>
  /** A negative number is a group. Says whether the signal got there. */
  signal(pid: number, signal: NodeJS.Signals): 'sent' | 'gone' | 'refused'
}

export interface StartedCommand {
  /** An absolute path. */
  readonly exe: string
  readonly args: readonly string[]
  readonly cwd: string
  /** All of it: nothing is added but the mark. */
  readonly env: Readonly<Record<string, string>>
  /** Null for an empty one. */
  readonly stdinFile: string | null
}

export interface StartedProcess {
  /** Also the number of its group and of its session. */
  readonly pid: number
  /** When it began, as the table of processes reckons; 0 where there is none. */
  readonly since: number
  /** An entry of its environment, and of that of all it starts, which no other process has. */
  readonly mark: string
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves when the process itself is over, whatever it leaves behind. */
  readonly exited: Promise<Exit>
  /** Nothing of it is left to look after. */
  release(): void
}

export interface Exit {
  readonly exitCode: number | null
  readonly signal: NodeJS.Signals | null
}

export interface ProcessRow {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** When it began: a number that is given out again does not make it the same process. */
  readonly since: number
  /** Whether its environment has this entry, `NAME=value`. False when it is not ours to read. */
  has(entry: string): boolean
}
