/**
 * Where names really lead, and writing without being led astray: what is asked of a file system where the folders belong to
 * somebody else, who may put a link anywhere at any time.
 */
export interface FileSystem {
  /** What a name stands for, links not followed; null when there is nothing of that name. */
  kindOf(path: string): Promise<FileKind | null>
  /** The same path without links; null when there is nothing. Throws when links go round in circles, and the like. */
  realPath(path: string): Promise<string | null>
  /** Whether it is a file, links followed, that this process may execute. */
  isExecutable(path: string): Promise<boolean>
  /**
   * Opens a file for appending, beneath a folder whose path is real, and makes it, and folders on the way, when they are
   * not there. Fails with `NotPlain` when there is a link on the way, or anything but a plain file at its end.
   */
  appendBeneath(place: PlaceBeneath): Promise<AppendedFile>
  /**
   * Opens a plain file there for reading; null when there is none. Fails with `NotPlain` as `appendBeneath` does, and makes
   * nothing.
   */
  readBeneath(place: PlaceBeneath): Promise<ReadFile | null>
  /** Writes a whole file there, which has its name when it is complete. A link of that name is replaced, not followed. */
  writeBeneath(place: PlaceBeneath, bytes: Uint8Array): Promise<void>
}

export type FileKind = 'file' | 'folder' | 'link' | 'other'

export interface PlaceBeneath {
  readonly folder: string
  /** Relative, without `.` and `..`. */
  readonly path: string
}

export interface AppendedFile {
  /** When it was opened. */
  readonly size: number
  append(bytes: Uint8Array): Promise<void>
  close(): Promise<void>
}

export interface ReadFile {
  /** The same for the same file, whatever it is called. */
  readonly identity: string
  readonly size: number
  /** As many bytes as there are from a place on, at most so many. */
  read(from: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

/** There is a link or something else that is not what it should be. */
export class NotPlain extends Error {
  override readonly name = 'NotPlain'
}
