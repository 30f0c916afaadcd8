import type { Disk } from '../../world/disk.ts'

/** Writes a file and makes it durable, its name too. Nothing is ever overwritten: a name that is taken gets a number. */
export async function keepBytes(
  disk: Disk,
  folder: string,
  { start, ending, bytes }: { readonly start: string; readonly ending: string; readonly bytes: Uint8Array },
): Promise<string> {
  const names = new Set(await disk.list(folder))
  let name = `${start}${ending}`
  for (let n = 2; names.has(name); n++) name = `${start}.${n}${ending}`
  await writeWhole(disk, `${folder}/${name}`, bytes)
  await disk.syncFolder(folder)
  return `${folder}/${name}`
}

export async function writeWhole(disk: Disk, path: string, bytes: Uint8Array): Promise<void> {
  const file = await disk.open(path)
  try {
    await file.truncate(0)
    await file.write(0, bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}
