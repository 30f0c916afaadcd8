// What git tells about the work of a job: the commit before and after it, and the files that are not as they were.
//
// Reading must not run anything. A repository's configuration names programs for many occasions, and a tool that has just
// worked in it may have named one; so hooks, the file system monitor, filters, and programs that show differences are all
// switched off, submodules are not entered, and no lock is taken.
//
// Paths are handled as bytes, one character for each (latin1), and become text at the very end: a file may have any name.
import type { FileMark } from '../../world/file-mark.ts'
import type { RunGit } from './git-runner.ts'
import { statusPaths } from './git-status.ts'
import { QUIET_GIT_ARGS } from './quiet-git.ts'

/** How many files are named. */
const MOST_TOUCHED = 1000

/** How many changed files are looked at one by one; a folder with more was not made by hand. */
const MOST_LOOKED_AT = 20_000

/** Larger files are told apart by size and times only. */
const LARGEST_HASHED = 16 * 1024 * 1024
const MOST_HASHED_IN_ALL = 256 * 1024 * 1024

const INERT_ARGS = [
  ...QUIET_GIT_ARGS,
  '--no-optional-locks',
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'core.untrackedCache=false',
]

/** How files are looked at: by `markFile` and `hashFile` of the world. */
export interface FileLooks {
  mark(path: Uint8Array): Promise<FileMark>
  hash(path: Uint8Array, kind: FileMark['kind']): Promise<string | null>
}

/** A working tree at a time: held in memory while a job runs, and compared with what is there afterwards. */
export interface WorkState {
  readonly commit: string | null
  /** The top folder; null when it is no working tree. */
  readonly top: string | null
  /** Files that differ from the commit, by path; null when there are too many. */
  readonly changed: ReadonlyMap<string, SeenFile> | null
}

interface SeenFile {
  readonly mark: FileMark
  readonly hash: string | null
}

export interface TouchedFiles {
  readonly commit_before: string | null
  readonly commit_after: string | null
  /** Relative to the top of the working tree, sorted. A renamed file is there under both names. */
  readonly files: readonly string[]
  /** There are more, or some could not be told. */
  readonly truncated: boolean
}

export class GitFacts {
  readonly #run: RunGit
  readonly #files: FileLooks

  constructor({ run, files }: { readonly run: RunGit; readonly files: FileLooks }) {
    this.#run = run
    this.#files = files
  }

  /** The commit that a folder is at; null when it is in no repository, or there is no commit yet. */
  async commitOf(dir: string): Promise<string | null> {
    const found = (await this.#ask(dir, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']))?.trim()
    return found !== undefined && /^[0-9a-f]{40,64}$/.test(found) ? found : null
  }

  /** To be taken before a job, and given back to `touchedFiles` after it. */
  async stateOf(dir: string): Promise<WorkState> {
    const top = (await this.#ask(dir, ['rev-parse', '--show-toplevel']))?.replace(/\n$/, '') ?? ''
    if (top === '') return { commit: null, top: null, changed: new Map() }
    const commit = await this.commitOf(dir)
    const paths = await this.#changedPaths(dir)
    if (paths === null) return { commit, top, changed: null }
    let room = MOST_HASHED_IN_ALL
    const changed = new Map<string, SeenFile>()
    for (const path of paths) {
      const at = bytesOf(`${top}/${path}`)
      const mark = await this.#files.mark(at)
      const isHashed = mark.size <= Math.min(LARGEST_HASHED, room)
      if (isHashed) room -= mark.size
      changed.set(path, { mark, hash: isHashed ? await this.#files.hash(at, mark.kind) : null })
    }
    return { commit, top, changed }
  }

  /**
   * The files that differ between then and now, by commits made since or in the working tree. Whoever works in the same
   * tree at the same time is counted in: jobs at the same time have worktrees of their own. Absolute paths in `except` are
   * left out: the log that is being written, for one.
   */
  async touchedFiles(dir: string, before: WorkState, except: readonly string[] = []): Promise<TouchedFiles> {
    const commit_after = await this.commitOf(dir)
    const commits = { commit_before: before.commit, commit_after }
    const { top } = before
    if (top === null) {
      // Either it is still no repository, or the job has made it one, and everything in it is new.
      const now = await this.stateOf(dir)
      if (now.top === null) return { ...commits, files: [], truncated: false }
      return this.touchedFiles(dir, { ...now, commit: null, changed: new Map() }, except)
    }
    const committed = await this.#committed(dir, before.commit, commit_after)
    const working = await this.#worked(dir, top, before)
    const own = new Set(except.map((path) => latin1Of(path)))
    const all = [...new Set([...(committed ?? []), ...(working ?? [])])]
      .filter((path) => !own.has(`${top}/${path}`))
      .sort()
    return {
      ...commits,
      files: all.slice(0, MOST_TOUCHED).map(textOf),
      truncated: all.length > MOST_TOUCHED || committed === null || working === null,
    }
  }

  /** What commits between the two have changed; null when git does not say. */
  async #committed(dir: string, from: string | null, to: string | null): Promise<readonly string[] | null> {
    if (from === to) return []
    const whole = from ?? to ?? ''
    const args =
      from === null || to === null
        ? ['ls-tree', '-r', '-z', '--name-only', '--full-tree', whole]
        : ['diff', '--name-only', '-z', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-relative']
    const ends = from === null || to === null ? [] : ['--ignore-submodules=dirty', from, to, '--']
    const printed = await this.#ask(dir, [...args, ...ends])
    return printed?.split('\0').filter((path) => path !== '') ?? null
  }

  /** What is otherwise in the working tree than it was; null when there is too much of it. */
  async #worked(dir: string, top: string, before: WorkState): Promise<readonly string[] | null> {
    const now = await this.#changedPaths(dir)
    if (now === null || before.changed === null) return null
    const earlier = before.changed
    const touched = now.filter((path) => !earlier.has(path))
    for (const [path, seen] of earlier) if (await this.#differs(`${top}/${path}`, seen)) touched.push(path)
    return touched
  }

  async #differs(path: string, { mark, hash }: SeenFile): Promise<boolean> {
    const now = await this.#files.mark(bytesOf(path))
    if (now.kind !== mark.kind || now.isExecutable !== mark.isExecutable) return true
    // A folder is a repository inside this one: what goes on in there is its own affair.
    if (now.stamp === mark.stamp || now.kind === 'folder') return false
    return (
      hash === null || now.size !== mark.size || hash !== (await this.#files.hash(bytesOf(path), now.kind))
    )
  }

  async #changedPaths(dir: string): Promise<readonly string[] | null> {
    const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--no-renames']
    const printed = await this.#ask(
      dir,
      [...args, '--ignore-submodules=dirty'],
      await this.#withoutFilters(dir),
    )
    const paths = printed === null ? null : statusPaths(printed)
    return paths === null || paths.length > MOST_LOOKED_AT ? null : paths
  }

  /** Settings that empty every filter there is: git would run them to see whether a file has changed. */
  async #withoutFilters(dir: string): Promise<{ readonly [name: string]: string }> {
    const pattern = '^filter\\..*\\.(clean|smudge|process|required)$'
    const printed = await this.#ask(dir, ['config', '--null', '--name-only', '--get-regexp', pattern])
    const keys = [...new Set(printed?.split('\0').filter((key) => key !== ''))]
    const settings = keys.flatMap((key, index) => [
      [`GIT_CONFIG_KEY_${index}`, textOf(key)],
      [`GIT_CONFIG_VALUE_${index}`, key.endsWith('.required') ? 'false' : ''],
    ])
    return { ...Object.fromEntries(settings), GIT_CONFIG_COUNT: String(keys.length) }
  }

  /** What git prints, one character for each byte; null when it fails. */
  async #ask(
    dir: string,
    args: readonly string[],
    env?: { readonly [name: string]: string },
  ): Promise<string | null> {
    const { exitCode, stdout } = await this.#run([...INERT_ARGS, ...args], dir, env)
    return exitCode === 0 ? Buffer.from(stdout).toString('latin1') : null
  }
}

function bytesOf(path: string): Buffer {
  return Buffer.from(path, 'latin1')
}

function latin1Of(path: string): string {
  return Buffer.from(path).toString('latin1')
}

function textOf(path: string): string {
  return bytesOf(path).toString('utf8')
}
