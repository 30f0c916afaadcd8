/** How far something long has come. The unit is its own; when it is over, `done` is `total`. */
export interface Progress {
  readonly done: number
  readonly total: number
}

export type OnProgress = (progress: Progress) => void
