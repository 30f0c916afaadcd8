import type { Disk } from './disk.ts'

export async function isThere(disk: Disk, path: string): Promise<boolean> {
  const reader = await disk.openToRead(path)
  await reader?.close()
  return reader !== null
}
