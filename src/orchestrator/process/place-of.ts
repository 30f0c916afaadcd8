import { relative, resolve, sep } from 'node:path'
import { InvalidInput } from '../../errors/input-errors.ts'
import { PathEscapes } from '../../errors/tool-errors.ts'
import type { FileSystem, PlaceBeneath } from '../../world/file-system.ts'
import type { ToolJob } from '../tools/tool-job.ts'
import { confinedPath, type GivenPath, isGits } from './confined-path.ts'

/** Where a job works. Absolute, real paths, checked to be inside the repository. */
export interface ToolPlace {
  readonly repoRoot: string
  readonly workingDir: string
  readonly messageFile: string | null
  readonly filesScope: readonly string[]
  readonly logFile: string
  readonly errorReport: string
}

export interface PlaceOptions {
  readonly files: FileSystem
  /** The folder that a relative `repo_root` starts from. */
  readonly base: string
}

/** Throws `PathEscapes` or `InvalidInput`, with the field, for the first path that will not do. Writes nothing. */
export async function placeOf(job: ToolJob, { files, base }: PlaceOptions): Promise<ToolPlace> {
  const { paths, metadata = {} } = job
  const repoRoot = await rootOf(paths.repo_root, base, files)
  const at = (field: string, path: string) => new Spot({ field, path }, repoRoot, files)
  const workingDir = await at('paths.working_dir', paths.working_dir).folder()
  const logFile = await at('paths.log_file', paths.log_file).written()
  const errorReport = await at('paths.error_report', paths.error_report).written()
  if (errorReport === logFile) {
    throw new PathEscapes('paths.error_report', paths.error_report, 'is the log file as well')
  }
  const { message_file, files_scope = [] } = metadata
  const messageFile =
    message_file === undefined ? null : await at('metadata.message_file', message_file).read()
  if (messageFile === logFile || messageFile === errorReport) {
    throw new PathEscapes('metadata.message_file', message_file ?? '', 'is a file that the job writes')
  }
  const filesScope: string[] = []
  for (const [index, path] of files_scope.entries()) {
    filesScope.push(await at(`metadata.files_scope[${index}]`, path).worked())
  }
  return { repoRoot, workingDir, messageFile, filesScope, logFile, errorReport }
}

/** Only where its log is, checked in the same way. */
export async function logPlaceOf({ paths }: ToolJob, { files, base }: PlaceOptions): Promise<PlaceBeneath> {
  const repoRoot = await rootOf(paths.repo_root, base, files)
  const given = { field: 'paths.log_file', path: paths.log_file }
  return beneathRoot({ repoRoot }, await new Spot(given, repoRoot, files).written())
}

/** A path of the place as names beneath the root, as they are opened. */
export function beneathRoot({ repoRoot }: Pick<ToolPlace, 'repoRoot'>, path: string): PlaceBeneath {
  return { folder: repoRoot, path: relative(repoRoot, path).split(sep).join('/') }
}

async function rootOf(path: string, base: string, files: FileSystem): Promise<string> {
  const field = 'paths.repo_root'
  const absolute = resolve(base, path)
  const real = await files.realPath(absolute).catch((cause: unknown) => {
    throw InvalidInput.by(cause, field, `${field} cannot be followed: ${(cause as Error).message}`, ROOT_NEXT)
  })
  if (real === null) throw new InvalidInput(field, `${field}: there is no ${absolute}`, ROOT_NEXT)
  if ((await files.kindOf(real)) !== 'folder') {
    throw new InvalidInput(field, `${field}: ${absolute} is not a folder`, ROOT_NEXT)
  }
  return real
}

const ROOT_NEXT = 'Give the folder of the repository that the job works in.'

/** One path of the job, and what it has to be. */
class Spot {
  readonly #given: GivenPath
  readonly #root: string
  readonly #files: FileSystem

  constructor(given: GivenPath, root: string, files: FileSystem) {
    this.#given = given
    this.#root = root
    this.#files = files
  }

  async folder(): Promise<string> {
    const path = await this.worked()
    const kind = await this.#files.kindOf(path)
    if (kind === 'folder') return path
    throw this.#invalid(kind === null ? 'is not there' : 'is not a folder', 'Give a folder that is there.')
  }

  async read(): Promise<string> {
    const path = await this.#confined()
    const kind = await this.#files.kindOf(path)
    if (kind === 'file') return path
    throw this.#invalid(kind === null ? 'is not there' : 'is not a file', 'Give a file that is there.')
  }

  /** What the tool is let loose on: not what git runs and goes by. */
  async worked(): Promise<string> {
    const path = await this.#confined()
    if (isGits(this.#root, path)) throw this.#escapes("is in git's own folder")
    return path
  }

  /** It may be a plain file or nothing yet. That it is a name for a file is looked at before links are followed. */
  async written(): Promise<string> {
    const { path } = this.#given
    if (/[\\/]\.?$/.test(path)) throw this.#escapes('names a folder')
    const real = await this.worked()
    // The last name itself: a link is refused even if it leads to a file inside.
    const kind = await this.#files.kindOf(resolve(this.#root, path))
    if (kind === 'folder') throw this.#escapes('is a folder')
    if (kind === 'link') throw this.#escapes('is a link')
    if (kind === 'other') throw this.#escapes('is not a plain file')
    return real
  }

  #confined(): Promise<string> {
    return confinedPath(this.#given, this.#root, this.#files)
  }

  #escapes(why: string): PathEscapes {
    return new PathEscapes(this.#given.field, this.#given.path, why)
  }

  #invalid(why: string, next: string): InvalidInput {
    const { field, path } = this.#given
    return new InvalidInput(field, `${field} ${JSON.stringify(path)} ${why}`, next)
  }
}
