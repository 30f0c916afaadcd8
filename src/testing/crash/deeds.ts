// What can be done to a disk, and what is left of it when it is not done to the end. As data, since a test decides after
// the crash whether it was the process or the power that went, and may ask for both.
import { dirname } from 'node:path'
import type { DiskState } from './disk-state.ts'
import type { Moment } from './moment.ts'
import { FOLDER } from './stored-names.ts'

export interface Deed {
  /** So much of it is done, from 0 to 1; the disk may have what was done, and may not. */
  begun(state: DiskState, moment: Moment, part: number): void
  /** Whoever asked for it hears that it is done: from now on the disk has what it promised to have. */
  confirmed(state: DiskState, moment: Moment): void
  /** The disk said no when so much of it was done; all of it, even, and then it was not kept. */
  failed(state: DiskState, moment: Moment, part: number): void
}

export function write(id: number, position: number, bytes: Uint8Array): Deed {
  const begun: Deed['begun'] = (state, moment, part) =>
    void state.file(id).write(position, firstPart(bytes, part), moment)
  return { begun, confirmed: () => {}, failed: begun }
}

export function writeThrough(id: number, position: number, bytes: Uint8Array): Deed {
  return {
    ...write(id, position, bytes),
    confirmed: (state, moment) => state.file(id).confirmWrite(moment),
    failed: (state, moment, part) => {
      const written = state.file(id).write(position, firstPart(bytes, part), moment)
      if (written !== null) written.lost = true
    },
  }
}

export function sync(id: number): Deed {
  return {
    begun: () => {},
    confirmed: (state, moment) => state.file(id).confirmSync(moment),
    failed: (state) => state.file(id).failSync(),
  }
}

export function truncate(id: number, size: number): Deed {
  return allOrNothing((state, moment) => state.file(id).truncate(size, moment))
}

export function create(path: string, id: number): Deed {
  return allOrNothing((state, moment) => {
    state.addFile(id, path)
    state.names.link(path, id, moment)
  })
}

/** One after the other: some may be there when it is broken off. */
export function makeFolders(paths: readonly string[]): Deed {
  return {
    begun: (state, moment, part) => {
      const made = paths.slice(0, Math.round(paths.length * part))
      for (const path of made) state.names.link(path, FOLDER, moment)
    },
    confirmed: () => {},
    failed: () => {},
  }
}

export function rename(id: number, from: string, to: string): Deed {
  return allOrNothing((state, moment) => {
    state.names.rename(from, to, moment)
    state.file(id).path = to
  })
}

export function remove(path: string): Deed {
  return allOrNothing((state, moment) => state.names.unlink(path, moment))
}

export function syncFolder(folder: string): Deed {
  return {
    begun: () => {},
    confirmed: (state, moment) => state.names.confirmSync(folder, moment),
    failed: () => {},
  }
}

/** The folders that `folder` needs and that are not there, the outermost first. */
export function missingFolders(state: DiskState, folder: string): string[] {
  const paths: string[] = []
  for (let path = folder; state.names.current.get(path) !== FOLDER; path = dirname(path)) paths.unshift(path)
  return paths
}

function allOrNothing(all: (state: DiskState, moment: Moment) => void): Deed {
  return {
    begun: (state, moment, part) => {
      if (part >= 0.5) all(state, moment)
    },
    confirmed: () => {},
    failed: () => {},
  }
}

function firstPart(bytes: Uint8Array, part: number): Uint8Array {
  return bytes.subarray(0, Math.floor(bytes.length * part))
}
