/** How far something long has come, in units of its own: when it is over, `done` is `total`. */
export interface Progress {
  /** What is being done, in a word or two. */
  readonly what: string
  readonly done: number
  readonly total: number
}

export type OnProgress = (progress: Progress) => void

/** For those who call something that may take long. */
export interface ProgressOptions {
  readonly onProgress?: OnProgress | undefined
}
