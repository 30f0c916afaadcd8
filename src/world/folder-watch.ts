import { watch } from 'node:fs'

/**
 * Calls back with the name of a file that changed in a folder, as far as the system tells. It may tell too often, too late
 * or not at all: whoever has to know looks now and then as well. Does not keep the process alive.
 */
export function watchFolder(folder: string, listener: (name: string | null) => void): { close(): void } {
  try {
    const watcher = watch(folder, { persistent: false }, (_, name) => listener(name))
    // A folder that goes away, or a system that has no more watches to give.
    watcher.on('error', () => watcher.close())
    return { close: () => watcher.close() }
  } catch {
    return { close: () => {} }
  }
}
