// For tests of the crash disk: disks to begin with, and all that a crash may make of one.
import type { DiskFile } from '../../world/disk.ts'
import { CrashDisk, type CrashDiskOptions } from '../crash-disk.ts'
import { SeededRandom } from '../seeded-random.ts'

export const bytes = (text: string) => new TextEncoder().encode(text)

export function textAt(disk: CrashDisk, path: string): string {
  return new TextDecoder().decode(disk.files().get(path)).replaceAll('\0', '0')
}

/** Names and contents, such as `a=old b=new`, of what is in folder `/d`. */
export function show(disk: CrashDisk): string {
  const paths = [...disk.files().keys()].sort()
  return paths.map((path) => `${path.replace('/d/', '')}=${textAt(disk, path)}`).join(' ')
}

/** Everything that a crash may leave behind, sorted. That it may do something means: with some seeds it does. */
export function outcomes(disk: CrashDisk, look: (found: CrashDisk) => string = show, seeds = 400): string[] {
  const seen = new Set<string>()
  for (let seed = 0; seed < seeds; seed++) seen.add(look(disk.afterCrash(new SeededRandom(seed))))
  return [...seen].sort()
}

/** A disk with a folder `/d` and these files in it, all of it durable. */
export async function diskWith(
  files: Record<string, string> = {},
  options: CrashDiskOptions = {},
): Promise<CrashDisk> {
  const disk = new CrashDisk()
  await disk.makeFolder('/d')
  await disk.syncFolder('/')
  for (const [name, text] of Object.entries(files)) {
    const file = await disk.open(`/d/${name}`)
    await file.writeThrough(0, bytes(text))
    await file.close()
  }
  await disk.syncFolder('/d')
  return disk.afterKill(options)
}

export async function diskWithFile(
  text: string,
  options?: CrashDiskOptions,
): Promise<{ disk: CrashDisk; file: DiskFile }> {
  const disk = await diskWith({ f: text }, options)
  return { disk, file: await disk.open('/d/f') }
}
