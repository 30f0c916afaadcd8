import { isAbsolute, relative, resolve, sep } from 'node:path'
import { InvalidInput } from '../../../errors/input-errors.ts'
import { branchNameProblem, remoteNameProblem, revisionProblem } from '../../git/ref-name.ts'
import type { JobPlace } from '../adapter.ts'
import type { ToolJob } from '../tool-job.ts'

const MOST_PATHS = 1000

/** What follows the operation, taken one by one, each for what it is meant to be. */
export class GitArguments {
  readonly job: ToolJob
  readonly place: JobPlace
  #next = 1

  constructor(job: ToolJob, place: JobPlace) {
    this.job = job
    this.place = place
  }

  branch(): string {
    return this.#take('the name of a branch', branchNameProblem)
  }

  remote(): string {
    return this.#take('the name of a remote', remoteNameProblem)
  }

  optionalRevision(): string | null {
    return this.#rest().length === 0 ? null : this.#take('a commit to start from', revisionProblem)
  }

  /** A text that is one argument whatever it begins with. */
  message(): string {
    return this.#take('a message', (text) => {
      if (text.trim() === '') return 'is blank'
      return text.includes('\0') ? 'has a NUL character' : null
    })
  }

  /** An absolute path inside the repository's root, and not the root itself. */
  path(): string {
    const given = this.#take('a path', (text) => this.#pathProblem(text))
    return resolve(this.place.workingDir, given)
  }

  paths(): readonly string[] {
    const count = this.#rest().length
    if (count <= MOST_PATHS) return Array.from({ length: count }, () => this.path())
    const field = `command.args[${this.#next + MOST_PATHS}]`
    throw new InvalidInput(field, `More than ${MOST_PATHS} paths`, 'Name the folders that they are in.')
  }

  /** Where the next argument is, for messages. */
  get field(): string {
    return `command.args[${this.#next}]`
  }

  refuseMore(): void {
    if (this.#rest().length === 0) return
    throw new InvalidInput(this.field, `${this.field} is one too many`, 'Leave it out.')
  }

  #rest(): readonly string[] {
    return this.job.command.args.slice(this.#next)
  }

  #take(what: string, problemOf: (text: string) => string | null): string {
    const { field } = this
    const text = this.#rest()[0]
    if (text === undefined) throw new InvalidInput(field, `${field} is missing`, `Give ${what}.`)
    const problem = problemOf(text)
    if (problem !== null) {
      const shown = JSON.stringify(text.slice(0, 100))
      throw new InvalidInput(field, `${field} ${problem}: ${shown}`, `Give ${what}.`)
    }
    this.#next++
    return text
  }

  #pathProblem(text: string): string | null {
    if (text === '') return 'is empty'
    if (text.startsWith('-')) return 'begins with -, as options do; ./ before it helps'
    if (text.includes('\0')) return 'has a NUL character'
    return isInside(this.place.repoRoot, resolve(this.place.workingDir, text))
      ? null
      : 'is outside the repository'
  }
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
