import { isAbsolute, join, resolve } from 'node:path'
import { ToolNotFound } from '../../errors/tool-errors.ts'
import type { FileSystem } from '../../world/file-system.ts'

export interface ExecutablePlace {
  /** `PATH` of the tool. */
  readonly path: string
  /** What a relative path with a slash starts from. */
  readonly workingDir: string
  readonly files: FileSystem
}

/** The absolute path of a program. A bare name is looked up in `PATH` only, never where the tool happens to be. */
export async function findExecutable(
  exe: string,
  { path, workingDir, files }: ExecutablePlace,
): Promise<string> {
  if (exe === '' || exe.includes('\0')) throw new ToolNotFound(exe, 'is not the name of a program')
  if (exe.includes('/')) {
    const file = resolve(workingDir, exe)
    if (await files.isExecutable(file)) return file
    throw new ToolNotFound(exe, await whyNot(file, files))
  }
  const folders = path.split(':').filter((folder) => isAbsolute(folder))
  for (const folder of folders) {
    const file = join(folder, exe)
    // `.` and `..` are names of folders, and folders are not executed.
    if (await files.isExecutable(file)) return file
  }
  throw new ToolNotFound(exe, 'is not in any folder of PATH', folders)
}

async function whyNot(file: string, files: FileSystem): Promise<string> {
  const real = await files.realPath(file).catch(() => null)
  if (real === null) return 'is not there'
  return (await files.kindOf(real)) === 'file' ? 'may not be executed' : 'is not a file'
}
